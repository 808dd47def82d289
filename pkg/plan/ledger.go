package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Ledger lists who left the ring for good and is not terminated yet, in order of the ordinals.
type Ledger []Drain

// Drain is one ordinal that left the ring for good. The ordinal and not the pod: a pod that dies
// while it drains is recreated by the held StatefulSet, and stays doomed under the same clock.
type Drain struct {
	Ordinal int
	// Since is a time at which the ring without the ordinal stood already, zero for the entry of
	// a ring that is yet to be written.
	Since time.Time
	// Pinned says that the time stands in the ledger. Until it does the entry is as old as the
	// last write of the object that holds it, which the API server's own record tells: so the
	// time of the write needs no second write, and no operator's clock.
	Pinned bool
}

func (l Ledger) find(ordinal int) (Drain, bool) {
	i := slices.IndexFunc(l, func(d Drain) bool { return d.Ordinal == ordinal })
	if i < 0 {
		return Drain{}, false
	}
	return l[i], true
}

// String is for logs.
func (l Ledger) String() string {
	var parts []string
	for _, d := range l {
		parts = append(parts, fmt.Sprintf("%d since %s", d.Ordinal, d.Since.UTC().Format(time.RFC3339)))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// ordinals are those in the ledger.
func (l Ledger) ordinals() []int {
	var list []int
	for _, d := range l {
		list = append(list, d.Ordinal)
	}
	return list
}

// doom is the ledger beside a ring of the given members: every ordinal that runs and is not
// wanted, but those that the ring still holds.
func (s State) doom(members []string) Ledger {
	var ledger Ledger
	for ordinal := s.limit(); ordinal < s.running(); ordinal++ {
		if holds(members, ordinal) {
			continue
		}
		drain, known := s.Ledger.find(ordinal)
		if !known || s.inRing(ordinal) {
			drain = Drain{Ordinal: ordinal}
		}
		ledger = append(ledger, drain)
	}
	return ledger
}

// pinned writes the times down that were known from the object's last write; the next write
// would change that record.
func (l Ledger) pinned() Ledger {
	var ledger Ledger
	for _, d := range l {
		d.Pinned = !d.Since.IsZero()
		ledger = append(ledger, d)
	}
	return ledger
}

// drained reports whether the ordinal has been out of the stored ring for the whole grace.
func (s State) drained(ordinal int) bool {
	d, known := s.Ledger.find(ordinal)
	return known && !s.inRing(ordinal) && s.left(d) <= 0
}

// left is how long a drain has still to go. Without a grace nothing is waited for; without a time
// the whole grace is still to come.
func (s State) left(d Drain) time.Duration {
	if s.Grace == 0 || d.Since.IsZero() {
		return s.Grace
	}
	return d.Since.Add(s.Grace).Sub(s.Now)
}

// nextDrained is when the next drain ends, 0 if none is under way.
func (s State) nextDrained() time.Duration {
	var next time.Duration
	for _, d := range s.Ledger {
		if left := s.left(d); left > 0 && (next == 0 || left < next) {
			next = left
		}
	}
	return next
}

// Mark is a change of a pod's visible copy of the ledger.
type Mark struct {
	Pod string
	// Since is when the pod left the ring for good, zero if it did not.
	Since time.Time
	// Grace is how long it serves on.
	Grace time.Duration
}

// marks brings the pods' copies in line with the stored ledger, never ahead of it. A pod that is
// going keeps its copy: it tells it how long to serve on.
func (s State) marks() []Mark {
	var marks []Mark
	for _, p := range s.Pods {
		if p.Terminating || p.Ordinal >= s.running() {
			continue
		}
		want := Mark{Pod: p.Name, Grace: s.Grace}
		if d, known := s.Ledger.find(p.Ordinal); known && !s.inRing(p.Ordinal) {
			want.Since = d.Since
		}
		if !want.Since.Equal(p.Marked) || want.Grace != p.Grace {
			marks = append(marks, want)
		}
	}
	return marks
}
