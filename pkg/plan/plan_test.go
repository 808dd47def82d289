package plan_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sk1-services/distributed-cache/pkg/plan"
	"github.com/sk1-services/distributed-cache/pkg/ring"
)

var (
	epoch  = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	timing = plan.Timing{JoinDelay: 3 * time.Second, JoinWindow: time.Second, BootstrapLimit: time.Minute, MinReady: 5 * time.Second}
)

// at is a time in seconds after the epoch.
func at(seconds float64) time.Time { return epoch.Add(time.Duration(seconds * float64(time.Second))) }

func name(ordinal int) string { return fmt.Sprintf("a-%d", ordinal) }

func members(ordinals ...int) []string {
	list := []string{}
	for _, i := range ordinals {
		list = append(list, name(i))
	}
	return list
}

func doc(version int64, ordinals ...int) *ring.Document {
	return &ring.Document{Version: version, Members: members(ordinals...)}
}

func set(replicas int) *plan.Set { return &plan.Set{Created: epoch, Replicas: replicas} }

// ready are pods that became Ready at the given second.
func ready(since float64, ordinals ...int) []plan.Pod {
	var pods []plan.Pod
	for _, i := range ordinals {
		pods = append(pods, plan.Pod{Name: name(i), Ordinal: i, Ready: true, ReadySince: at(since)})
	}
	return pods
}

func unready(ordinal int) plan.Pod { return plan.Pod{Name: name(ordinal), Ordinal: ordinal} }

func terminating(ordinal int) plan.Pod {
	return plan.Pod{Name: name(ordinal), Ordinal: ordinal, Ready: true, ReadySince: epoch, Terminating: true}
}

func TestNext(t *testing.T) {
	for _, tc := range []struct {
		name  string
		state plan.State
		want  plan.Plan
	}{
		{
			"a paused cache is left alone, though a member died",
			plan.State{Wanted: 1, Paused: true, HighWater: 1, Ring: doc(1, 0), Set: set(1)},
			plan.Plan{Step: plan.StepPause},
		},
		{
			"what this release cannot serve is refused whole",
			plan.State{Wanted: 3, Cell: &plan.Cell{Foreign: true}},
			plan.Plan{Step: plan.StepRefuse},
		},
		{
			"a new cache gets its pods and no ring",
			plan.State{Now: at(0), Wanted: 3},
			plan.Plan{Step: plan.StepBootstrap, Replicas: 3},
		},
		{
			"the first ring waits for all pods",
			plan.State{Now: at(5), Wanted: 3, Set: set(3), Pods: append(ready(4, 0, 1), unready(2))},
			plan.Plan{Step: plan.StepBootstrap, Replicas: 3, Wake: 55 * time.Second},
		},
		{
			"the first ring comes at once when all are Ready",
			plan.State{Now: at(5), Wanted: 3, Set: set(3), Pods: ready(5, 2, 0, 1)},
			plan.Plan{Step: plan.StepPublish, Replicas: 3, Ring: doc(1, 0, 1, 2)},
		},
		{
			"the first ring waits no longer than the limit",
			plan.State{Now: at(60), Wanted: 3, Set: set(3), Pods: append(ready(4, 0, 1), unready(2))},
			plan.Plan{Step: plan.StepPublish, Replicas: 3, Ring: doc(1, 0, 1)},
		},
		{
			"no ring is published without a pod, however late",
			plan.State{Now: at(600), Wanted: 3, Set: set(3), Pods: []plan.Pod{unready(0)}},
			plan.Plan{Step: plan.StepBootstrap, Replicas: 3},
		},
		{
			"a cache of zero has an empty ring",
			plan.State{Now: at(0), Wanted: 0},
			plan.Plan{Step: plan.StepPublish, Ring: doc(1)},
		},
		{
			"a lost ring comes back above the recorded version, and the one that may not be recorded",
			plan.State{Now: at(5), Wanted: 3, HighWater: 7, Set: set(3), Pods: append(ready(4, 0, 1), unready(2))},
			plan.Plan{Step: plan.StepPublish, Replicas: 3, Ring: doc(9, 0, 1)},
		},
		{
			"a version that is not recorded yet holds the ring",
			plan.State{Now: at(5), Wanted: 2, HighWater: 3, Ring: doc(4, 0, 1), Set: set(2), Pods: ready(0, 0)},
			plan.Plan{Step: plan.StepRecord, Replicas: 2, Ring: doc(4, 0, 1), Wake: 200 * time.Millisecond},
		},
		{
			"an older version, written by hand, is replaced by one above the recorded",
			plan.State{Now: at(50), Wanted: 2, HighWater: 6, Ring: doc(1, 0, 1), Set: set(2), Pods: ready(0, 0, 1)},
			plan.Plan{Step: plan.StepPublish, Replicas: 2, Ring: doc(7, 0, 1)},
		},
		{
			"who is not Ready leaves at once",
			plan.State{Now: at(50), Wanted: 3, HighWater: 1, Ring: doc(1, 0, 1, 2), Set: set(3), Pods: append(ready(0, 0, 2), unready(1))},
			plan.Plan{Step: plan.StepPublish, Replicas: 3, Ring: doc(2, 0, 2)},
		},
		{
			"who is terminating leaves at once, though Ready",
			plan.State{Now: at(50), Wanted: 3, HighWater: 1, Ring: doc(1, 0, 1, 2), Set: set(3), Pods: append(ready(0, 0, 2), terminating(1))},
			plan.Plan{Step: plan.StepPublish, Replicas: 3, Ring: doc(2, 0, 2)},
		},
		{
			"unreadiness alone never empties the ring",
			plan.State{Now: at(50), Wanted: 2, HighWater: 4, Ring: doc(4, 0, 1), Set: set(2), Pods: []plan.Pod{unready(0), unready(1)}},
			plan.Plan{Step: plan.StepGrow, Replicas: 2, Ring: doc(4, 0, 1)},
		},
		{
			"who returns waits for the delay",
			plan.State{Now: at(51), Wanted: 3, HighWater: 2, Ring: doc(2, 0, 2), Set: set(3), Pods: append(ready(0, 0, 2), ready(50, 1)...)},
			plan.Plan{Step: plan.StepJoin, Replicas: 3, Ring: doc(2, 0, 2), Wake: 2 * time.Second},
		},
		{
			"who returned and waited is in again",
			plan.State{Now: at(53), Wanted: 3, HighWater: 2, Ring: doc(2, 0, 2), Set: set(3), Pods: append(ready(0, 0, 2), ready(50, 1)...)},
			plan.Plan{Step: plan.StepPublish, Replicas: 3, Ring: doc(3, 0, 1, 2)},
		},
		{
			"joins wait for each other",
			plan.State{Now: at(53.2), Wanted: 3, HighWater: 1, Ring: doc(1, 0), Set: set(3), Pods: append(append(ready(0, 0), ready(50, 1)...), ready(50.5, 2)...)},
			plan.Plan{Step: plan.StepJoin, Replicas: 3, Ring: doc(1, 0), Wake: 300 * time.Millisecond},
		},
		{
			"joins wait for each other no longer than the window",
			plan.State{Now: at(54), Wanted: 3, HighWater: 1, Ring: doc(1, 0), Set: set(3), Pods: append(append(ready(0, 0), ready(50, 1)...), ready(53, 2)...)},
			plan.Plan{Step: plan.StepPublish, Replicas: 3, Ring: doc(2, 0, 1)},
		},
		{
			"growth asks for more pods and keeps the ring",
			plan.State{Now: at(50), Wanted: 5, HighWater: 1, Ring: doc(1, 0, 1, 2), Set: set(3), Pods: ready(0, 0, 1, 2)},
			plan.Plan{Step: plan.StepGrow, Replicas: 5, Ring: doc(1, 0, 1, 2)},
		},
		{
			"members are in numeric order",
			plan.State{Now: at(5), Wanted: 12, Set: set(12), Pods: ready(5, 10, 2, 11, 1, 0, 9, 3, 8, 4, 7, 5, 6)},
			plan.Plan{Step: plan.StepPublish, Replicas: 12, Ring: doc(1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)},
		},
		{
			"a settled cache is left as it is",
			plan.State{Now: at(50), Wanted: 2, HighWater: 1, Ring: doc(1, 0, 1), Set: set(2), Pods: ready(0, 0, 1)},
			plan.Plan{Step: plan.StepSettle, Replicas: 2, Ring: doc(1, 0, 1)},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.state.Held = true
			switch tc.want.Step {
			case plan.StepDelete, plan.StepPause, plan.StepRefuse:
			default:
				tc.want.Partition, tc.want.Workload = plan.GateClosed, true
				tc.want.Confirm = tc.want.Step == plan.StepPublish
			}
			if diff := cmp.Diff(tc.want, plan.Next(tc.state, timing), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
