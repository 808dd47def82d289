// Package report says what became of a pass: the cache's status, its conditions, and events.
//
// Its laws: what a pass found and did goes in, one status comes out, purely; it is written on
// every path, errors too, at most once a pass and only if it differs. Events are for transitions
// of conditions, and come after the write succeeded. Text that reaches a condition is the same
// for the same trouble.
package report

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/apply"
	"github.com/sk1-services/distributed-cache/pkg/observe"
	"github.com/sk1-services/distributed-cache/pkg/plan"
	"github.com/sk1-services/distributed-cache/pkg/render"
)

// Outcome is a pass over one cache: what was read, what was decided, and what became of it.
type Outcome struct {
	World *observe.World
	// Live says that it was read from the API server and not from the informers.
	Live bool
	Plan plan.Plan
	// Results has one entry per object that was to be applied.
	Results []apply.Result
	// Hold is what became of the finalizer, Cell of the cell that was to be deleted, Marks of the pods' marks.
	Hold  error
	Cell  error
	Marks error
	// Err is what ended the pass before anything was applied.
	Err error
	Now time.Time
}

// Gone reports whether the cache turned out not to exist any more: nothing is to be done or said.
func (o Outcome) Gone() bool { return o.World == nil && o.Err == nil }

// Status is the status that the outcome calls for.
func Status(o Outcome) v1alpha1.DistributedCacheStatus {
	cache := o.World.Cache
	status := *cache.Status.DeepCopy()
	status.ObservedGeneration = cache.Generation
	status.Selector = render.Selector(cache)
	status.Conditions = conditions(o)
	if o.Err != nil {
		return status
	}
	status.Replicas, status.ReadyReplicas = 0, 0
	for _, pod := range o.World.State(o.Now).Pods {
		status.Replicas++
		if pod.Serving() {
			status.ReadyReplicas++
		}
	}
	status.CellNamespace, status.CellUID = o.cell()
	status.Drain = drain(o)
	if document := o.ring(); document != nil {
		status.RingVersion = max(status.RingVersion, document.Version)
	}
	return status
}

// draining is the part of the stored ledger that stands after the pass: who has just been struck
// off is not listed, for the same status may say that all is as wanted; who has just been entered
// has no time yet.
func (o Outcome) draining() plan.Ledger {
	ledger := o.World.State(o.Now).Ledger
	r, ok := o.result("ConfigMap")
	written := ok && r.Err == nil
	return slices.DeleteFunc(ledger, func(d plan.Drain) bool {
		stays := func(after plan.Drain) bool { return after.Ordinal == d.Ordinal }
		return d.Since.IsZero() || written && !slices.ContainsFunc(o.Plan.Ledger, stays)
	})
}

// drain lists the pods that left the ring for good.
func drain(o Outcome) *v1alpha1.DrainStatus {
	state := o.World.State(o.Now)
	var status v1alpha1.DrainStatus
	for _, d := range o.draining() {
		status.Pods = append(status.Pods, v1alpha1.DrainingPod{
			Name:  v1alpha1.PodName(o.World.Cache.Name, d.Ordinal),
			Since: metav1.NewTime(d.Since).Rfc3339Copy(),
			Until: metav1.NewTime(d.Since.Add(state.Grace)).Rfc3339Copy(),
		})
	}
	if len(status.Pods) == 0 {
		return nil
	}
	return &status
}
