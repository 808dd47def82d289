//go:build integration

package faults

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/test/faults/proxy"
)

// refuseRing is C9: while the ring is refused with 409, nobody is told that it stands; it is made
// anew, and then it does.
func (l *lab) refuseRing(t *testing.T) {
	const refusals = 3
	for _, w := range []workload{growth, shrink} {
		t.Run(w.name, func(t *testing.T) {
			r := l.reference(t, w)
			c := l.prepare(t, w, 1)[0]
			armed := l.proxy.Arm(c.Namespace, proxy.Rule{Match: ringWrite, Times: refusals, Code: http.StatusConflict})
			defer l.proxy.Disarm(armed)
			w.act(t, l, c)
			l.expect(t, c, r, armed)
			if armed.Hits() != refusals {
				t.Fatalf("voided run: %d of %d writes came", armed.Hits(), refusals)
			}
			l.expectNoClaim(t, c)
		})
	}
	l.tally.add(row{workload: "C9 ring refused", runs: 2})
}

// expectNoClaim fails if success was told of between the first ring that was refused and the one
// that was written at last.
func (l *lab) expectNoClaim(t *testing.T, c tenant) {
	t.Helper()
	var refused, written time.Time
	var claims []string
	version := l.ring(t, c).Version
	for _, w := range l.proxy.Writes(c.Namespace) {
		switch {
		case ringWrite(w) && w.Code == 0 && refused.IsZero():
			refused = w.At
		case ringWrite(w) && w.Code == http.StatusOK && written.IsZero():
			written = w.At
		case w.Subresource == "status" && !refused.IsZero() && written.IsZero():
			object := v1alpha1.DistributedCache{}
			check(t, json.Unmarshal(w.Body, &object))
			if what := claim(object.Status, version); what != "" {
				claims = append(claims, fmt.Sprintf("%s: %s", w, what))
			}
		}
	}
	if refused.IsZero() || !written.After(refused) {
		t.Fatalf("voided run: no ring was written after one was refused\n%s", l.tell(c))
	}
	events := eventsv1.EventList{}
	check(t, l.k8s.List(t.Context(), &events, client.InNamespace(c.Namespace)))
	for _, e := range events.Items {
		at := e.EventTime.Time
		if e.Regarding.Kind == v1alpha1.Kind && e.Type == corev1.EventTypeNormal && at.After(refused) && at.Before(written) {
			claims = append(claims, fmt.Sprintf("event %s %s: %s", at.Format("15:04:05.000"), e.Reason, e.Note))
		}
	}
	if len(claims) > 0 {
		t.Errorf("success is told of while the ring is refused: %q\n%s", claims, l.tell(c))
	}
}

// claim is what a status says that is not so before a ring of the version stands.
func claim(s v1alpha1.DistributedCacheStatus, version int64) string {
	switch {
	case s.RingVersion >= version:
		return fmt.Sprintf("ring version %d is published", s.RingVersion)
	case s.Drain != nil:
		return "a drain has begun"
	case meta.IsStatusConditionTrue(s.Conditions, v1alpha1.Ready):
		return "the cache is Ready"
	case meta.IsStatusConditionFalse(s.Conditions, v1alpha1.Progressing):
		return "nothing is left to do"
	}
	return ""
}
