package plan_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sk1-services/distributed-cache/pkg/plan"
)

const grace = 10 * time.Second

// drain is an entry of the ledger; since 0 is one that has no time yet.
func drain(ordinal int, since float64, pinned bool) plan.Drain {
	d := plan.Drain{Ordinal: ordinal, Pinned: pinned}
	if since > 0 {
		d.Since = at(since)
	}
	return d
}

// shrinking is a cache of five of which three are wanted.
func shrinking(now float64) plan.State {
	return plan.State{
		Now: at(now), Wanted: 3, Grace: grace, Held: true, HighWater: 1, Ring: doc(1, 0, 1, 2, 3, 4), Set: set(5),
		Pods: told(ready(0, 0, 1, 2, 3, 4)),
	}
}

// told are pods that know the grace.
func told(pods []plan.Pod) []plan.Pod {
	for i := range pods {
		pods[i].Grace = grace
	}
	return pods
}

func TestDrain(t *testing.T) {
	for _, tc := range []struct {
		name string
		from func() plan.State
		want plan.Plan
	}{
		{
			"who is not wanted leaves the ring, the ledger says so in the same write, and no pod goes",
			func() plan.State { return shrinking(20) },
			plan.Plan{Step: plan.StepPublish, Replicas: 5, Ring: doc(2, 0, 1, 2), Ledger: plan.Ledger{drain(3, 0, false), drain(4, 0, false)}, Confirm: true},
		},
		{
			"the pods are marked after the ring is stored, and the size is held for the grace",
			func() plan.State {
				s := shrinking(22)
				s.HighWater, s.Ring = 2, doc(2, 0, 1, 2)
				s.Ledger = plan.Ledger{drain(3, 21, false), drain(4, 21, false)}
				return s
			},
			plan.Plan{
				Step: plan.StepDrain, Replicas: 5, Ring: doc(2, 0, 1, 2), Ledger: plan.Ledger{drain(3, 21, false), drain(4, 21, false)},
				Marks: []plan.Mark{{Pod: name(3), Since: at(21), Grace: grace}, {Pod: name(4), Since: at(21), Grace: grace}}, Wake: 9 * time.Second,
			},
		},
		{
			"the set shrinks when the grace is over",
			func() plan.State {
				s := shrinking(31)
				s.HighWater, s.Ring = 2, doc(2, 0, 1, 2)
				s.Ledger = plan.Ledger{drain(3, 21, false), drain(4, 21, false)}
				s.Pods[3].Marked, s.Pods[4].Marked = at(21), at(21)
				return s
			},
			plan.Plan{Step: plan.StepShrink, Replicas: 3, Ring: doc(2, 0, 1, 2), Ledger: plan.Ledger{drain(3, 21, false), drain(4, 21, false)}, Confirm: true},
		},
		{
			"each pod has its own clock",
			func() plan.State {
				s := shrinking(31)
				s.HighWater, s.Ring = 3, doc(3, 0, 1, 2)
				s.Ledger = plan.Ledger{drain(3, 25, false), drain(4, 21, true)}
				s.Pods[3].Marked, s.Pods[4].Marked = at(25), at(21)
				return s
			},
			plan.Plan{Step: plan.StepShrink, Replicas: 4, Ring: doc(3, 0, 1, 2), Ledger: plan.Ledger{drain(3, 25, false), drain(4, 21, true)}, Confirm: true, Wake: 4 * time.Second},
		},
		{
			"D1 a change of mind cancels: back in the ring and out of the ledger in one version",
			func() plan.State {
				s := shrinking(25)
				s.Wanted, s.HighWater, s.Ring = 5, 2, doc(2, 0, 1, 2)
				s.Ledger = plan.Ledger{drain(3, 21, false), drain(4, 21, false)}
				s.Pods[3].Marked, s.Pods[4].Marked = at(21), at(21)
				return s
			},
			plan.Plan{
				Step: plan.StepPublish, Replicas: 5, Ring: doc(3, 0, 1, 2, 3, 4),
				Confirm: true, Wake: 6 * time.Second,
			},
		},
		{
			"D1 the marks come off after that",
			func() plan.State {
				s := shrinking(26)
				s.Wanted, s.HighWater, s.Ring = 5, 3, doc(3, 0, 1, 2, 3, 4)
				s.Pods[3].Marked = at(21)
				return s
			},
			plan.Plan{Step: plan.StepSettle, Replicas: 5, Ring: doc(3, 0, 1, 2, 3, 4), Marks: []plan.Mark{{Pod: name(3), Grace: grace}}},
		},
		{
			"an entry that has no time of its own is given one when something else is written",
			func() plan.State {
				s := shrinking(25)
				s.Wanted, s.HighWater, s.Ring = 2, 2, doc(2, 0, 1, 2)
				s.Ledger = plan.Ledger{drain(3, 21, false), drain(4, 21, false)}
				s.Pods[3].Marked, s.Pods[4].Marked = at(21), at(21)
				return s
			},
			plan.Plan{
				Step: plan.StepPublish, Replicas: 5, Ring: doc(3, 0, 1),
				Ledger:  plan.Ledger{drain(2, 0, false), drain(3, 21, true), drain(4, 21, true)},
				Confirm: true, Wake: 6 * time.Second,
			},
		},
		{
			"an entry whose record somebody erased starts anew",
			func() plan.State {
				s := shrinking(25)
				s.HighWater, s.Ring = 2, doc(2, 0, 1, 2)
				s.Ledger = plan.Ledger{drain(3, 0, false), drain(4, 21, true)}
				s.Pods[4].Marked = at(21)
				return s
			},
			plan.Plan{
				Step: plan.StepPublish, Replicas: 5, Ring: doc(2, 0, 1, 2),
				Ledger: plan.Ledger{drain(3, 26, true), drain(4, 21, true)}, Wake: 6 * time.Second,
			},
		},
		{
			"a doomed pod that was recreated stays out and keeps its clock",
			func() plan.State {
				s := shrinking(29)
				s.HighWater, s.Ring = 2, doc(2, 0, 1, 2)
				s.Ledger = plan.Ledger{drain(3, 21, false), drain(4, 21, false)}
				s.Pods[3].Marked = at(21)
				s.Pods[4].ReadySince = at(23)
				return s
			},
			plan.Plan{
				Step: plan.StepDrain, Replicas: 5, Ring: doc(2, 0, 1, 2), Ledger: plan.Ledger{drain(3, 21, false), drain(4, 21, false)},
				Marks: []plan.Mark{{Pod: name(4), Since: at(21), Grace: grace}}, Wake: 2 * time.Second,
			},
		},
		{
			"the ledger is cleared when the set has shrunk, and the version stays",
			func() plan.State {
				s := shrinking(32)
				s.Set = set(3)
				s.HighWater, s.Ring = 2, doc(2, 0, 1, 2)
				s.Ledger = plan.Ledger{drain(3, 21, false), drain(4, 21, false)}
				s.Pods[3].Terminating, s.Pods[4].Terminating = true, true
				return s
			},
			plan.Plan{Step: plan.StepPublish, Replicas: 3, Ring: doc(2, 0, 1, 2)},
		},
		{
			"who is not wanted stays while nobody else serves",
			func() plan.State {
				s := shrinking(25)
				s.Pods[0].Ready, s.Pods[1].Ready, s.Pods[2].Ready = false, false, false
				return s
			},
			plan.Plan{Step: plan.StepDrain, Replicas: 5, Ring: doc(1, 0, 1, 2, 3, 4)},
		},
		{
			"without a grace the set shrinks as soon as the ring is stored",
			func() plan.State {
				s := shrinking(22)
				s.Grace, s.HighWater, s.Ring = 0, 2, doc(2, 0, 1, 2)
				s.Ledger = plan.Ledger{drain(3, 23, false), drain(4, 23, false)}
				s.Pods = nil
				return s
			},
			plan.Plan{Step: plan.StepShrink, Replicas: 3, Ring: doc(2, 0, 1, 2), Ledger: plan.Ledger{drain(3, 23, false), drain(4, 23, false)}, Confirm: true},
		},
		{
			"a cache that never had a ring shrinks at once",
			func() plan.State {
				return plan.State{Now: at(5), Wanted: 1, Grace: grace, Held: true, Set: set(3)}
			},
			plan.Plan{Step: plan.StepBootstrap, Replicas: 1, Confirm: true},
		},
		{
			"a deleted StatefulSet comes back no smaller than the pods it left",
			func() plan.State {
				s := shrinking(25)
				s.HighWater, s.Ring, s.Set = 2, doc(2, 0, 1, 2), nil
				s.Ledger = plan.Ledger{drain(3, 21, false), drain(4, 21, false)}
				s.Pods[3].Marked, s.Pods[4].Marked = at(21), at(21)
				return s
			},
			plan.Plan{Step: plan.StepDrain, Replicas: 5, Ring: doc(2, 0, 1, 2), Ledger: plan.Ledger{drain(3, 21, false), drain(4, 21, false)}, Wake: 6 * time.Second},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.want.Partition, tc.want.Workload = plan.GateClosed, true
			tc.want.Confirm = tc.want.Confirm || tc.want.Step == plan.StepPublish
			if diff := cmp.Diff(tc.want, plan.Next(tc.from(), timing), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
