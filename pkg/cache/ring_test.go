package cache

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"
)

// The whole package stands on knowing where fastcache writes. Every record must
// be readable until it is taken out for one that needs its place, and the log
// must hold all that is readable, in order.
func TestPositionMirrorsFastcache(t *testing.T) {
	for _, capacity := range []int64{CapacityUnit, 3 * CapacityUnit} {
		for _, longest := range []int{60, 2000} {
			c := newTestCache(t, Options{Capacity: capacity})
			s := &c.stripes[7]
			keys := keysOf(c, s, 4000)
			rnd := rand.New(rand.NewPCG(1, uint64(longest)))
			var w workspace
			var promotions uint64
			for i := range 12000 {
				k := keys[rnd.IntN(len(keys))]
				size := rnd.IntN(1 + rnd.IntN(longest))
				if i%50 == 0 {
					size = partSize
				}
				mustSet(t, c, k, pattern(i, size), 0)
				r, ok := s.find(&w, k)
				moved := s.tally.promotions != promotions
				promotions = s.tally.promotions
				if end := s.end.Load(); !ok || r.position+r.bytes != end && !moved {
					t.Fatalf("step %d: record at %d of %d bytes, writing end believed at %d", i, r.position, r.bytes, end)
				}
				c.Get(nil, keys[rnd.IntN(1+rnd.IntN(len(keys)))])
				if i%100 == 0 {
					checkLog(t, s)
				}
				if i%3 == 0 {
					c.Delete(keys[rnd.IntN(len(keys))])
				}
			}
			if promotions == 0 || s.tally.evictions == 0 {
				t.Errorf("%d moved, %d evicted: too easy", promotions, s.tally.evictions)
			}
		}
	}
}

// checkLog empties a copy of the log and compares it with what can be found.
func checkLog(t *testing.T, s *stripe) {
	t.Helper()
	l := s.log
	l.blocks, l.spare = slices.Clone(l.blocks), nil
	for i := range l.blocks {
		l.blocks[i] = slices.Clone(l.blocks[i])
	}
	var w workspace
	var living, bytes, end uint64
	for l.records > 0 {
		k, position, size := l.pop(nil)
		if position < end || position+s.ringBytes < s.end.Load() {
			t.Fatalf("the log has a record at %d, behind one that ends at %d, in a ring written to %d", position, end, s.end.Load())
		}
		end = position + size
		if r, ok := s.find(&w, k); ok && r.position == position {
			living++
			bytes += size
			if r.bytes != size {
				t.Fatalf("record at %d has %d bytes, the log says %d", position, r.bytes, size)
			}
		}
	}
	if l.bytes != 0 {
		t.Fatalf("the empty log counts %d bytes", l.bytes)
	}
	if living != s.index.entries || living != s.ledger.entries || bytes != s.ledger.bytes {
		t.Fatalf("%d records of %d bytes live; index %d, ledger %d of %d bytes", living, bytes, s.index.entries, s.ledger.entries, s.ledger.bytes)
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

// The promise of recency: a turn of writes after the last use, and no more than
// one move per turn.
func TestReadEntriesSurviveATurn(t *testing.T) {
	c := newTestCache(t, Options{Capacity: 2 * CapacityUnit})
	s := &c.stripes[3]
	keys := keysOf(c, s, 3000)
	used, unused, rest := keys[0], keys[1], keys[2:]
	mustSet(t, c, used, pattern(1, 100), 0)
	mustSet(t, c, unused, pattern(2, 100), 0)
	last := s.end.Load()
	for i := range 20000 {
		k := rest[i%len(rest)]
		const value = 150
		if s.end.Load()+chunkSize/16-last > s.ringBytes {
			wantValue(t, c, used, pattern(1, 100))
			last = s.end.Load()
		}
		mustSet(t, c, k, pattern(i, value), 0)
	}
	wantValue(t, c, used, pattern(1, 100))
	wantMiss(t, c, unused)
	st := c.Stats()
	if turns := s.end.Load() / s.ringBytes; st.Promotions == 0 || st.Promotions > turns {
		t.Errorf("%d moves in %d turns, want at most one each", st.Promotions, turns)
	}
	if st.Evictions == 0 {
		t.Error("no evictions counted")
	}
	wantBalance(t, st)
}

// Where everything was read, moves are bounded: what was just written stays for
// three eighths of a ring of further writes, read or not.
func TestMovesAreBounded(t *testing.T) {
	c := newTestCache(t, Options{Capacity: 4 * CapacityUnit})
	s := &c.stripes[9]
	keys := keysOf(c, s, 4000)
	written := make([]uint64, len(keys)) // by key, the bytes that Set had written
	var total uint64
	for i, k := range keys {
		end := s.end.Load()
		mustSet(t, c, k, pattern(i, 300), 0)
		if moved := s.end.Load() - end; moved > mostMoved+chunkSize {
			t.Fatalf("one write moved the writing end by %d bytes", moved)
		}
		total += ringSize(len(k), 300+shortTrailer)
		written[i] = total
		for word := range s.marks { // all was read, and none too early
			s.marks[word].Store(^uint32(0))
		}
		s.marks.take(end)
		for j := i; j >= 0 && total-written[j] < s.ringBytes*3/8-4*500; j -= 50 {
			if _, ok := c.Peek(keys[j]); !ok {
				t.Fatalf("entry %d is gone %d bytes after it was written, a ring has %d", j, total-written[j], s.ringBytes)
			}
		}
	}
	if total < 2*s.ringBytes || c.Stats().Promotions == 0 {
		t.Errorf("the ring of %d bytes never turned: %d written", s.ringBytes, total)
	}
}

// An entry that is being moved is never missed, whoever reads it meanwhile.
func TestMovedEntriesAreNotMissed(t *testing.T) {
	c := newTestCache(t, Options{})
	s := &c.stripes[11]
	keys := keysOf(c, s, 2000)
	large := []byte("large")
	hot := keys[:60]
	for i, k := range hot {
		mustSet(t, c, k, pattern(i, 200), 0)
	}
	mustSet(t, c, large, pattern(1, 4*partSize), 0)
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			var buf []byte
			for i := 0; ; i++ {
				select {
				case <-done:
					return
				default:
				}
				for _, k := range [][]byte{hot[i%len(hot)], large} {
					var ok bool
					if buf, _, ok = c.Get(buf[:0], k); !ok {
						t.Errorf("%q is missed while others are written", k)
						return
					}
				}
			}
		})
	}
	// A second chance needs a read per turn: the writer sees to it that there is one.
	for i := range 6000 {
		mustSet(t, c, keys[60+i%(len(keys)-60)], pattern(i, 300), 0)
		if i%20 == 0 {
			for _, k := range append(hot, large) {
				c.Get(nil, k)
			}
		}
	}
	close(done)
	readers.Wait()
	if st := c.Stats(); st.Promotions == 0 {
		t.Error("nothing was moved")
	}
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
	r, _ := c.stripe(key(1)).find(new(workspace), key(1))
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

// The index bound, with the smallest records there are; and what was many small
// entries makes room for large ones again.
func TestIndexBytesBoundTheIndex(t *testing.T) {
	const indexBytes = 16 << 20
	c := newTestCache(t, Options{IndexBytes: indexBytes})
	// A ring has 32 KiB: 640 entries of 8 bytes in a map of 1024 slots of 19. The
	// next larger map would leave nothing for the keys.
	const bound = stripeCount * 640
	var k [4]byte
	for i := range 700_000 {
		k[0], k[1], k[2] = byte(i), byte(i>>8), byte(i>>16)
		mustSet(t, c, k[:], nil, 0)
	}
	st := c.Stats()
	if st.IndexEntries > bound {
		t.Errorf("%d index entries, the bound is %d", st.IndexEntries, bound)
	}
	if least := uint64(bound * 9 / 10); st.Entries < least {
		t.Errorf("%d entries alive, want at least %d", st.Entries, least)
	}
	wantBalance(t, st)
	for i := range 100_000 {
		mustSet(t, c, key(i), pattern(i, 1000), 0)
	}
	for i := range c.stripes {
		if x := c.stripes[i].index; x.most > 200 {
			t.Fatalf("stripe %d believes in an index of %d entries when it has %d", i, x.most, x.entries)
		}
	}
	if st := c.Stats(); st.Bytes < CapacityUnit*9/10 {
		t.Errorf("large values fill %d bytes of the rings: %+v", st.Bytes, st)
	}
}

// Entries is what can be read.
func TestEntriesCountIsExact(t *testing.T) {
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
	if st.Entries != living || st.IndexEntries > living+stripeCount {
		t.Errorf("%d entries can be read, counted %d, index %d", living, st.Entries, st.IndexEntries)
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
