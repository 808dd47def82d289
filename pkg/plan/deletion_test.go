package plan_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sk1-services/distributed-cache/pkg/plan"
)

func TestDeletion(t *testing.T) {
	deleted := func(now float64) plan.State {
		s := shrinking(now)
		s.Wanted, s.Deleted, s.Set, s.Pods = 2, at(20), set(2), told(ready(0, 0, 1))
		s.Ring = doc(1, 0, 1)
		return s
	}
	for _, tc := range []struct {
		name string
		from func() plan.State
		want plan.Plan
	}{
		{
			"without our finalizer it is the garbage collector's",
			func() plan.State { s := deleted(20); s.Held = false; return s },
			plan.Plan{Step: plan.StepDelete},
		},
		{
			"the ring is emptied first",
			func() plan.State { return deleted(20) },
			plan.Plan{Step: plan.StepRetire, Ring: doc(2), Ledger: plan.Ledger{drain(0, 0, false), drain(1, 0, false)}, Confirm: true},
		},
		{
			"then the grace passes, and the pods are told",
			func() plan.State {
				s := deleted(22)
				s.Ring, s.HighWater, s.Ledger = doc(2), 2, plan.Ledger{drain(0, 21, false), drain(1, 21, false)}
				return s
			},
			plan.Plan{
				Step: plan.StepRetire, Ring: doc(2), Ledger: plan.Ledger{drain(0, 21, false), drain(1, 21, false)},
				Marks: []plan.Mark{{Pod: name(0), Since: at(21), Grace: grace}, {Pod: name(1), Since: at(21), Grace: grace}}, Wake: 9 * time.Second,
			},
		},
		{
			"then the finalizer goes",
			func() plan.State {
				s := deleted(31)
				s.Ring, s.HighWater, s.Ledger = doc(2), 2, plan.Ledger{drain(0, 21, false), drain(1, 21, false)}
				return s
			},
			plan.Plan{Step: plan.StepRelease, Release: true, Confirm: true},
		},
		{
			"a paused cache is deleted all the same",
			func() plan.State { s := deleted(20); s.Paused = true; return s },
			plan.Plan{Step: plan.StepRetire, Ring: doc(2), Ledger: plan.Ledger{drain(0, 0, false), drain(1, 0, false)}, Confirm: true},
		},
		{
			"nothing to drain goes at once",
			func() plan.State { s := deleted(20); s.Ring, s.HighWater = nil, 0; return s },
			plan.Plan{Step: plan.StepRelease, Release: true, Confirm: true},
		},
		{
			"orphans go on serving",
			func() plan.State { s := deleted(20); s.Orphaned = true; return s },
			plan.Plan{Step: plan.StepRelease, Release: true, Confirm: true},
		},
		{
			"a ring that is gone is not made again; the grace counts from the deletion",
			func() plan.State { s := deleted(25); s.Ring = nil; return s },
			plan.Plan{Step: plan.StepRetire, Wake: 6 * time.Second},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, plan.Next(tc.from(), timing), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
