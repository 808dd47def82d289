package plan

import (
	"slices"
	"time"
)

// Partitions of the StatefulSet: behind the closed gate no pod is replaced for a changed
// template, whoever changed it; behind the open one its controller replaces them all, one at a
// time.
const (
	GateOpen   = 0
	GateClosed = 1000
)

// gate opens for a rollout when at most one member is not yet available. The StatefulSet's
// controller replaces pods of an old template that are not available all at once, and a pod is
// not available in its first seconds of readiness, though it may be in the ring: so a change
// right after the first ring or after growth would take many members away together.
func (s State) gate(t Timing) (int, time.Duration) {
	if s.Set == nil || !s.Set.Rolling {
		return GateClosed, 0
	}
	var fresh []time.Duration
	for name, p := range s.serving() {
		left := p.ReadySince.Add(t.MinReady).Sub(s.Now)
		if left > 0 && s.Ring != nil && slices.Contains(s.Ring.Members, name) {
			fresh = append(fresh, left)
		}
	}
	if len(fresh) <= 1 {
		return GateOpen, 0
	}
	slices.Sort(fresh)
	return GateClosed, fresh[len(fresh)-2]
}
