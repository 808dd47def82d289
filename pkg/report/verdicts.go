package report

import (
	"errors"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/apply"
	"github.com/sk1-services/distributed-cache/pkg/plan"
	"github.com/sk1-services/distributed-cache/pkg/readiness"
	"github.com/sk1-services/distributed-cache/pkg/ring"
)

var statefulSetKind = schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "StatefulSet"}

// ring is the ring that stands after the pass.
func (o Outcome) ring() *ring.Document {
	if r, ok := o.result("ConfigMap"); ok && r.Err == nil {
		return o.Plan.Ring
	}
	return o.World.Document()
}

func (o Outcome) deleting() bool { return o.World.Cache.DeletionTimestamp != nil }

func (o Outcome) result(kind string) (apply.Result, bool) {
	i := slices.IndexFunc(o.Results, func(r apply.Result) bool { return r.Kind == kind })
	if i < 0 {
		return apply.Result{}, false
	}
	return o.Results[i], true
}

// servingMembers counts the ring's members that are Ready.
func (o Outcome) servingMembers(document *ring.Document) int {
	count := 0
	for _, pod := range o.World.State(o.Now).Pods {
		if pod.Serving() && slices.Contains(document.Members, pod.Name) {
			count++
		}
	}
	return count
}

func available(o Outcome) verdict {
	wanted := int(o.World.Cache.WantedReplicas())
	switch {
	case o.Err != nil:
		return unknown(v1alpha1.ReasonReconcileFailed, "%s", o.Err)
	case o.deleting():
		return no(v1alpha1.ReasonDeleting, "the cache is being deleted")
	case o.Plan.Step == plan.StepRefuse:
		return no(v1alpha1.ReasonCellNamespaceConflict, "%s", o.clash())
	}
	document := o.ring()
	switch {
	case document == nil:
		return no(v1alpha1.ReasonRingNotPublished, "no ring has been published yet: %d of %d pods are Ready", o.readyPods(), wanted)
	case wanted == 0:
		return no(v1alpha1.ReasonScaledToZero, "spec.replicas is 0")
	}
	serving := o.servingMembers(document)
	if serving == 0 || 2*serving < wanted {
		return no(v1alpha1.ReasonInsufficientReplicas, "%d of %d wanted pods serve in ring version %d", serving, wanted, document.Version)
	}
	return yes(v1alpha1.ReasonReconciled, "%d of %d wanted pods serve in ring version %d", serving, wanted, document.Version)
}

func (o Outcome) readyPods() int {
	count := 0
	for _, pod := range o.World.State(o.Now).Pods {
		if pod.Serving() {
			count++
		}
	}
	return count
}

func progressing(o Outcome) verdict {
	switch {
	case o.Err != nil:
		return unknown(v1alpha1.ReasonReconcileFailed, "%s", o.Err)
	case o.deleting():
		return yes(v1alpha1.ReasonDeleting, "%s", o.deletion())
	case o.Plan.Step == plan.StepRefuse:
		return no(v1alpha1.ReasonCellNamespaceConflict, "%s", o.clash())
	case o.Plan.Step == plan.StepPause:
		return no(v1alpha1.ReasonPaused, "spec.paused is true")
	}
	if v, awaited := o.cellProgress(); awaited {
		return v
	}
	if v, under := o.underway(); under {
		return v
	}
	wanted := int(o.World.Cache.WantedReplicas())
	if o.Plan.Replicas > wanted {
		return yes(v1alpha1.ReasonDraining, "%d pods are wanted and %d run until their grace is over", wanted, o.Plan.Replicas)
	}
	if document := o.ring(); document == nil || len(document.Members) != wanted {
		return yes(v1alpha1.ReasonWaitingForRing, "Ready pods wait to enter the ring")
	}
	if gone := o.draining(); len(gone) > 0 {
		return yes(v1alpha1.ReasonDraining, "%d pods have drained and are yet to be struck off the ledger", len(gone))
	}
	return no(v1alpha1.ReasonReconciled, "all is as wanted")
}

// underway says what the StatefulSet's controller and the pods have still to do.
func (o Outcome) underway() (verdict, bool) {
	set := o.World.StatefulSet
	if r, ok := o.result("StatefulSet"); set == nil || ok && r.Wrote() {
		return yes(v1alpha1.ReasonWaitingForPods, "the StatefulSet was changed; its controller has yet to act"), true
	}
	progress, err := readiness.Of(set, statefulSetKind)
	switch {
	case err != nil:
		return unknown(v1alpha1.ReasonReconcileFailed, "%s", err), true
	case o.World.State(o.Now).Set.Rolling:
		return yes(v1alpha1.ReasonRollingOut, "%d of %d pods are of the wanted template", set.Status.UpdatedReplicas, o.Plan.Replicas), true
	case progress.Done:
		return verdict{}, false
	default:
		return yes(v1alpha1.ReasonWaitingForPods, "%s", progress.Message), true
	}
}

func degraded(o Outcome) verdict {
	switch {
	case o.Err != nil:
		return yes(v1alpha1.ReasonReconcileFailed, "%s", o.Err)
	case o.Plan.Step == plan.StepRefuse:
		return yes(v1alpha1.ReasonCellNamespaceConflict, "%s", o.clash()).stall()
	}
	if v, held := o.held(); held {
		return v
	}
	if err := errors.Join(notStale(o.Hold), notStale(o.Cell), o.Marks); err != nil {
		return yes(v1alpha1.ReasonReconcileFailed, "%s", err)
	}
	for _, r := range o.Results {
		if v, bad := refused(r); bad {
			return v
		}
	}
	if reason := o.World.Refusal; reason != "" {
		set := o.World.StatefulSet
		return yes(v1alpha1.ReasonPodCreationFailed, "StatefulSet %s/%s: pods are refused: %s", set.Namespace, set.Name, reason)
	}
	for i := range o.World.Pods {
		if t := readiness.TroubleOf(&o.World.Pods[i], o.Now); t != nil {
			return yes(t.Reason, "%s", t)
		}
	}
	return no(v1alpha1.ReasonReconciled, "nothing is wrong")
}

// notStale is err, unless it is a lost race.
func notStale(err error) error {
	if apierrors.IsConflict(err) {
		return nil
	}
	return err
}

var refusedReasons = map[string]string{
	"Service":     v1alpha1.ReasonServiceReconcileFailed,
	"StatefulSet": v1alpha1.ReasonStatefulSetReconcileFailed,
	"ConfigMap":   v1alpha1.ReasonRingReconcileFailed,

	"Namespace":     v1alpha1.ReasonCellReconcileFailed,
	"NetworkPolicy": v1alpha1.ReasonCellReconcileFailed,
	"ResourceQuota": v1alpha1.ReasonCellReconcileFailed,
	"Role":          v1alpha1.ReasonCellReconcileFailed,
	"RoleBinding":   v1alpha1.ReasonCellReconcileFailed,
}

// refused judges the application of one object. A write that lost a race is not a trouble: the
// next pass decides again; neither are a namespace under deletion and the remains of a former
// cache.
func refused(r apply.Result) (verdict, bool) {
	var conflict *apply.ConflictError
	switch {
	case r.Err == nil || r.Stale() || r.Doomed():
		return verdict{}, false
	case errors.As(r.Err, &conflict):
		return conflicting(r, conflict), !conflict.Former
	}
	if field, ok := r.Immutable(); ok && r.Existed {
		return yes(v1alpha1.ReasonImmutableField, "%s: %s cannot be changed in place; delete the object with --cascade=orphan and it is created anew", r.Ref(), field).stall(), true
	}
	v := yes(refusedReasons[r.Kind], "%s", r.Err)
	if apierrors.IsInvalid(r.Err) {
		v = v.stall()
	}
	return v, true
}
