package observe

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/plan"
)

func managed(manager string, operation metav1.ManagedFieldsOperationType, subresource string, second int) metav1.ManagedFieldsEntry {
	at := metav1.NewTime(epoch.Add(time.Duration(second) * time.Second))
	return metav1.ManagedFieldsEntry{Manager: manager, Operation: operation, Subresource: subresource, Time: &at}
}

// An entry without a time is as old as our own last write, which the API server notes in whole
// seconds cut off: so it is late by a second and never early.
func TestLedger(t *testing.T) {
	const ours = v1alpha1.FieldManager
	noted := []metav1.ManagedFieldsEntry{
		managed("kubectl", metav1.ManagedFieldsOperationApply, "", 50),
		managed(ours, metav1.ManagedFieldsOperationUpdate, "", 51),
		managed(ours, metav1.ManagedFieldsOperationApply, "status", 52),
		managed(ours, metav1.ManagedFieldsOperationApply, "", 9),
		managed("kubectl", metav1.ManagedFieldsOperationUpdate, "", 53),
	}
	timeless := metav1.ManagedFieldsEntry{Manager: ours, Operation: metav1.ManagedFieldsOperationApply}
	pinned := time.Date(2026, 1, 1, 11, 0, 0, 0, time.UTC)
	for _, tc := range []struct {
		name    string
		text    string
		managed []metav1.ManagedFieldsEntry
		want    plan.Ledger
	}{
		{"none", "", noted, nil},
		{"an entry with a time", `[{"ordinal":2,"since":"2026-01-01T11:00:00Z"}]`, noted, plan.Ledger{{Ordinal: 2, Since: pinned, Pinned: true}}},
		{"an entry as old as our write", `[{"ordinal":2}]`, noted, plan.Ledger{{Ordinal: 2, Since: epoch.Add(10 * time.Second)}}},
		{"an entry whose note was erased", `[{"ordinal":2}]`, nil, plan.Ledger{{Ordinal: 2}}},
		{"an entry whose note has no time", `[{"ordinal":2}]`, []metav1.ManagedFieldsEntry{timeless}, plan.Ledger{{Ordinal: 2}}},
		{"no JSON, so all drains begin anew", `[{"ordinal"`, noted, nil},
		{"no time, so all drains begin anew", `[{"ordinal":2,"since":"soon"}]`, noted, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := &World{Cache: newCache(), Ring: newRing(ringText)}
			w.Ring.Data[v1alpha1.LedgerKey], w.Ring.ManagedFields = tc.text, tc.managed
			if diff := cmp.Diff(tc.want, w.State(epoch).Ledger); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestALedgerWithoutItsRingIsNone(t *testing.T) {
	w := &World{Cache: newCache(), Ring: newRing("{")}
	w.Ring.Data[v1alpha1.LedgerKey] = `[{"ordinal":2,"since":"2026-01-01T11:00:00Z"}]`
	if got := w.State(epoch).Ledger; got != nil {
		t.Errorf("got %v", got)
	}
}

func TestMarksOfPods(t *testing.T) {
	for name, tc := range map[string]struct {
		since, grace string
		marked       time.Time
		told         time.Duration
	}{
		"none":                {"", "", time.Time{}, -1},
		"both":                {"2026-01-01T12:00:00Z", "30", epoch, 30 * time.Second},
		"no grace":            {"", "0", time.Time{}, 0},
		"what cannot be read": {"yesterday", "long", time.Time{}, -1},
	} {
		p := newPod("orders-cache-0")
		p.Annotations = map[string]string{v1alpha1.DrainingSinceAnnotation: tc.since, v1alpha1.DrainGraceAnnotation: tc.grace}
		if at, grace := marked(p), toldGrace(p); !at.Equal(tc.marked) || grace != tc.told {
			t.Errorf("%s: %v, %v", name, at, grace)
		}
	}
}
