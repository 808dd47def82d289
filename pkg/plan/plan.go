// Package plan is the state machine of a cache: what was observed goes in, one plan comes out.
//
// Its laws:
//   - Pure. Time is an input; there is no client, no clock, no stored phase. Where the machine
//     stands is derived anew on every pass from the cache, the ring, the StatefulSet and the pods.
//   - Publish never leads readiness: a pod enters the ring only after it is Ready.
//   - Termination never leads publication: the StatefulSet never gets smaller than the ring needs.
//   - A ring's version grows exactly when its bytes change, and never falls for one cache.
//   - Unreadiness alone never empties the ring.
//   - A changed pod template replaces one member at a time: the rollout waits behind a gate while
//     more than one member is too fresh to count as available.
//
// Next walks a ladder of named rungs; the first that applies decides.
package plan

import (
	"time"

	"github.com/sk1-services/distributed-cache/pkg/ring"
)

// Step names the rung that decided; it is derived, never stored.
type Step string

// The steps, in the order of the ladder.
const (
	// StepDelete leaves a cache that is being deleted to the garbage collector.
	StepDelete Step = "Delete"
	// StepPause leaves a paused cache as it is.
	StepPause Step = "Pause"
	// StepRefuse leaves alone what this release cannot serve.
	StepRefuse Step = "Refuse"
	// StepRecord waits until the status holds the version of the published ring.
	StepRecord Step = "Record"
	// StepPublish publishes a changed ring.
	StepPublish Step = "Publish"
	// StepBootstrap waits for the pods of the first ring.
	StepBootstrap Step = "Bootstrap"
	// StepJoin waits for Ready pods to have been Ready long enough.
	StepJoin Step = "Join"
	// StepGrow waits for pods that are not Ready.
	StepGrow Step = "Grow"
	// StepHold keeps more pods than are wanted.
	StepHold Step = "Hold"
	// StepSettle has nothing to do.
	StepSettle Step = "Settle"
)

// State is what the machine looks at.
type State struct {
	Now      time.Time
	Wanted   int
	Deleting bool
	Paused   bool
	Isolate  bool
	// HighWater is the highest ring version recorded for this cache, 0 before the first.
	HighWater int64
	// Ring is the published ring of this cache, nil if there is none or it is not canonical.
	Ring *ring.Document
	// Set is the StatefulSet, nil if there is none.
	Set  *Set
	Pods []Pod
}

// Set is what matters of a StatefulSet.
type Set struct {
	Created  time.Time
	Replicas int
	// Rolling says that pods of an older template are still to be replaced.
	Rolling bool
}

// Pod is what matters of a cache pod.
type Pod struct {
	Name        string
	Ordinal     int
	Ready       bool
	ReadySince  time.Time
	Terminating bool
}

// Serving reports whether the pod may be a member of the ring.
func (p Pod) Serving() bool { return p.Ready && !p.Terminating }

// Plan is what the next writes bring about.
type Plan struct {
	Step Step
	// Untouched says that no object of the cache is to be written; the fields below are zero.
	Untouched bool
	// Replicas is the size of the StatefulSet.
	Replicas int
	// Partition is the lowest ordinal whose pod may be replaced for a changed template.
	Partition int
	// Ring is the document that is to stand, changed or not; nil while there is none yet.
	Ring *ring.Document
	// Wake is when time alone changes the plan, counted from State.Now; 0 if it does not.
	Wake time.Duration
}

// Timing holds the machine's periods.
type Timing struct {
	// JoinDelay is how long a pod must have been Ready before it enters a standing ring: it
	// bounds how often a flapping pod changes the ring.
	JoinDelay time.Duration
	// JoinWindow is how long joins wait for each other, so that many make one version.
	JoinWindow time.Duration
	// BootstrapLimit is how long the first ring waits for pods that are not Ready.
	BootstrapLimit time.Duration
	// MinReady is the StatefulSet's minReadySeconds, at least JoinDelay and JoinWindow together:
	// a rollout goes on only when the pod before is back in the ring.
	MinReady time.Duration
}

// DefaultTiming is the timing of a release.
var DefaultTiming = Timing{
	JoinDelay:      3 * time.Second,
	JoinWindow:     time.Second,
	BootstrapLimit: time.Minute,
	MinReady:       5 * time.Second,
}

// pace is how soon to look again when only the cache's own status is awaited.
const pace = 200 * time.Millisecond

type rung func(State, Timing) (Plan, bool)

var ladder = []rung{remove, pause, refuse, record, bootstrap, publish, wait}

// Next is the plan for s.
func Next(s State, t Timing) Plan {
	p := Plan{Step: StepSettle, Ring: s.Ring}
	for _, step := range ladder {
		if q, ok := step(s, t); ok {
			p = q
			break
		}
	}
	if p.Untouched {
		return p
	}
	p.Replicas = s.size()
	var wake time.Duration
	p.Partition, wake = s.gate(t)
	if p.Wake == 0 || wake > 0 && wake < p.Wake {
		p.Wake = wake
	}
	return p
}

// size is the number of pods to run: never fewer than run now, because this release does not
// drain.
func (s State) size() int {
	if s.Set != nil && s.Set.Replicas > s.Wanted {
		return s.Set.Replicas
	}
	return s.Wanted
}

// serving are the pods that may be members, by name.
func (s State) serving() map[string]Pod {
	pods := map[string]Pod{}
	for _, p := range s.Pods {
		if p.Serving() && p.Ordinal < s.size() {
			pods[p.Name] = p
		}
	}
	return pods
}

func remove(s State, _ Timing) (Plan, bool) {
	return Plan{Step: StepDelete, Untouched: true}, s.Deleting
}

func pause(s State, _ Timing) (Plan, bool) {
	return Plan{Step: StepPause, Untouched: true}, s.Paused
}

func refuse(s State, _ Timing) (Plan, bool) {
	return Plan{Step: StepRefuse, Untouched: true}, s.Isolate
}

// record holds the ring until the status knows its version: so the status is at most one version
// behind, and a lost ConfigMap can be replaced without using a version twice.
func record(s State, _ Timing) (Plan, bool) {
	behind := s.Ring != nil && s.Ring.Version > s.HighWater
	return Plan{Step: StepRecord, Ring: s.Ring, Wake: pace}, behind
}
