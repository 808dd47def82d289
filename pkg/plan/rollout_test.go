package plan_test

import (
	"testing"
	"time"

	"github.com/sk1-services/distributed-cache/pkg/plan"
	"github.com/sk1-services/distributed-cache/pkg/ring"
)

func TestGate(t *testing.T) {
	rolling := func(pods []plan.Pod, ring *ring.Document) plan.State {
		return plan.State{
			Now: at(100), Wanted: 3, HighWater: 1, Ring: ring, Pods: pods,
			Set: &plan.Set{Created: epoch, Replicas: 3, Rolling: true},
		}
	}
	for _, tc := range []struct {
		name  string
		state plan.State
		want  int
		wake  time.Duration
	}{
		{"is closed at rest", plan.State{Now: at(100), Wanted: 1, HighWater: 1, Ring: doc(1, 0), Set: set(1), Pods: ready(0, 0)}, plan.GateClosed, 0},
		{"opens when all members are available", rolling(ready(0, 0, 1, 2), doc(1, 0, 1, 2)), plan.GateOpen, 0},
		{"stays open for the member that was just replaced", rolling(append(ready(0, 0, 1), ready(96, 2)...), doc(1, 0, 1, 2)), plan.GateOpen, 0},
		{"waits while two members are fresh", rolling(append(ready(0, 0), append(ready(96, 1), ready(97, 2)...)...), doc(1, 0, 1, 2)), plan.GateClosed, time.Second},
		{"does not wait for pods that serve nobody", rolling(append(ready(0, 0), unready(1), unready(2)), doc(1, 0)), plan.GateOpen, 0},
		{"opens without a ring: nobody is served", rolling([]plan.Pod{unready(0), unready(1)}, nil), plan.GateOpen, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := plan.Next(tc.state, timing)
			if got.Partition != tc.want || got.Wake != tc.wake {
				t.Errorf("partition %d, wake %s; want %d, %s", got.Partition, got.Wake, tc.want, tc.wake)
			}
		})
	}
}
