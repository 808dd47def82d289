package explain

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/plan"
)

const (
	// silencePatience is how long the operator may take to look at a change of the cache: it may
	// be starting, or changing its leader.
	silencePatience = time.Minute
	// duePatience is how long it may take to do what is due; that takes it well under a second.
	duePatience = 15 * time.Second
)

// silence says why the operator seems not to be at work on this cache, and whether it does.
func (v *view) silence() (string, bool) {
	if seen := v.cache.Status.ObservedGeneration; seen < v.cache.Generation {
		at := v.changed()
		if at.IsZero() || v.now.Sub(at) < silencePatience {
			return "", false
		}
		if seen <= 0 {
			return fmt.Sprintf("the operator seems not to be running: it has not looked at the cache since it was created %s ago", age(v.now, at)), true
		}
		return fmt.Sprintf("the operator seems not to be running: it has not looked at the cache since it was changed %s ago (generation %d, observed %d)",
			age(v.now, at), v.cache.Generation, seen), true
	}
	due := v.due()
	if v.prevented() || due.IsZero() || v.now.Sub(due) < duePatience {
		return "", false
	}
	return fmt.Sprintf("the operator seems not to be running: what it does next has been due for %s", age(v.now, due)), true
}

// prevented reports whether the operator itself says that something keeps it from its work.
func (v *view) prevented() bool {
	c := meta.FindStatusCondition(v.cache.Status.Conditions, v1alpha1.Degraded)
	if c == nil || c.Status != metav1.ConditionTrue {
		return false
	}
	_, ofPod := stateOf[c.Reason]
	return !ofPod && c.Reason != v1alpha1.ReasonPodCreationFailed
}

// changed is when what is wanted of the cache was changed last, as the API server notes for each
// who writes; zero if it does not tell.
func (v *view) changed() time.Time {
	if at := v.cache.DeletionTimestamp; at != nil {
		return at.Time
	}
	var last time.Time
	for _, entry := range v.cache.ManagedFields {
		if entry.Subresource != "" && entry.Subresource != "scale" || entry.Manager == v1alpha1.FieldManager || entry.Time == nil {
			continue
		}
		if entry.Time.After(last) {
			last = entry.Time.Time
		}
	}
	if last.IsZero() && v.cache.Generation <= 1 {
		return v.cache.CreationTimestamp.Time
	}
	return last
}

// due is since when the next step could have been taken; zero if it is not due, or if what it
// answers to has left no time behind.
func (v *view) due() time.Time {
	if !v.complete {
		return time.Time{}
	}
	switch v.plan.Step {
	case plan.StepPublish:
		return v.publicationDue()
	case plan.StepShrink, plan.StepRelease:
		last := v.changed()
		for _, d := range v.state.Ledger {
			if end := v.until(d); !d.Since.IsZero() && end.After(last) && !end.After(v.now) {
				last = end
			}
		}
		return last
	default:
		return time.Time{}
	}
}

// publicationDue is when the youngest of the changes that the next ring brings came about, or the
// ring or the cache was changed since. A ring that is lost does not tell when that was.
func (v *view) publicationDue() time.Time {
	if v.document == nil && v.state.HighWater > 0 {
		return time.Time{}
	}
	in, out := v.changes()
	changed := map[string]bool{}
	for _, name := range append(in, out...) {
		changed[name] = true
	}
	last := v.changed()
	if v.World.Ring != nil {
		for _, entry := range v.World.Ring.ManagedFields {
			if entry.Time != nil && entry.Time.After(last) {
				last = entry.Time.Time
			}
		}
	}
	for i, p := range v.state.Pods {
		if !changed[p.Name] {
			continue
		}
		at := p.ReadySince
		switch pod := &v.World.Pods[i]; {
		case p.Terminating && pod.DeletionGracePeriodSeconds != nil:
			at = p.Ends.Add(-time.Duration(*pod.DeletionGracePeriodSeconds) * time.Second)
		case p.Serving() && v.document != nil:
			at = at.Add(v.timing.JoinDelay + v.timing.JoinWindow)
		}
		if at.After(last) {
			last = at
		}
	}
	return last
}
