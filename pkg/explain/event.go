package explain

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// events are the latest ones, the newest last, those that say the same put together; and how many
// were left out.
func events(all []corev1.Event, limit int) ([]Event, int) {
	var list []Event
	for i := range all {
		e := told(&all[i])
		same := slices.IndexFunc(list, func(o Event) bool {
			return o.Type == e.Type && o.Reason == e.Reason && o.Object == e.Object && o.Message == e.Message
		})
		if same < 0 {
			list = append(list, e)
			continue
		}
		list[same].Count += e.Count
		if list[same].Last.Before(&e.Last) {
			list[same].Last = e.Last
		}
	}
	slices.SortStableFunc(list, func(a, b Event) int {
		if c := a.Last.Compare(b.Last.Time); c != 0 {
			return c
		}
		return strings.Compare(a.Object+a.Reason, b.Object+b.Reason)
	})
	left := max(len(list)-limit, 0)
	return list[left:], left
}

func told(e *corev1.Event) Event {
	return Event{
		Last: metav1.NewTime(lastSeen(e)), Type: e.Type, Reason: e.Reason,
		Object: e.InvolvedObject.Kind + "/" + e.InvolvedObject.Name, Message: strings.TrimSpace(e.Message), Count: times(e),
	}
}

// lastSeen knows both forms of events: the old one, and the one with series.
func lastSeen(e *corev1.Event) time.Time {
	candidates := []time.Time{e.LastTimestamp.Time, e.EventTime.Time, e.FirstTimestamp.Time, e.CreationTimestamp.Time}
	if e.Series != nil {
		candidates = append([]time.Time{e.Series.LastObservedTime.Time}, candidates...)
	}
	for _, at := range candidates {
		if !at.IsZero() {
			return at
		}
	}
	return time.Time{}
}

func times(e *corev1.Event) int {
	if e.Series != nil {
		return int(max(e.Series.Count, 1))
	}
	return int(max(e.Count, 1))
}
