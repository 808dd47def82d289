package plan

import (
	"slices"
	"time"
)

// size is the size of the StatefulSet: what is wanted, and above it whatever has not been out of
// the ring for its grace. A cache that never had a ring has nobody to spare.
func (s State) size() int {
	if s.Ring == nil && s.HighWater == 0 {
		return s.Wanted
	}
	size := max(s.running(), s.Wanted)
	for size > s.Wanted && s.drained(size-1) {
		size--
	}
	return size
}

func shrink(s State, _ Timing) (Plan, bool) {
	return Plan{Step: StepShrink}, s.size() < s.running()
}

func drain(s State, _ Timing) (Plan, bool) {
	return Plan{Step: StepDrain}, s.size() > s.Wanted
}

// abandon leaves a deleted cache to the garbage collector when it is not held by us.
func abandon(s State, _ Timing) (Plan, bool) {
	return Plan{Step: StepDelete}, s.deleting() && !s.Held
}

// release ends the hold on a deleted cache: all is drained and its cell gone, or its objects
// outlive it and go on serving.
func release(s State, _ Timing) (Plan, bool) {
	cell := s.Cell != nil && s.Cell.Standing
	p := Plan{Step: StepRelease, Release: true, Confirm: true}
	return p, s.deleting() && (s.Orphaned && s.Cell == nil || !cell && s.spent())
}

// spent reports whether nobody needs the pods of a deleted cache any more: there is nothing to
// drain, or all is drained.
func (s State) spent() bool {
	switch {
	case s.Set == nil && len(s.Pods) == 0:
		return true
	case s.Ring == nil:
		return s.HighWater == 0 || s.lostLeft() <= 0
	}
	for ordinal := range s.running() {
		if !s.drained(ordinal) {
			return false
		}
	}
	return len(s.Ring.Members) == 0
}

// lostLeft is how long a deleted cache whose ring is gone is still held. Nothing is created for
// it any more, so its clients keep the last ring they saw; they are given the grace from the
// deletion on. A second is added since that time has whole seconds.
func (s State) lostLeft() time.Duration {
	if s.Grace == 0 {
		return 0
	}
	return s.Deleted.Add(time.Second + s.Grace).Sub(s.Now)
}

// retire empties the ring of a deleted cache and waits. Its StatefulSet is left as it is.
func retire(s State, _ Timing) (Plan, bool) {
	p := Plan{Step: StepRetire}
	switch {
	case !s.deleting():
		return Plan{}, false
	case s.Ring == nil:
		p.Wake = s.lostLeft()
		return p, true
	}
	ledger := s.doom(nil)
	if len(s.Ring.Members) == 0 && slices.Equal(ledger.ordinals(), s.Ledger.ordinals()) && !s.Ledger.timeless() {
		p.Wake = s.nextDrained()
		return p, true
	}
	p.Confirm = true
	p.Ring, p.Ledger = s.Ring, s.timed(ledger).pinned()
	if len(s.Ring.Members) > 0 {
		p.Ring = document(max(s.Ring.Version, s.HighWater)+1, nil)
	}
	return p, true
}
