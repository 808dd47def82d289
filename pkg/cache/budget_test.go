package cache

import (
	"encoding/binary"
	"math/bits"
	"runtime"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"
)

// Entries that come and go for hundreds of turns in a ring that the index bounds:
// Go's map must not grow beyond what is charged for it.
func TestIndexKeepsToItsBudget(t *testing.T) {
	plan, err := PlanMemory(256*mib, DefaultMaxValueSize)
	if err != nil {
		t.Fatal(err)
	}
	c := newTestCache(t, Options{Capacity: plan.Capacity, IndexBytes: plan.IndexBytes, withoutWindow: true})
	s := &c.stripes[303]
	key, number := make([]byte, 20), uint64(0)
	write := func(s *stripe, sets int) {
		for range sets {
			for number++; ; number++ {
				if binary.LittleEndian.PutUint64(key, number); c.stripe(key) == s {
					break
				}
			}
			mustSet(t, c, key, nil, 0)
		}
	}
	write(&c.stripes[302], 10_000) // what the process allocates once is not the ring's
	empty := liveHeap()
	write(s, 600_000)
	used := liveHeap() - empty
	if s.tally.evictions == 0 || s.ledger.bytes > s.ringBytes*3/4 {
		t.Fatalf("%d bytes live and %d evicted: the ring is the bound", s.ledger.bytes, s.tally.evictions)
	}
	if charged := int64(s.heap(0)); used > charged*11/10 {
		t.Errorf("%d bytes of heap for %d entries, %d are charged", used, s.index.entries, charged)
	}
}

func liveHeap() int64 {
	runtime.GC()
	runtime.GC() // the first empties pools only by half
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Where entries are so small that the index bounds them, a read counts as it does
// where the ring does: from a sixteenth of what is there on.
func TestSecondChanceWhereTheIndexBounds(t *testing.T) {
	c := newTestCache(t, Options{Capacity: 2 * CapacityUnit, IndexBytes: minIndexBytes, withoutWindow: true})
	s := &c.stripes[303]
	keys := keysOf(c, s, 3000)
	hot := keys[0]
	mustSet(t, c, hot, nil, 0)
	for i, k := range keys[1:] {
		mustSet(t, c, k, nil, 0)
		if i%40 == 0 {
			wantValue(t, c, hot, nil)
		}
	}
	if s.ledger.bytes > s.ringBytes/4 || s.tally.evictions == 0 {
		t.Errorf("%d bytes live and %d evicted: the ring is the bound", s.ledger.bytes, s.tally.evictions)
	}
}

// The map of deadlines is charged for what it has been, until it is made anew.
func TestDeadlinesAreChargedForTheirMap(t *testing.T) {
	clock := newFakeClock(0)
	c := newTestCache(t, Options{Clock: clock.read, withoutWindow: true})
	s := &c.stripes[303]
	keys := keysOf(c, s, 401)
	for i, k := range keys[:400] {
		mustSet(t, c, k, nil, time.Duration(i+1)*time.Second)
	}
	mustSet(t, c, keys[400], nil, time.Hour)
	for _, k := range keys[:390] {
		c.Delete(k)
	}
	if len(s.ledger.due) != 11 || s.ledger.most != 401 {
		t.Errorf("%d deadlines, charged for %d, want 11 and 401", len(s.ledger.due), s.ledger.most)
	}
	clock.advance(time.Second)
	c.Stats()
	if s.ledger.most != 11 {
		t.Errorf("charged for %d after a look, want 11", s.ledger.most)
	}
}

// Two keys of one hash take each other's place in fastcache's index. The counts
// must not drift away for ever; anyone can make such keys.
func TestKeysOfOneHash(t *testing.T) {
	keys := collide(t)
	c := newTestCache(t, Options{IndexBytes: minIndexBytes, withoutWindow: true})
	s := c.stripe(keys[0])
	for i := range 20_000 {
		mustSet(t, c, keys[i%2], pattern(i, 10), 0)
		wantValue(t, c, keys[i%2], pattern(i, 10))
		wantMiss(t, c, keys[1-i%2])
	}
	if most := s.indexBytes / (logHeader + 64); s.index.entries > most || s.ledger.entries > most {
		t.Errorf("index %d, ledger %d of one entry", s.index.entries, s.ledger.entries)
	}
	for i, k := range keysOf(c, s, 60) {
		mustSet(t, c, k, pattern(i, 10), 0)
		if i > 50 {
			wantValue(t, c, k, pattern(i, 10))
		}
	}
	if s.heap(0) > s.indexBytes {
		t.Errorf("%d bytes of heap, the bound is %d", s.heap(0), s.indexBytes)
	}
	wantBalance(t, c.Stats())
}

// Where the index bounds the entries, those that are promoted count as gone from the
// window; else a few more went for each of them.
func TestPromotionsMakeRoomInTheIndex(t *testing.T) {
	const each = 256 // in a map of 512 slots, in half of the bytes; the keys take few
	c := newTestCache(t, Options{IndexBytes: stripeCount * 2 * slotCost * 512})
	for i := range 3 * each * stripeCount {
		mustSet(t, c, key(i), nil, 0)
		wantValue(t, c, key(i), nil)
	}
	if st := c.Stats(); st.Promotions == 0 || st.Entries < each*stripeCount*99/100 {
		t.Errorf("%d entries where there is room for %d: %+v", st.Entries, each*stripeCount, st)
	}
}

// collide makes two keys of one xxhash: of its four lanes, the first takes in the
// first word and then the fifth, and every step can be undone.
func collide(t *testing.T) [2][]byte {
	t.Helper()
	seed := prime1
	seed += prime2
	step := func(word uint64) uint64 { return bits.RotateLeft64(seed+word*prime2, 31) * prime1 }
	var keys [2][]byte
	for i := range keys {
		keys[i] = make([]byte, 64)
		first := uint64(i + 1)
		binary.LittleEndian.PutUint64(keys[i], first)
		binary.LittleEndian.PutUint64(keys[i][32:], (step(0)-step(first))*inverse2)
	}
	if xxhash.Sum64(keys[0]) != xxhash.Sum64(keys[1]) {
		t.Fatal("the keys have different hashes")
	}
	return keys
}
