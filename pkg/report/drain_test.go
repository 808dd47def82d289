package report

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/apply"
)

// The status lists who left the ring for good, as far as the stored ledger knows since when.
func TestStatusListsTheDrain(t *testing.T) {
	since, until := metav1.NewTime(epoch), metav1.NewTime(epoch.Add(45*time.Second))
	for _, tc := range []struct {
		name   string
		ledger string
		want   *v1alpha1.DrainStatus
	}{
		{"none", "", nil},
		{"a pod whose time is not known yet", `[{"ordinal":1}]`, nil},
		{
			"two pods", `[{"ordinal":1,"since":"2026-01-01T12:00:00Z"},{"ordinal":2,"since":"2026-01-01T12:00:00Z"}]`,
			&v1alpha1.DrainStatus{Pods: []v1alpha1.DrainingPod{
				{Name: "orders-cache-1", Since: since, Until: until}, {Name: "orders-cache-2", Since: since, Until: until},
			}},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o, s := settledOutcome(3), &scribe{}
			cache := o.World.Cache
			cache.Spec.Replicas, cache.Spec.Drain.GracePeriodSeconds = new(int32(1)), new(int32(45))
			cache.Status.Drain = &v1alpha1.DrainStatus{Pods: []v1alpha1.DrainingPod{{Name: "old"}}}
			o.World.Ring.Data[v1alpha1.LedgerKey] = tc.ledger
			o.Plan.Ledger = o.World.State(o.Now).Ledger
			if diff := cmp.Diff(tc.want, Status(o).Drain); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if err := s.reporter().Report(t.Context(), o); err != nil || len(s.writes) != 1 {
				t.Fatalf("got %v and %d writes", err, len(s.writes))
			}
			if diff := cmp.Diff(tc.want, s.writes[0].Status.Drain); diff != "" {
				t.Errorf("-want +written:\n%s", diff)
			}
		})
	}
}

// What a pass strikes off is not listed beside conditions that say all is as wanted; while striking
// it off fails, it is listed and the cache is not settled.
func TestStatusOfAPassThatStrikesOff(t *testing.T) {
	for _, tc := range []struct {
		name     string
		err      error
		listed   bool
		progress string
	}{
		{"struck off", nil, false, v1alpha1.ReasonReconciled},
		{"refused", errors.New("no"), true, v1alpha1.ReasonDraining},
	} {
		o := settledOutcome(3)
		o.World.Ring.Data[v1alpha1.LedgerKey] = `[{"ordinal":3,"since":"2026-01-01T12:00:00Z"}]`
		o.Results = []apply.Result{o.Results[0], o.Results[1], {Kind: "ConfigMap", Action: apply.Updated, Existed: true, Err: tc.err}}
		status := Status(o)
		if listed := status.Drain != nil; listed != tc.listed {
			t.Errorf("%s: drain %+v", tc.name, status.Drain)
		}
		if got := meta.FindStatusCondition(status.Conditions, v1alpha1.Progressing).Reason; got != tc.progress {
			t.Errorf("%s: Progressing is %s", tc.name, got)
		}
	}
}

// A pass that put the finalizer on or off says nothing: the next one does, or the cache is gone.
func TestReportAndTheFinalizer(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(*Outcome)
		writes int
	}{
		{"put on", func(o *Outcome) { o.Plan.Claim = true }, 0},
		{"taken off", func(o *Outcome) { o.Plan.Release = true }, 0},
		{"not put on, for it was refused", func(o *Outcome) { o.Plan.Claim, o.Hold = true, errors.New("no rights") }, 1},
		{"not taken off, for it was refused", func(o *Outcome) { o.Plan.Release, o.Hold = true, errors.New("no rights") }, 1},
	} {
		o, s := settledOutcome(3), &scribe{}
		tc.change(&o)
		if err := s.reporter().Report(t.Context(), o); err != nil || len(s.writes) != tc.writes {
			t.Errorf("%s: %v, told %q", tc.name, err, s.told)
		}
	}
}

func TestGone(t *testing.T) {
	for name, tc := range map[string]struct {
		outcome Outcome
		want    bool
	}{
		"a cache that was read":     {settledOutcome(3), false},
		"a cache that is no more":   {Outcome{}, true},
		"a cache that is not known": {Outcome{Err: errors.New("no rights")}, false},
	} {
		if got := tc.outcome.Gone(); got != tc.want {
			t.Errorf("%s: got %t", name, got)
		}
	}
}
