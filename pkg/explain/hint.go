package explain

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
)

type hinter func(*view, *Explanation) (Hint, bool)

// hinters are what is looked for, the most pressing first. What to do about what the operator itself
// says is wrong stands in the conditions.
var hinters = []hinter{
	silentOperator, heldByOperator, heldByOthers, foreignCell, stuckCell, refusedPods, brokenRing, noService, killedForMemory,
}

func (v *view) hints(e *Explanation) []Hint {
	var list []Hint
	for _, look := range hinters {
		hint, found := look(v, e)
		if !found {
			continue
		}
		hint.Problem, hint.Action = sentences(hint.Problem), sentences(hint.Action)
		list = append(list, hint)
	}
	return list
}

func silentOperator(v *view, _ *Explanation) (Hint, bool) {
	why, silent := v.silence()
	return Hint{why, "See whether it runs and what it says: kubectl -n distributed-cache-system get pods; kubectl -n distributed-cache-system logs deploy/distributed-cache-operator. Until it does, the ring stands still"}, silent
}

// heldByOperator speaks of a deleted cache whose operator does not come to let it go.
func heldByOperator(v *view, _ *Explanation) (Hint, bool) {
	_, silent := v.silence()
	held := v.deleting() && v.state.Held && silent
	return Hint{
		fmt.Sprintf("the finalizer %s holds the cache, and only the operator takes it off", v1alpha1.Finalizer),
		"Start the operator. Without one, and only if no client needs the pods any more, take it off by hand: kubectl edit dc " + v.cache.Name,
	}, held
}

// heldByOthers speaks of finalizers that are neither the operator's nor the garbage collector's.
func heldByOthers(v *view, _ *Explanation) (Hint, bool) {
	foreign := slices.DeleteFunc(slices.Clone(v.cache.Finalizers), func(name string) bool {
		return slices.Contains([]string{v1alpha1.Finalizer, metav1.FinalizerOrphanDependents, metav1.FinalizerDeleteDependents}, name)
	})
	return Hint{
		"other finalizers hold the cache, too: " + strings.Join(foreign, ", "),
		"Find out who set them; they go when that program has done its part",
	}, v.deleting() && len(foreign) > 0
}

func foreignCell(_ *view, e *Explanation) (Hint, bool) {
	if e.Cell == nil || e.Cell.State != CellForeign || e.saysDegraded(v1alpha1.ReasonCellNamespaceConflict) {
		return Hint{}, false
	}
	return Hint{e.Cell.Why + "; nothing is made for the cache", "Delete that namespace if nobody needs it, or create the cache under another name"}, true
}

func stuckCell(_ *view, e *Explanation) (Hint, bool) {
	if e.Cell == nil || e.Cell.State != CellTerminating || !strings.Contains(e.Cell.Why, "does not go") || e.saysDegraded(v1alpha1.ReasonCellNamespaceStuck) {
		return Hint{}, false
	}
	return Hint{fmt.Sprintf("namespace %s: %s", e.Cell.Namespace, e.Cell.Why), "Remove the named objects or finalizers"}, true
}

func refusedPods(v *view, e *Explanation) (Hint, bool) {
	action := "Raise the quota, lower spec.replicas or spec.memoryPerPod, or mend the policy that refuses"
	if e.Cell != nil && strings.Contains(v.World.Refusal, "exceeded quota") {
		action = "The operator makes the cell's own quota large enough; look for another one, and for foreign pods: kubectl -n " + e.Home + " get quota,pods"
	}
	return Hint{"pods are refused: " + v.World.Refusal, action}, v.World.Refusal != ""
}

func brokenRing(v *view, e *Explanation) (Hint, bool) {
	if e.Ring == nil || e.Ring.Trouble == "" || v.World.Ring == nil && v.cache.Status.RingVersion == 0 {
		return Hint{}, false
	}
	action := "The operator replaces it as soon as a pod serves"
	if v.World.Ring != nil && v.World.Ring.Data[v1alpha1.OwnerUIDKey] == string(v.cache.UID) {
		action += "; find out who else writes it"
	}
	return Hint{fmt.Sprintf("the ring in ConfigMap %s: %s", e.Ring.ConfigMap, e.Ring.Trouble), action}, !v.deleting()
}

func noService(v *view, e *Explanation) (Hint, bool) {
	gone := v.complete && !v.unread("Service") && v.World.Service == nil && v.World.StatefulSet != nil && !v.deleting()
	return Hint{
		fmt.Sprintf("Service %s/%s is gone, so that the pods have no names by which clients find them", e.Home, v1alpha1.ServiceName(v.cache.Name)),
		"The operator makes it anew; look at the condition Degraded if it does not",
	}, gone
}

func killedForMemory(v *view, _ *Explanation) (Hint, bool) {
	var list []string
	for i := range v.World.Pods {
		if killed(&v.World.Pods[i]) {
			list = append(list, v.World.Pods[i].Name)
		}
	}
	memory := v.cache.Memory()
	return Hint{
		fmt.Sprintf("%s: ended for want of memory (OOMKilled)", names(list)),
		fmt.Sprintf("Raise spec.memoryPerPod, which is %s", memory.String()),
	}, len(list) > 0
}
