package cache

import "math"

const (
	// movesPerWrite is how many times the ring bytes that Set writes may be moved
	// for them. Without a bound, a ring whose every entry was read would turn
	// once for a single write, and what was just written and not read yet would
	// be the first to go. For a part of a large value it is less: the smallest rings
	// hold seven parts, and a new one must not be gone after two more.
	movesPerWrite, movesPerPart = 2, 1
	// A record that would stay in its ring is too new for a read to count while a sixteenth of what is in
	// the ring, or four records like it, have been written since. The second matters for
	// parts of large values in the smallest rings, which hold seven of them.
	freshShare, freshRecords = 16, 4
	// mostMoved bounds what one write moves, in ring bytes: the time that it
	// holds the lock for.
	mostMoved = 64 << 10
	// luckyShare is how many leave the window unread for one that goes to main.
	luckyShare = 32
)

// workspace is the memory that one write works in.
type workspace struct {
	// found is what find reads, record what is about to be written.
	found, record []byte
	// bytes has the keys and records of moved, which go to the writing end, and of
	// promoted, which go to main.
	bytes           []byte
	moved, promoted []span
}

// span is a key and a record in workspace.bytes.
type span struct{ key, record, end int }

// none is no record's position.
const none = math.MaxUint64

// makeRoom evicts until there is room for a record of size bytes, for its key's
// cost, and behind it for what is to be moved, moves times as much at most, which it
// leaves in w. Eviction is
// by second chance (CLOCK; F. J. Corbató, "A paging experiment with the Multics
// system", 1968): the oldest record goes, unless it was read since it was written
// or moved; then it loses its mark and is moved, out of the window to main. The
// record at replaced is about to be dead. The caller holds mu.
func (s *stripe) makeRoom(w *workspace, size, moves, cost, replaced uint64, now int64) {
	w.bytes, w.moved, w.promoted = w.bytes[:0], w.moved[:0], w.promoted[:0]
	written := fit(s.end.Load(), size) + size
	s.credit = min(s.credit+moves*size, mostMoved, s.ringBytes/4)
	for end := written; s.log.records > 0 && (s.log.first+s.ringBytes < end || s.heap(1)+cost > s.indexBytes); {
		r, at, ok := s.oldest(w)
		switch {
		case !ok || r.position == replaced:
		case r.expired(now) || r.bytes > s.credit || !s.marks.take(r.position) && !s.lucky(r.trailer):
			s.evict(w.bytes[at.key:at.record], r, written, now)
		case s.promotes(r.trailer):
			w.promoted = append(w.promoted, at)
			s.index.removed()
			s.credit -= r.bytes
			continue
		default:
			w.moved = append(w.moved, at)
			s.credit -= r.bytes
			cost += logCost(at.record - at.key)
			end = fit(end, r.bytes) + r.bytes
			continue
		}
		w.bytes = w.bytes[:at.key]
	}
	if s.log.records == 0 && len(w.moved)+len(w.promoted) == 0 {
		s.recount(replaced)
	}
}

// lucky picks a few of what was not read, to go from the window to main. Without,
// main would for ever keep what was once read in it while all that is asked for now
// takes longer to come again than the window lasts.
func (s *stripe) lucky(t trailer) bool {
	if !s.promotes(t) {
		return false
	}
	s.unread++
	return s.unread%luckyShare == 0
}

// recount is for a ring in which nothing is left but what is being replaced. Two
// keys of the same hash have one place in fastcache's index; the one that lost it
// was counted until now.
func (s *stripe) recount(replaced uint64) {
	s.index.entries = 0
	if replaced != none {
		s.index.entries = 1
	}
	s.tally.evictions += s.ledger.reset()
}

// oldest takes the oldest record out of the log and reads it; false if it is
// dead: deleted, replaced, or moved.
func (s *stripe) oldest(w *workspace) (stored, span, bool) {
	at := span{key: len(w.bytes)}
	var position, size uint64
	w.bytes, position, size = s.log.pop(w.bytes)
	at.record = len(w.bytes)
	var ok bool
	w.bytes, ok = s.ring.HasGet(w.bytes, w.bytes[at.key:])
	at.end = len(w.bytes)
	if !ok {
		return stored{}, at, false
	}
	_, t, ok := splitRecord(w.bytes[at.record:], s.end.Load())
	return stored{trailer: t, bytes: size}, at, ok && t.position == position
}

// evict drops a record for a write that is going to end at end.
func (s *stripe) evict(key []byte, r stored, end uint64, now int64) {
	if overwritten := r.position+s.ringBytes < end; !overwritten || !s.index.leave(key) {
		s.ring.Del(key)
	}
	s.index.removed()
	s.retire(r, now, &s.tally.evictions)
	s.full = true
}

// move writes what makeRoom left in w to the writing end.
func (s *stripe) move(w *workspace) {
	for _, at := range w.moved {
		payload, t, _ := splitRecord(w.bytes[at.record:at.end], s.end.Load())
		if s.write(w, w.bytes[at.key:at.record], payload, t); t.kind != partRecord {
			s.tally.promotions++
		}
	}
}

// heap is what it takes on the Go heap to find this ring's records and more.
func (s *stripe) heap(more uint64) uint64 {
	return s.log.bytes*logFactor/logDivisor + s.index.bytes(more) + uint64(s.ledger.most)*dueCost
}
