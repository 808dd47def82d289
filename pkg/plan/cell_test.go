package plan_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sk1-services/distributed-cache/pkg/plan"
)

// perPod is the memory of a pod in these tests, ample a quota that is large enough.
const perPod = 100

var ample = plan.Quota{Pods: 100, Memory: 100_000}

// cell is a cell that stands under a quota.
func cell(inForce plan.Quota) *plan.Cell {
	return &plan.Cell{Standing: true, Memory: perPod, InForce: inForce, Readers: []string{"web"}}
}

// fence is what stands around n pods of the usual memory, fenceOf around n pods of another.
func fence(n int) *plan.Fence { return fenceOf(n, perPod) }

func fenceOf(n int, memory int64) *plan.Fence {
	return &plan.Fence{Quota: plan.Quota{Pods: n + 1, Memory: int64(n) * memory * 5 / 4}, Readers: []string{"web"}}
}

// isolated is a settled isolated cache of two, with changes.
func isolated(changes ...func(*plan.State)) plan.State {
	s := plan.State{
		Now: at(50), Wanted: 2, Grace: grace, Held: true, HighWater: 1, Ring: doc(1, 0, 1), Set: set(2),
		Pods: told(ready(0, 0, 1)), Cell: cell(ample),
	}
	for _, change := range changes {
		change(&s)
	}
	return s
}

func quotaInForce(n int) func(*plan.State) {
	return func(s *plan.State) { s.Cell.InForce = fence(n).Quota }
}

func wants(n int) func(*plan.State) { return func(s *plan.State) { s.Wanted = n } }

// unborn is a cache that nothing was made for yet.
func unborn(s *plan.State) { s.HighWater, s.Ring, s.Set, s.Pods = 0, nil, nil, nil }

func notHere(s *plan.State) { s.Cell = &plan.Cell{Memory: perPod, Readers: []string{"web"}} }

func foreign(s *plan.State) { s.Cell = &plan.Cell{Foreign: true, Memory: perPod} }

func going(s *plan.State) { s.Cell.Going = true }

func paused(s *plan.State) { s.Paused = true }

func TestIsolated(t *testing.T) {
	for _, tc := range []struct {
		name  string
		state plan.State
		want  plan.Plan
	}{
		{
			"a new cache gets its fence and no pods", isolated(unborn, notHere),
			plan.Plan{Step: plan.StepBootstrap, Fence: fence(2), Replicas: 2},
		},
		{
			"no pods before its quota was seen", isolated(unborn, quotaInForce(-1)),
			plan.Plan{Step: plan.StepBootstrap, Fence: fence(2), Replicas: 2},
		},
		{
			"pods when the quota is in force", isolated(unborn, quotaInForce(2)),
			plan.Plan{Step: plan.StepBootstrap, Fence: fence(2), Workload: true, Replicas: 2},
		},
		{
			"settled", isolated(quotaInForce(2)),
			plan.Plan{Step: plan.StepSettle, Fence: fence(2), Workload: true, Replicas: 2, Ring: doc(1, 0, 1)},
		},
		{
			"growth waits for a larger quota, and older wishes are overruled", isolated(quotaInForce(2), wants(4)),
			plan.Plan{Step: plan.StepFence, Fence: fence(4), Workload: true, Replicas: 2, Ring: doc(1, 0, 1)},
		},
		{
			"growth under a larger quota", isolated(quotaInForce(4), wants(4)),
			plan.Plan{Step: plan.StepGrow, Fence: fence(4), Workload: true, Replicas: 4, Ring: doc(1, 0, 1)},
		},
		{
			"a quota that is larger than needed holds nobody up", isolated(quotaInForce(4)),
			plan.Plan{Step: plan.StepSettle, Fence: fence(2), Workload: true, Replicas: 2, Ring: doc(1, 0, 1)},
		},
		{
			"pods enough and memory short", isolated(func(s *plan.State) { s.Cell.InForce = plan.Quota{Pods: 3, Memory: 249} }),
			plan.Plan{Step: plan.StepFence, Fence: fence(2), Workload: true, Replicas: 2, Ring: doc(1, 0, 1)},
		},
		{
			"memory enough and pods short", isolated(func(s *plan.State) { s.Cell.InForce = plan.Quota{Pods: 2, Memory: 250} }),
			plan.Plan{Step: plan.StepFence, Fence: fence(2), Workload: true, Replicas: 2, Ring: doc(1, 0, 1)},
		},
		{
			"a member that died leaves the ring, though the quota is short",
			isolated(quotaInForce(1), func(s *plan.State) { s.Pods[1].Ready = false }),
			plan.Plan{Step: plan.StepPublish, Fence: fence(2), Workload: true, Replicas: 2, Ring: doc(2, 0), Confirm: true},
		},
		{
			"the quota holds the larger pods that are left", isolated(func(s *plan.State) { s.Pods[0].Memory = 200 }),
			plan.Plan{Step: plan.StepSettle, Fence: fenceOf(2, 200), Workload: true, Replicas: 2, Ring: doc(1, 0, 1)},
		},
		{
			"and a pod that is yet to go", isolated(func(s *plan.State) { s.Pods = append(s.Pods, told([]plan.Pod{terminating(4)})...) }),
			plan.Plan{Step: plan.StepSettle, Fence: fence(5), Workload: true, Replicas: 2, Ring: doc(1, 0, 1)},
		},
		{"a name of somebody else is left alone", isolated(unborn, foreign), plan.Plan{Step: plan.StepRefuse}},
		{"also by a cache that had pods", isolated(foreign), plan.Plan{Step: plan.StepRefuse}},
		{"a cell that somebody deleted is waited for", isolated(going), plan.Plan{Step: plan.StepRebuild}},
		{
			"and made anew when it is gone", isolated(unborn, notHere, func(s *plan.State) { s.HighWater = 1 }),
			plan.Plan{Step: plan.StepBootstrap, Fence: fence(2), Replicas: 2},
		},
		{"a paused cache's cell is left alone", isolated(paused), plan.Plan{Step: plan.StepPause}},
		{"a paused cache's is, too, when it goes", isolated(going, paused), plan.Plan{Step: plan.StepPause}},
		{
			"the finalizer goes on before the cell is made", isolated(unborn, notHere, func(s *plan.State) { s.Held = false }),
			plan.Plan{Step: plan.StepBootstrap, Claim: true, Fence: fence(2), Replicas: 2},
		},
		{
			"nobody is replaced under a short quota", isolated(quotaInForce(1), func(s *plan.State) { s.Set.Rolling = true }),
			plan.Plan{Step: plan.StepFence, Fence: fence(2), Workload: true, Replicas: 2, Ring: doc(1, 0, 1)},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if tc.want.Fence != nil {
				tc.want.Partition = plan.GateClosed
			}
			if diff := cmp.Diff(tc.want, plan.Next(tc.state, timing), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// drained is a deleted cache of two whose ring is empty and whose grace is over.
func drained(s *plan.State) {
	s.Deleted, s.Ring, s.HighWater = at(20), doc(2), 2
	s.Ledger = plan.Ledger{drain(0, 21, false), drain(1, 21, false)}
}

// emptied is a StatefulSet of none, of which pods that are still there terminate until the second.
func emptied(ends float64, pods ...int) func(*plan.State) {
	return func(s *plan.State) {
		s.Set, s.Pods = set(0), nil
		for _, ordinal := range pods {
			p := terminating(ordinal)
			p.Ends = at(ends)
			s.Pods = append(s.Pods, p)
		}
	}
}

func TestDeletionOfACell(t *testing.T) {
	deletedAt := func(s *plan.State) { s.Deleted = at(49) }
	orphaned := func(s *plan.State) { s.Deleted, s.Orphaned = at(49), true }
	for _, tc := range []struct {
		name  string
		state plan.State
		want  plan.Plan
	}{
		{
			"the ring is emptied first", isolated(deletedAt),
			plan.Plan{Step: plan.StepRetire, Ring: doc(2), Ledger: plan.Ledger{drain(0, 0, false), drain(1, 0, false)}, Confirm: true},
		},
		{
			"who orphans it is not heard", isolated(orphaned),
			plan.Plan{Step: plan.StepRetire, Ring: doc(2), Ledger: plan.Ledger{drain(0, 0, false), drain(1, 0, false)}, Confirm: true},
		},
		{
			"then the grace passes", isolated(drained, func(s *plan.State) { s.Now = at(30); s.Pods = nil }),
			plan.Plan{Step: plan.StepRetire, Ring: doc(2), Ledger: plan.Ledger{drain(0, 21, false), drain(1, 21, false)}, Wake: time.Second},
		},
		{
			"then the pods go", isolated(drained),
			plan.Plan{Step: plan.StepDissolve, Empty: true, Partition: plan.GateClosed, Confirm: true},
		},
		{"which takes the time that they have", isolated(drained, emptied(53, 0, 1)), plan.Plan{Step: plan.StepDissolve, Wake: 3 * time.Second}},
		{
			"a pod that was not told yet is about to be",
			isolated(drained, emptied(53), func(s *plan.State) { s.Pods = ready(0, 0) }),
			plan.Plan{Step: plan.StepDissolve, Wake: 200 * time.Millisecond},
		},
		{"then the cell is deleted", isolated(drained, emptied(0)), plan.Plan{Step: plan.StepDissolve, Raze: true, Confirm: true}},
		{"also if a pod does not go in its time", isolated(drained, emptied(50, 1)), plan.Plan{Step: plan.StepDissolve, Raze: true, Confirm: true}},
		{
			"also if a pod is left that no StatefulSet will end",
			isolated(drained, emptied(0), func(s *plan.State) { s.Set, s.Pods, s.Ledger = nil, ready(0, 0), s.Ledger[:1] }),
			plan.Plan{Step: plan.StepDissolve, Raze: true, Confirm: true},
		},
		{"then it is waited for", isolated(drained, emptied(0), going), plan.Plan{Step: plan.StepDissolve}},
		{"with pods that do not go", isolated(drained, emptied(50, 1), going), plan.Plan{Step: plan.StepDissolve}},
		{"then the finalizer goes", isolated(drained, unborn, notHere), plan.Plan{Step: plan.StepRelease, Release: true, Confirm: true}},
		{
			"a cell that never had pods is deleted at once", isolated(unborn, deletedAt),
			plan.Plan{Step: plan.StepDissolve, Raze: true, Confirm: true},
		},
		{"what never was is released at once", isolated(unborn, deletedAt, notHere), plan.Plan{Step: plan.StepRelease, Release: true, Confirm: true}},
		{"a stranger's namespace holds nothing up", isolated(unborn, deletedAt, foreign), plan.Plan{Step: plan.StepRelease, Release: true, Confirm: true}},
		{
			"somebody deletes the cell while its pods drain",
			isolated(drained, going, func(s *plan.State) { s.Now = at(30); s.Pods = nil }),
			plan.Plan{Step: plan.StepRetire, Ring: doc(2), Ledger: plan.Ledger{drain(0, 21, false), drain(1, 21, false)}, Wake: time.Second},
		},
		{"a paused cache's cell is deleted all the same", isolated(drained, emptied(0), paused), plan.Plan{Step: plan.StepDissolve, Raze: true, Confirm: true}},
		{
			"a cell does not outlive its cache, also if its objects are to", isolated(orphaned),
			plan.Plan{Step: plan.StepRetire, Ring: doc(2), Ledger: plan.Ledger{drain(0, 0, false), drain(1, 0, false)}, Confirm: true},
		},
		{"without our finalizer the cell is left to be collected", isolated(drained, func(s *plan.State) { s.Held = false }), plan.Plan{Step: plan.StepDelete}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, plan.Next(tc.state, timing), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
