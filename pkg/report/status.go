// Package report says what became of a pass: the cache's status, its conditions, and events.
//
// Its laws: what a pass found and did goes in, one status comes out, purely; it is written on
// every path, errors too, at most once a pass and only if it differs. Events are for transitions
// of conditions, and come after the write succeeded. Text that reaches a condition is the same
// for the same trouble.
package report

import (
	"time"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/apply"
	"github.com/sk1-services/distributed-cache/pkg/observe"
	"github.com/sk1-services/distributed-cache/pkg/plan"
	"github.com/sk1-services/distributed-cache/pkg/render"
)

// Outcome is a pass over one cache: what was read, what was decided, and what became of it.
type Outcome struct {
	World *observe.World
	Plan  plan.Plan
	// Results has one entry per object that was to be applied.
	Results []apply.Result
	// Err is what ended the pass before anything was applied.
	Err error
	Now time.Time
}

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
	if document := o.ring(); document != nil {
		status.RingVersion = max(status.RingVersion, document.Version)
	}
	return status
}
