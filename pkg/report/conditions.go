package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
)

// verdict is one condition without its times.
type verdict struct {
	status  metav1.ConditionStatus
	reason  string
	message string
	// stalled says that only a change by the user helps.
	stalled bool
}

func yes(reason, format string, args ...any) verdict {
	return verdict{status: metav1.ConditionTrue, reason: reason, message: fmt.Sprintf(format, args...)}
}

func no(reason, format string, args ...any) verdict {
	return verdict{status: metav1.ConditionFalse, reason: reason, message: fmt.Sprintf(format, args...)}
}

func unknown(reason, format string, args ...any) verdict {
	return verdict{status: metav1.ConditionUnknown, reason: reason, message: fmt.Sprintf(format, args...)}
}

func (v verdict) stall() verdict {
	v.stalled = true
	return v
}

// conditions are the conditions that the outcome calls for; one whose status stays keeps its
// transition time.
func conditions(o Outcome) []metav1.Condition {
	verdicts := map[string]verdict{
		v1alpha1.Available:      available(o),
		v1alpha1.Progressing:    progressing(o),
		v1alpha1.Degraded:       degraded(o),
		v1alpha1.TenantIsolated: isolated(o),
	}
	summarise(verdicts)

	var list []metav1.Condition
	for _, kind := range slices.Sorted(maps.Keys(verdicts)) {
		v := verdicts[kind]
		c := metav1.Condition{
			Type:               kind,
			Status:             v.status,
			Reason:             v.reason,
			Message:            limit(v.message, maxMessage),
			ObservedGeneration: o.World.Cache.Generation,
			LastTransitionTime: metav1.NewTime(o.Now).Rfc3339Copy(),
		}
		if old := meta.FindStatusCondition(o.World.Cache.Status.Conditions, kind); old != nil && old.Status == c.Status {
			c.LastTransitionTime = old.LastTransitionTime
		}
		list = append(list, c)
	}
	return list
}

// summarise adds what sums up the four conditions of the product: Ready always, and at most one
// of Stalled and Reconciling, since kstatus takes the first that it meets.
func summarise(verdicts map[string]verdict) {
	available, progressing, degraded := verdicts[v1alpha1.Available], verdicts[v1alpha1.Progressing], verdicts[v1alpha1.Degraded]
	isolated := verdicts[v1alpha1.TenantIsolated]
	ready := yes(v1alpha1.ReasonReconciled, "%s", available.message)
	switch {
	case degraded.status == metav1.ConditionTrue:
		ready = no(degraded.reason, "%s", degraded.message)
	case progressing.stalled || progressing.status != metav1.ConditionFalse || progressing.reason == v1alpha1.ReasonPaused:
		ready = no(progressing.reason, "%s", progressing.message)
	case available.status == metav1.ConditionFalse && available.reason != v1alpha1.ReasonScaledToZero:
		ready = no(available.reason, "%s", available.message)
	case isolated.status != metav1.ConditionTrue && isolated.reason != v1alpha1.ReasonNotRequested:
		ready = no(isolated.reason, "%s", isolated.message)
	}
	verdicts[v1alpha1.Ready] = ready
	for _, v := range []verdict{degraded, progressing} {
		if v.stalled {
			verdicts[v1alpha1.Stalled] = yes(v.reason, "%s", v.message)
			return
		}
	}
	if progressing.status == metav1.ConditionTrue {
		verdicts[v1alpha1.Reconciling] = progressing
	}
}

// maxMessage is what the API allows in a condition.
const maxMessage = 32 << 10

// maxNote is what the API allows in an event.
const maxNote = 1024

func limit(text string, bytes int) string {
	if len(text) > bytes {
		return strings.ToValidUTF8(text[:bytes-3], "") + "..."
	}
	return text
}
