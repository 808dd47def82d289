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
	ring    *fastcache.Cache
	segment segment
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
	// full says that something had to be evicted for room.
	full bool
	// unread counts what was evicted unread.
	unread uint64

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
	return parse(key, w.found, s.end.Load(), ok)
}

// peek is find for those who do not hold mu.
func (s *stripe) peek(w *workspace, key []byte) (stored, bool) {
	var ok bool
	w.found, ok = s.get(w.found[:0], key)
	return parse(key, w.found, s.end.Load(), ok)
}

func parse(key, record []byte, end uint64, found bool) (stored, bool) {
	if !found {
		return stored{}, false
	}
	payload, t, ok := splitRecord(record, end)
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

// used marks a record as read. Where that has it stay in its ring, it must not have
// been written or moved only just now: reads that follow a write at once say little
// about those to come. The difference is signed: a reader can see a record before
// the end that it moved.
func (s *stripe) used(t trailer, size uint64) {
	age := int64(s.end.Load() - t.position)
	if s.promotes(t) || age > int64(max(s.fresh.Load(), freshRecords*size)) {
		s.marks.set(t.position)
	}
}

// promotes says that a record that is not evicted goes from here to main. Parts
// stay in their segment: under another key nobody would find them.
func (s *stripe) promotes(t trailer) bool { return s.segment == window && t.kind != partRecord }

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
	s.erase(key)
	s.retire(r, now, as)
}

// erase deletes a record that is not counted any more.
func (s *stripe) erase(key []byte) {
	s.ring.Del(key)
	s.index.removed()
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
