//go:build integration

package history

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/readiness"
	"github.com/sk1-services/distributed-cache/pkg/ring"
)

// Fewest gives the fewest members that the ring of a cache had, and the fewest of its pods that
// served, at any instant after since.
func Fewest(events []Event, since time.Time) (members, serving int) {
	const all = 1 << 30
	members, serving = all, all
	now, up := all, map[string]bool{}
	for _, e := range events {
		switch object := e.Object.(type) {
		case *corev1.ConfigMap:
			document, err := ring.Decode([]byte(object.Data[v1alpha1.RingKey]))
			if now = len(document.Members); err != nil || e.Gone {
				now = 0
			}
		case *corev1.Pod:
			delete(up, object.Name)
			if !e.Gone && readiness.Ready(object) && object.DeletionTimestamp == nil {
				up[object.Name] = true
			}
		}
		if e.Seen.After(since) {
			members, serving = min(members, now), min(serving, len(up))
		}
	}
	return members, serving
}
