package cache

import "math"

// ledger counts what is alive in one ring. fastcache says neither what it
// evicts nor how many entries are left, so the ring is watched from outside:
// it is cut into segments, each record is counted in the segment it starts in,
// and when the writing end has come round and passed a segment, what is still
// counted there has been evicted. Records with a time to live also leave their
// deadline (8 bytes each), so that expired ones can be subtracted without being
// read. The count is exact but for the one segment that the writing end is in
// the middle of: what it has overwritten there still counts.
type ledger struct {
	segments    []segment
	segmentSize uint64
	ringBytes   uint64
	// oldest is the number, counted over all turns, of the oldest segment kept.
	oldest uint64
	// purged is the last second whose deadlines have been subtracted.
	purged  uint32
	entries uint64
	bytes   uint64
}

type segment struct {
	entries  uint64
	bytes    uint64
	expiring []deadline
	// earliest is a lower bound of the deadlines; it spares looking at them.
	earliest uint32
}

// deadline is one record's expiry, rounded up to a second.
type deadline struct {
	at    uint32
	bytes uint32
}

// account is what the ledger needs to know of a record.
type account struct {
	position uint64
	bytes    uint64
	at       uint32 // deadline, 0 = none
	entry    bool   // false for parts, which are bytes but no entries
}

// losses is what left the ledger unasked.
type losses struct{ evicted, expired uint64 }

const (
	partFlag       = 1 << 31
	minSegmentSize = 1 << 10
	maxSegmentSize = 16 << 10
)

func newLedger(ringBytes uint64) ledger {
	size := min(max(ringBytes/64, minSegmentSize), maxSegmentSize)
	// One segment is being written, one may be half overwritten.
	return ledger{segments: make([]segment, ringBytes/size+2), segmentSize: size, ringBytes: ringBytes}
}

func (l *ledger) slot(number uint64) *segment {
	return &l.segments[number%uint64(len(l.segments))]
}

// advance drops the segments that a ring written up to end no longer holds.
func (l *ledger) advance(end uint64, nowSecond uint32) losses {
	var lost losses
	for (l.oldest+1)*l.segmentSize+l.ringBytes <= end {
		s := l.slot(l.oldest)
		l.purgeSegment(s, nowSecond, &lost)
		lost.evicted += s.entries
		l.entries -= s.entries
		l.bytes -= s.bytes
		*s = segment{expiring: s.expiring[:0]}
		l.oldest++
	}
	return lost
}

// add counts a record just written. One whose second has already been purged
// is not counted; the caller gets false and treats it as expired.
func (l *ledger) add(a account) bool {
	if a.at != 0 && a.at <= l.purged {
		return false
	}
	s := l.slot(a.position / l.segmentSize)
	s.bytes += a.bytes
	l.bytes += a.bytes
	if a.entry {
		s.entries++
		l.entries++
	}
	if a.at != 0 {
		if len(s.expiring) == 0 || a.at < s.earliest {
			s.earliest = a.at
		}
		s.expiring = append(s.expiring, a.deadline())
	}
	return true
}

// remove takes out a record that was overwritten or deleted. It reports false
// when the record had already left as expired: its deadline is gone then.
func (l *ledger) remove(a account) bool {
	s := l.slot(a.position / l.segmentSize)
	if a.at != 0 && !s.dropDeadline(a.deadline()) {
		return false
	}
	s.bytes -= a.bytes
	l.bytes -= a.bytes
	if a.entry {
		s.entries--
		l.entries--
	}
	return true
}

// purge subtracts everything whose deadline has passed.
func (l *ledger) purge(nowSecond uint32) losses {
	var lost losses
	if nowSecond <= l.purged {
		return lost
	}
	for i := range l.segments {
		l.purgeSegment(&l.segments[i], nowSecond, &lost)
	}
	l.purged = nowSecond
	return lost
}

func (l *ledger) purgeSegment(s *segment, nowSecond uint32, lost *losses) {
	if len(s.expiring) == 0 || nowSecond < s.earliest {
		return
	}
	kept := s.expiring[:0]
	s.earliest = math.MaxUint32
	for _, d := range s.expiring {
		if d.at > nowSecond {
			kept = append(kept, d)
			s.earliest = min(s.earliest, d.at)
			continue
		}
		size := uint64(d.bytes &^ partFlag)
		s.bytes -= size
		l.bytes -= size
		if d.bytes&partFlag == 0 {
			s.entries--
			l.entries--
			lost.expired++
		}
	}
	s.expiring = kept
}

func (s *segment) dropDeadline(d deadline) bool {
	for i := range s.expiring {
		if s.expiring[i] == d {
			last := len(s.expiring) - 1
			s.expiring[i] = s.expiring[last]
			s.expiring = s.expiring[:last]
			return true
		}
	}
	return false
}

func (a account) deadline() deadline {
	size := uint32(a.bytes)
	if !a.entry {
		size |= partFlag
	}
	return deadline{at: a.at, bytes: size}
}
