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
// that writes to that bucket, so that position can follow the bucket's writing
// end, which fastcache keeps to itself, and so that "look, then write" is one
// step: no update is lost and nothing deleted comes back.
type stripe struct {
	ring *fastcache.Cache

	hits   atomic.Uint64
	misses atomic.Uint64
	// position is the writing end, counted over all turns. Written under mu.
	position atomic.Uint64

	mu     sync.Mutex
	ledger ledger
	tally  tally
	pacer  pacer

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
	return account{position: r.position, bytes: r.bytes, at: second(r.expiry), entry: r.kind != partRecord}
}

// second rounds an expiry up to whole seconds, the ledger's grain.
func second(expiry int64) uint32 {
	const nanos = 1e9
	return uint32((expiry + nanos - 1) / nanos)
}

// find reads the record under key into buf. The caller holds mu if it is going
// to act on what it finds.
func (s *stripe) find(buf, key []byte) (stored, []byte, bool) {
	buf, ok := s.ring.HasGet(buf[:0], key)
	if !ok {
		return stored{}, buf, false
	}
	payload, t, ok := splitRecord(buf)
	return stored{payload: payload, trailer: t, bytes: ringSize(len(key), len(buf))}, buf, ok
}

// put writes a record. The caller holds mu; old is what find returned for key,
// and hasOld whether it returned anything. buf is scratch.
func (s *stripe) put(buf, key, payload []byte, t trailer, old stored, hasOld bool, now int64) []byte {
	size := ringSize(len(key), len(payload)+trailerSize)
	end := s.position.Load()
	sameTurn := hasOld && old.position/s.ledger.ringBytes == end/s.ledger.ringBytes
	start, pad := s.pacer.place(end, size, s.ledger.ringBytes, !sameTurn)
	t.pad, t.position = int(pad), start
	buf = appendRecord(append(buf[:0], payload...), t)
	s.ring.Set(key, buf)
	size += pad
	end = start + size

	s.count(s.ledger.advance(end, nowSecond(now)))
	a := stored{trailer: t, bytes: size}.account()
	if !s.ledger.add(a) && a.entry {
		s.tally.expirations++
	}
	s.position.Store(end)
	return buf
}

// drop deletes a record that find returned. The caller holds mu.
func (s *stripe) drop(key []byte, r stored, now int64, as *uint64) {
	s.ring.Del(key)
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

func (s *stripe) count(l losses) {
	s.tally.evictions += l.evicted
	s.tally.expirations += l.expired
}

// far reports whether a record is so old that the ring's next half turn may
// take it, which is when a read moves it to the writing end. The difference is
// signed: a reader can see a record before the writing end that it moved.
func (s *stripe) far(position uint64) bool {
	return int64(s.position.Load()-position) > int64(s.ledger.ringBytes/2)
}

func nowSecond(now int64) uint32 { return uint32(now / 1e9) }
