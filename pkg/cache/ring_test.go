package cache

import (
	"math/rand/v2"
	"testing"
	"time"
)

// The whole package stands on knowing where fastcache writes. Every record must
// be readable exactly as long as the position says that it is in the ring.
func TestPositionMirrorsFastcache(t *testing.T) {
	for _, capacity := range []int64{CapacityUnit, 3 * CapacityUnit} {
		for _, minRecord := range []int{0, 200, 4096} {
			c := newTestCache(t, Options{Capacity: capacity, MinRecordSize: minRecord})
			s := &c.stripes[7]
			keys := keysOf(c, s, 4000)
			rnd := rand.New(rand.NewPCG(1, uint64(minRecord)))
			at := map[int]uint64{}
			for i := range 12000 {
				k := rnd.IntN(len(keys))
				size := rnd.IntN(1 + rnd.IntN(2000))
				if i%50 == 0 {
					size = partSize
				}
				mustSet(t, c, keys[k], pattern(k, size), 0)
				r, _, ok := s.find(nil, keys[k])
				if !ok || r.position+r.bytes != s.position.Load() {
					t.Fatalf("step %d: record at %d of %d bytes, writing end believed at %d", i, r.position, r.bytes, s.position.Load())
				}
				at[k] = r.position
				if i%100 == 0 {
					checkAlive(t, s, keys, at)
				}
			}
		}
	}
}

func checkAlive(t *testing.T, s *stripe, keys [][]byte, at map[int]uint64) {
	t.Helper()
	end := s.position.Load()
	for k, position := range at {
		_, _, ok := s.find(nil, keys[k])
		if want := end-position <= s.ledger.ringBytes; ok != want {
			t.Fatalf("record at %d with end %d and ring %d: found %v", position, end, s.ledger.ringBytes, ok)
		}
	}
}

func keysOf(c *Cache, s *stripe, n int) [][]byte {
	var keys [][]byte
	for i := 0; len(keys) < n; i++ {
		if k := key(i); c.stripe(k) == s {
			keys = append(keys, k)
		}
	}
	return keys
}

// The promise of recency: half a ring of writes after the last use.
func TestReadEntriesSurviveHalfARing(t *testing.T) {
	c := newTestCache(t, Options{Capacity: 2 * CapacityUnit})
	s := &c.stripes[3]
	keys := keysOf(c, s, 3000)
	used, unused, rest := keys[0], keys[1], keys[2:]
	mustSet(t, c, used, pattern(1, 100), 0)
	mustSet(t, c, unused, pattern(2, 100), 0)
	half := s.ledger.ringBytes / 2
	last := s.position.Load()
	for i := range 20000 {
		k := rest[i%len(rest)]
		const value = 150
		if s.position.Load()+ringSize(len(k), value+trailerSize)-last > half-chunkSize/16 {
			wantValue(t, c, used, pattern(1, 100))
			last = s.position.Load()
		}
		mustSet(t, c, k, pattern(i, value), 0)
	}
	wantValue(t, c, used, pattern(1, 100))
	wantMiss(t, c, unused)
	st := c.Stats()
	if turns := s.position.Load() / s.ledger.ringBytes; st.Promotions == 0 || st.Promotions > 2*turns+2 {
		t.Errorf("%d promotions in %d turns, want at most two each", st.Promotions, turns)
	}
	if st.Evictions == 0 {
		t.Error("no evictions counted")
	}
	wantBalance(t, st)
}

func TestLargeValuesArePromotedWhole(t *testing.T) {
	c := newTestCache(t, Options{})
	large := pattern(9, 20*partSize+5)
	mustSet(t, c, []byte("large"), large, 0)
	for i := range 40_000 {
		mustSet(t, c, key(i), pattern(i, 1500), 0)
		if i%1000 == 0 {
			wantValue(t, c, []byte("large"), large)
		}
	}
	wantValue(t, c, []byte("large"), large)
	if st := c.Stats(); st.Promotions == 0 {
		t.Error("the large value was never promoted")
	}
}

// A value that lost a part is a miss, and is then no longer counted.
func TestLostPartIsAMiss(t *testing.T) {
	c := newTestCache(t, Options{})
	mustSet(t, c, key(1), pattern(1, 5*partSize), 0)
	r, _, _ := c.stripe(key(1)).find(nil, key(1))
	head, ok := r.head()
	if !ok {
		t.Fatal("no head")
	}
	part := head.key(3)
	c.ring.Del(part[:])
	wantMiss(t, c, key(1))
	if st := c.Stats(); st.Entries != 0 || st.Evictions != 1 {
		t.Errorf("want one eviction and no entries: %+v", st)
	}
	if _, _, ok := c.Get(nil, part[:]); ok {
		t.Error("a part's own key can be read")
	}
	if c.Delete(part[:]) {
		t.Error("a part's own key can be deleted")
	}
}

// The index bound, with the smallest records there are.
func TestMinRecordSizeBoundsTheIndex(t *testing.T) {
	const minRecord = 256
	c := newTestCache(t, Options{MinRecordSize: minRecord})
	bound := uint64(2*CapacityUnit/minRecord + stripeCount)
	var k [4]byte
	for i := range 600_000 {
		k[0], k[1], k[2] = byte(i), byte(i>>8), byte(i>>16)
		mustSet(t, c, k[:], nil, 0)
		if i%100_000 == 0 {
			if st := c.Stats(); st.IndexEntries > bound {
				t.Fatalf("%d index entries after %d sets, the bound is %d", st.IndexEntries, i, bound)
			}
		}
	}
	st := c.Stats()
	if st.IndexEntries > bound {
		t.Errorf("%d index entries, the bound is %d", st.IndexEntries, bound)
	}
	if least := uint64(CapacityUnit / minRecord * 9 / 10); st.Entries < least {
		t.Errorf("%d entries alive, want at least %d: more padding than needed", st.Entries, least)
	}
	wantBalance(t, st)
}

// Entries is what can be read, within the one segment per ring that is stated.
func TestEntriesCountWithinASegment(t *testing.T) {
	c := newTestCache(t, Options{})
	const n, size = 300_000, 200
	for i := range n {
		mustSet(t, c, key(i), pattern(i, size), time.Duration(i%2)*time.Hour)
	}
	var living uint64
	for i := range n {
		if _, ok := c.Peek(key(i)); ok {
			living++
		}
	}
	st := c.Stats()
	perSegment := c.stripes[0].ledger.segmentSize/size + 1
	if st.Entries < living || st.Entries > living+stripeCount*perSegment {
		t.Errorf("%d entries can be read, counted %d, want up to %d more", living, st.Entries, stripeCount*perSegment)
	}
	wantBalance(t, st)
}

func TestGetUpTo(t *testing.T) {
	c := newTestCache(t, Options{})
	for _, size := range []int{10, 3 * partSize} {
		v := pattern(1, size)
		mustSet(t, c, key(1), v, 0)
		got, m, ok := c.GetUpTo([]byte("x"), key(1), size-1)
		if !ok || string(got) != "x" || m.Size != size {
			t.Errorf("below the size: %q %+v %v", got, m, ok)
		}
		got, _, ok = c.GetUpTo([]byte("x"), key(1), size)
		if !ok || string(got) != "x"+string(v) {
			t.Errorf("at the size: %d bytes, %v", len(got), ok)
		}
	}
	if st := c.Stats(); st.Hits != 2 || st.Misses != 0 {
		t.Errorf("want two hits: %+v", st)
	}
}

func TestAgeAndTTL(t *testing.T) {
	clock := newFakeClock(3 * time.Second)
	c := newTestCache(t, Options{Clock: clock.read})
	mustSet(t, c, key(1), []byte("v"), 10*time.Second)
	clock.advance(4 * time.Second)
	_, m, _ := c.Get(nil, key(1))
	if m.Age != 4*time.Second || m.TTL != 6*time.Second {
		t.Errorf("meta %+v, want age 4s, ttl 6s", m)
	}
}
