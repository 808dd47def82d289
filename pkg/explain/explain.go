// Package explain answers, in plain words: is my cache healthy, and if not, why?
//
// Its laws: pure. What was read goes in, and the time; nothing is asked. What the operator does next
// is not told here a second time but asked of the state machine itself (pkg/plan), from the same
// view of the world (pkg/observe): so an explanation cannot disagree with what happens. What could
// not be read is said and not guessed.
package explain

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/observe"
	"github.com/sk1-services/distributed-cache/pkg/plan"
	"github.com/sk1-services/distributed-cache/pkg/ring"
)

// Facts are what was read of one cache.
type Facts struct {
	// World is the cache and its objects. What does not exist is nil there, and so is what could
	// not be read.
	World *observe.World
	// Events are those of the cache and its objects, in any order.
	Events []corev1.Event
	// Unread are the kinds that could not be read: Kubernetes' names, such as Pod.
	Unread []Unreadable
}

// DefaultEvents is how many events are listed.
const DefaultEvents = 8

// Options are what an explanation depends on besides the facts.
type Options struct {
	// Timing is the operator's, plan.DefaultTiming if zero: one that was started with other flags
	// takes pods into the ring sooner or later than is said.
	Timing plan.Timing
	// Events is how many events are listed, DefaultEvents if zero, none if negative.
	Events int
}

// Explain explains the cache as of now.
func Explain(f Facts, now time.Time, o Options) *Explanation {
	if o.Timing == (plan.Timing{}) {
		o.Timing = plan.DefaultTiming
	}
	if o.Events == 0 {
		o.Events = DefaultEvents
	}
	v := look(f, now, o)
	cache := v.cache
	e := &Explanation{
		Name:       cache.Name,
		Namespace:  cache.Namespace,
		Home:       cache.Home(),
		AsOf:       metav1.NewTime(now).Rfc3339Copy(),
		Replicas:   v.replicas(),
		Pods:       v.pods(),
		Drains:     v.drains(),
		Cell:       v.cell(),
		Next:       v.next(),
		Conditions: v.conditions(),
		Unreadable: f.Unread,
	}
	e.Ring = v.ring(e.Pods)
	e.Events, e.EventsLeftOut = events(f.Events, max(o.Events, 0))
	e.Verdict, e.Summary = v.verdict(e)
	e.Hints = v.hints(e)
	return e
}

// view is the world of one cache, and what the state machine makes of it.
type view struct {
	Facts
	now      time.Time
	timing   plan.Timing
	cache    *v1alpha1.DistributedCache
	state    plan.State
	plan     plan.Plan
	document *ring.Document
	// complete says that all that the state machine looks at was read.
	complete bool
}

func look(f Facts, now time.Time, o Options) *view {
	v := &view{Facts: f, now: now, timing: o.Timing, cache: f.World.Cache}
	v.state = f.World.State(now)
	v.plan = plan.Next(v.state, o.Timing)
	v.document = f.World.Document()
	v.complete = !slices.ContainsFunc([]string{"Pod", "StatefulSet", "ConfigMap", "ResourceQuota"}, v.unread)
	if v.unread("Namespace") && v.World.Cell != nil && v.World.Cell.Namespace == nil {
		v.complete = false
	}
	return v
}

func (v *view) unread(kind string) bool {
	return slices.ContainsFunc(v.Unread, func(u Unreadable) bool { return u.Kind == kind })
}

func (v *view) deleting() bool { return v.cache.DeletionTimestamp != nil }

func (v *view) member(pod string) bool {
	return v.document != nil && slices.Contains(v.document.Members, pod)
}

func (v *view) replicas() Replicas {
	r := Replicas{Wanted: v.state.Wanted, Exist: len(v.state.Pods)}
	if v.state.Set != nil {
		r.Held = v.state.Set.Replicas
	}
	for _, p := range v.state.Pods {
		if !p.Serving() {
			continue
		}
		r.Ready++
		if v.member(p.Name) {
			r.Serving++
		}
	}
	return r
}
