// Package plan is the state machine of a cache: what was observed goes in, one plan comes out.
//
// Its laws:
//   - Pure. Time is an input; there is no client, no clock, no stored phase. Where the machine
//     stands is derived anew on every pass from the cache, the ring with its ledger, the
//     StatefulSet and the pods.
//   - Publish never leads readiness: a pod enters the ring only after it is Ready.
//   - Termination never leads publication: the StatefulSet shrinks to k only when every pod from
//     k on has been out of the stored ring for the whole grace, and only because fewer are wanted;
//     the finalizer goes only when that holds for all.
//   - The ledger of who left, and so when, is part of the ring and written with it.
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
	// StepDelete leaves a deleted cache that is not held by our finalizer to the garbage collector.
	StepDelete Step = "Delete"
	// StepRetire empties the ring of a cache that is being deleted and waits out the grace.
	StepRetire Step = "Retire"
	// StepRelease takes the finalizer off.
	StepRelease Step = "Release"
	// StepDissolve takes the cell of a deleted cache away and waits until it is gone.
	StepDissolve Step = "Dissolve"
	// StepPause leaves a paused cache as it is.
	StepPause Step = "Pause"
	// StepRefuse leaves a cache alone whose cell's name is somebody else's.
	StepRefuse Step = "Refuse"
	// StepRebuild waits until a cell that somebody deleted is gone, to make it anew.
	StepRebuild Step = "Rebuild"
	// StepFence waits until the cell's quota lets the wanted pods in.
	StepFence Step = "Fence"
	// StepRecord waits until the status holds the version of the published ring.
	StepRecord Step = "Record"
	// StepBootstrap waits for the pods of the first ring.
	StepBootstrap Step = "Bootstrap"
	// StepPublish writes a changed ring or ledger.
	StepPublish Step = "Publish"
	// StepShrink makes the StatefulSet smaller.
	StepShrink Step = "Shrink"
	// StepDrain waits for the grace of pods that left the ring for good.
	StepDrain Step = "Drain"
	// StepJoin waits for Ready pods to have been Ready long enough.
	StepJoin Step = "Join"
	// StepGrow waits for pods that are not Ready.
	StepGrow Step = "Grow"
	// StepSettle has nothing to do.
	StepSettle Step = "Settle"
)

// Plan is what the next writes bring about.
type Plan struct {
	Step Step
	// Claim says that the finalizer is to be on before anything else is written, Release that it
	// is to go.
	Claim   bool
	Release bool
	// Fence is what is to stand around the cache before anything else does; nil without a cell, or
	// if it is left alone.
	Fence *Fence
	// Empty says that the StatefulSet of a deleted cache is to have no pods, Raze that its cell is
	// to be deleted.
	Empty bool
	Raze  bool
	// Workload says that the Service and the StatefulSet are to stand; without it they are left
	// alone.
	Workload bool
	// Replicas is the size of the StatefulSet.
	Replicas int
	// Partition is the lowest ordinal whose pod may be replaced for a changed template.
	Partition int
	// Ring is the document that is to stand, changed or not; nil leaves the ring alone.
	Ring *ring.Document
	// Ledger stands beside the ring and is written with it.
	Ledger Ledger
	// Marks are the pods whose visible copy of the ledger is to change.
	Marks []Mark
	// Confirm says that the plan changes the ring or takes something away for good: it is to be
	// made again from a live read, and only that plan is to be carried out.
	Confirm bool
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

var ladder = []rung{
	abandon, release, dissolve, retire, pause, refuse, rebuild, record, bootstrap, publish, shrink, drain, hold, wait,
}

// Next is the plan for s.
func Next(s State, t Timing) Plan {
	p := Plan{Step: StepSettle}
	for _, step := range ladder {
		if q, ok := step(s, t); ok {
			p = q
			break
		}
	}
	switch p.Step {
	case StepDelete, StepPause, StepRefuse, StepRebuild, StepRelease, StepDissolve:
		return p
	case StepRetire:
	default:
		p.Claim, p.Fence, p.Workload, p.Replicas = !s.Held, s.fence(), s.fenced(), s.size()
		p.Confirm = p.Confirm || s.Set != nil && p.Replicas < s.Set.Replicas
		var wake time.Duration
		p.Partition, wake = s.gate(t)
		p.wakeIn(wake)
		p.holdBack(s)
		p.wakeIn(s.nextDrained())
	}
	if p.Ring == nil {
		p.Ring, p.Ledger = s.Ring, s.Ledger
	}
	p.Marks = s.marks()
	return p
}

// wakeIn brings the waking forward.
func (p *Plan) wakeIn(d time.Duration) {
	if d > 0 && (p.Wake == 0 || d < p.Wake) {
		p.Wake = d
	}
}

func pause(s State, _ Timing) (Plan, bool) { return Plan{Step: StepPause}, s.Paused }

// record holds the ring until the status knows its version: so the status is at most one version
// behind, and a lost ConfigMap can be replaced without using a version twice.
func record(s State, _ Timing) (Plan, bool) {
	behind := s.Ring != nil && s.Ring.Version > s.HighWater
	return Plan{Step: StepRecord, Wake: pace}, behind
}
