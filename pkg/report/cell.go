package report

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/apply"
	"github.com/sk1-services/distributed-cache/pkg/plan"
	"github.com/sk1-services/distributed-cache/pkg/readiness"
)

// fenceKinds are the kinds of what stands around an isolated cache.
var fenceKinds = []string{"Namespace", "NetworkPolicy", "ResourceQuota", "Role", "RoleBinding"}

// cell is the name and UID of the namespace that was made for the cache, empty without one.
func (o Outcome) cell() (string, types.UID) {
	if s := o.World.State(o.Now).Cell; s == nil || !s.Standing {
		return "", ""
	}
	ns := o.World.Cell.Namespace
	return ns.Name, ns.UID
}

// going is the cell's namespace if it is being deleted.
func (o Outcome) going() *corev1.Namespace {
	if s := o.World.State(o.Now).Cell; s == nil || !s.Going {
		return nil
	}
	return o.World.Cell.Namespace
}

// clash says who holds the name of the cell.
func (o Outcome) clash() string {
	ns := o.World.Cell.Namespace
	cache := o.World.Cache
	owner := types.NamespacedName{Namespace: ns.Labels[v1alpha1.OwnerNamespaceLabel], Name: ns.Labels[v1alpha1.OwnerNameLabel]}
	switch {
	case ns.Labels[v1alpha1.ManagedByLabel] != v1alpha1.FieldManager || owner.Name == "":
		return fmt.Sprintf("namespace %s exists and was not created for this cache; it is left untouched. Delete it, or create the cache under another name", ns.Name)
	case owner.Namespace == cache.Namespace && owner.Name == cache.Name:
		return fmt.Sprintf("namespace %s was created for a former cache of this name (UID %s); it is left untouched until that cache is known to be gone", ns.Name, o.World.Cell.OwnerUID())
	default:
		return fmt.Sprintf("namespace %s is the cell of DistributedCache %s; it is left untouched. Create this cache under another name", ns.Name, owner)
	}
}

// fenceTrouble is the first of the fence's objects that was refused.
func (o Outcome) fenceTrouble() (verdict, bool) {
	for _, r := range o.Results {
		if !slices.Contains(fenceKinds, r.Kind) {
			continue
		}
		if v, bad := refused(r); bad {
			return v, true
		}
	}
	return verdict{}, false
}

// conflicting is the verdict on a name that is somebody else's.
func conflicting(r apply.Result, conflict *apply.ConflictError) verdict {
	reason := v1alpha1.ReasonNameConflict
	if r.Kind == "Namespace" {
		reason = v1alpha1.ReasonCellNamespaceConflict
	}
	return yes(reason, "%s", conflict).stall()
}

// held says what keeps a cell that is being deleted from going, once that has lasted.
func (o Outcome) held() (verdict, bool) {
	ns := o.going()
	if ns == nil {
		return verdict{}, false
	}
	by := readiness.HeldBy(ns, o.Now)
	return yes(v1alpha1.ReasonCellNamespaceStuck, "namespace %s is being deleted and does not go: %s", ns.Name, by), by != ""
}

// isolated says whether the fence stands as rendered.
func isolated(o Outcome) verdict {
	switch {
	case !o.World.Cache.Spec.Tenant.Isolate:
		return no(v1alpha1.ReasonNotRequested, "tenant.isolate is false")
	case o.Err != nil:
		return unknown(v1alpha1.ReasonReconcileFailed, "%s", o.Err)
	case o.deleting():
		return no(v1alpha1.ReasonDeleting, "the cache is being deleted, and its cell goes last")
	case o.Plan.Step == plan.StepRefuse:
		return no(v1alpha1.ReasonCellNamespaceConflict, "%s", o.clash())
	case o.Plan.Step == plan.StepPause:
		return unknown(v1alpha1.ReasonPaused, "spec.paused is true")
	case o.Plan.Step == plan.StepRebuild:
		return no(v1alpha1.ReasonCellTerminating, "namespace %s is being deleted", o.World.Cell.Namespace.Name)
	}
	if v, bad := o.fenceTrouble(); bad {
		return no(v.reason, "%s", v.message)
	}
	for _, kind := range fenceKinds {
		if r, ok := o.result(kind); !ok || r.Err != nil {
			return no(v1alpha1.ReasonCellIncomplete, "the cell's %s is not in place yet", kind)
		}
	}
	return yes(v1alpha1.ReasonReconciled, "namespace %s, its NetworkPolicy and its ResourceQuota are in place", o.World.Cache.Home())
}

// cellProgress says what is awaited of the cell.
func (o Outcome) cellProgress() (verdict, bool) {
	switch {
	case o.Plan.Step == plan.StepRebuild:
		return yes(v1alpha1.ReasonCellTerminating, "namespace %s is being deleted; the cell is made anew when it is gone", o.World.Cell.Namespace.Name), true
	case o.Plan.Fence != nil && (!o.Plan.Workload || o.Plan.Replicas < int(o.World.Cache.WantedReplicas())):
		return yes(v1alpha1.ReasonWaitingForCell, "namespace %s is being fenced: its quota is not in force for what is wanted", o.World.Cache.Home()), true
	default:
		return verdict{}, false
	}
}

// deletion says how far the deletion of the cache is.
func (o Outcome) deletion() string {
	if o.Plan.Step != plan.StepDissolve {
		return "the cache is being deleted: its ring is emptied, and its pods go when the grace is over"
	}
	return fmt.Sprintf("the cache is being deleted: its pods have had their grace, and namespace %s goes", o.World.Cache.Home())
}
