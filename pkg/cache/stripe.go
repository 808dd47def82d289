package cache

import (
	"sync"
	"sync/atomic"

	"github.com/VictoriaMetrics/fastcache"
)

// stripeCount and chunkSize are fastcache's bucket count and chunk size. It
// exports neither; TestPositionMirrorsFastcache fails if they ever change.
const (
	stripeCount = 512
	chunkSize   = 64 << 10
)

// stripe stands beside one fastcache bucket. Its lock serialises everything
// that writes to that bucket, so that the bucket's writing end, which fastcache
// keeps to itself, can be followed, and so that "look, then write" is one step:
// no update is lost and nothing deleted comes back.
type stripe struct {
	ring *fastcache.Cache
	// ringBytes is the length of the ring, indexBytes what finding its records
	// may cost on the heap.
	ringBytes, indexBytes uint64

	hits   atomic.Uint64
	misses atomic.Uint64
	marks  marks
	// end is the writing end, counted over all turns. Written under mu.
	end atomic.Uint64
	// fresh is the age up to which a read of a record does not count.
	fresh atomic.Uint64
	// moves is odd while records are being moved. Written under mu.
	moves atomic.Uint64

	mu sync.Mutex
	// turn is the turn that the newest record stands in.
	turn uint64
	// credit is the ring bytes that may be moved.
	credit uint64

	log    keyLog
	ledger ledger
	index  index
	tally  tally

	// Neighbouring stripes are used by different cores.
	_ [64]byte
}

// tally counts what happened, under the stripe's lock.
type tally struct {
	sets, overwrites, deletes, expirations, evictions, promotions uint64
}

// stored is a record as found in the ring, and the ring bytes it takes.
type stored struct {
	payload []byte
	trailer
	bytes uint64
}

func (r stored) account() account {
	return account{bytes: r.bytes, at: second(r.expiry), entry: r.kind != partRecord}
}

// second rounds an expiry up to whole seconds, the ledger's grain.
func second(expiry int64) uint32 {
	const nanos = 1e9
	return uint32((expiry + nanos - 1) / nanos)
}

// find reads the record under key. It stays valid until w is used again. The
// caller holds mu if it is going to act on what it finds.
func (s *stripe) find(w *workspace, key []byte) (stored, bool) {
	var ok bool
	w.found, ok = s.ring.HasGet(w.found[:0], key)
	return parse(key, w.found, ok)
}

// peek is find for those who do not hold mu.
func (s *stripe) peek(w *workspace, key []byte) (stored, bool) {
	var ok bool
	w.found, ok = s.get(w.found[:0], key)
	return parse(key, w.found, ok)
}

func parse(key, record []byte, found bool) (stored, bool) {
	if !found {
		return stored{}, false
	}
	payload, t, ok := splitRecord(record)
	return stored{payload: payload, trailer: t, bytes: ringSize(len(key), len(record))}, ok
}

// get appends the record under key to dst without mu. While a record is being
// moved, its old place can be overwritten before the new one is written; a get
// that finds nothing then waits and looks again.
func (s *stripe) get(dst, key []byte) ([]byte, bool) {
	before := s.moves.Load()
	out, ok := s.ring.HasGet(dst, key)
	if ok || before%2 == 0 && s.moves.Load() == before {
		return out, ok
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ring.HasGet(dst, key)
}

// used marks a record as read, unless it has only just been written or moved:
// reads that follow a write at once say little about those to come. The
// difference is signed: a reader can see a record before the end that it moved.
func (s *stripe) used(position, size uint64) {
	if age := int64(s.end.Load() - position); age > int64(max(s.fresh.Load(), freshRecords*size)) {
		s.marks.set(position)
	}
}

// put makes room for a record and writes it. The caller holds mu; old is what
// find returned for key, and had whether it returned anything.
func (s *stripe) put(w *workspace, key, payload []byte, t trailer, old stored, had bool, now int64) {
	replaced := uint64(none)
	if had {
		replaced = old.position
	}
	s.makeRoom(w, ringSize(len(key), len(payload)+t.size()), logCost(len(key)), replaced, now)
	if !had {
		s.index.added()
		s.index.revived(key)
	}
	s.moves.Add(1)
	// The new record first: a reader finds either it or the one it replaces.
	if a := s.write(w, key, payload, t); !s.ledger.add(a) && a.entry {
		s.tally.expirations++
	}
	s.move(w)
	s.moves.Add(1)
	s.fresh.Store(min(s.end.Load()-s.log.first, s.ringBytes) / freshShare)
}

// write puts a record at the writing end, where there must be room.
func (s *stripe) write(w *workspace, key, payload []byte, t trailer) account {
	size := ringSize(len(key), len(payload)+t.size())
	t.position = fit(s.end.Load(), size)
	w.record = appendTrailer(append(w.record[:0], payload...), t)
	s.marks.take(t.position)
	s.ring.Set(key, w.record)
	s.log.push(key, t.position, size)
	if t.position/s.ringBytes != s.turn {
		s.turn = t.position / s.ringBytes
		s.index.turned()
	}
	s.end.Store(t.position + size)
	return stored{trailer: t, bytes: size}.account()
}

// drop deletes a record that find returned. The caller holds mu.
func (s *stripe) drop(key []byte, r stored, now int64, as *uint64) {
	s.ring.Del(key)
	s.index.removed()
	s.retire(r, now, as)
}

// retire takes a record that is dropped or about to be replaced out of the
// count and tallies its end: expired if its time has passed, else as told.
func (s *stripe) retire(r stored, now int64, as *uint64) {
	counted := s.ledger.remove(r.account())
	switch {
	case r.kind == partRecord || !counted:
		// Parts are no entries; what the ledger purged is tallied already.
	case r.expired(now):
		s.tally.expirations++
	default:
		*as++
	}
}

func nowSecond(now int64) uint32 { return uint32(now / 1e9) }
