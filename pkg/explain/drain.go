package explain

import (
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/plan"
)

// drains are the pods in the ledger beside the ring; those that the status lists if the ring could
// not be read.
func (v *view) drains() []Drain {
	if v.unread("ConfigMap") {
		return v.recordedDrains()
	}
	var list []Drain
	for _, d := range v.state.Ledger {
		drain := Drain{Pod: v1alpha1.PodName(v.cache.Name, d.Ordinal), LeftSeconds: seconds(v.state.Grace)}
		if !d.Since.IsZero() {
			since, until := metav1.NewTime(d.Since), metav1.NewTime(v.until(d))
			drain.Since, drain.Until, drain.LeftSeconds = &since, &until, seconds(until.Sub(v.now))
		}
		list = append(list, drain)
	}
	return list
}

func (v *view) recordedDrains() []Drain {
	var list []Drain
	if status := v.cache.Status.Drain; status != nil {
		for i := range status.Pods {
			p := &status.Pods[i]
			list = append(list, Drain{Pod: p.Name, Since: &p.Since, Until: &p.Until, LeftSeconds: seconds(p.Until.Sub(v.now))})
		}
	}
	return list
}

// until is when the grace of an entry of the ledger ends.
func (v *view) until(d plan.Drain) time.Time { return d.Since.Add(v.state.Grace) }

func (v *view) entry(ordinal int) (plan.Drain, bool) {
	i := slices.IndexFunc(v.state.Ledger, func(d plan.Drain) bool { return d.Ordinal == ordinal })
	if i < 0 {
		return plan.Drain{}, false
	}
	return v.state.Ledger[i], true
}

// draining says how far a pod is that is not wanted any more.
func (v *view) draining(p plan.Pod) string {
	d, known := v.entry(p.Ordinal)
	why := "is not wanted any more"
	if v.deleting() {
		why = "goes with the cache"
	}
	switch {
	case v.member(p.Name) && v.cache.Spec.Paused && !v.deleting():
		return why + "; spec.paused is true, and the ring stands still"
	case v.member(p.Name):
		return why + "; leaves the ring next"
	case v.document == nil:
		return why
	case !known || d.Since.IsZero():
		return why + "; its grace begins"
	case v.until(d).After(v.now):
		return fmt.Sprintf("left the ring, and serves on for %s", span(v.until(d).Sub(v.now)))
	default:
		return "left the ring, and its grace is over: goes next"
	}
}
