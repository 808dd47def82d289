package cache

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// The whole package stands on knowing where fastcache writes. Every record must
// be readable until it is taken out for one that needs its place, and the log
// must hold all that is readable, in order.
func TestPositionMirrorsFastcache(t *testing.T) {
	for _, capacity := range []int64{CapacityUnit, 3 * CapacityUnit} {
		for _, longest := range []int{60, 2000} {
			c := newTestCache(t, Options{Capacity: capacity, withoutWindow: true})
			s := &c.stripes[307]
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
				r, ok := s.find(&w, c.mainKey(k))
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

// stripe and mainKey are a key's place in main.
func (c *Cache) stripe(key []byte) *stripe {
	s, _ := c.place(main, key, new(placeKey))
	return s
}

func (c *Cache) mainKey(key []byte) []byte {
	_, k := c.place(main, key, new(placeKey))
	return k
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

// A value that lost a part is a miss, and is then no longer counted.
func TestLostPartIsAMiss(t *testing.T) {
	c := newTestCache(t, Options{})
	var seen [segments]bool
	for i := range 8 {
		mustSet(t, c, key(i), pattern(i, 5*partSize), 0)
		r, _ := c.stripe(key(i)).find(new(workspace), c.mainKey(key(i)))
		head, ok := r.head()
		if !ok {
			t.Fatal("no head")
		}
		seen[head.segment] = true
		_, part := c.part(head, 3)
		c.ring.Del(part[:])
		wantMiss(t, c, key(i))
		if st := c.Stats(); st.Entries != 0 || st.Evictions != uint64(i+1) {
			t.Errorf("want %d evictions and no entries: %+v", i+1, st)
		}
	}
	if !seen[window] || !seen[main] {
		t.Errorf("not in both segments: %v", seen)
	}
}

// With the byte that a place adds, a key can become a part's. That is nobody's entry.
func TestKeyOfAPartIsNoEntry(t *testing.T) {
	c := newTestCache(t, Options{})
	var tried [segments]int
	for i := range 300 { // the byte must be the one that the place tries first
		mustSet(t, c, key(0), pattern(i, 30*partSize), 0)
		r, _ := c.stripe(key(0)).find(new(workspace), c.mainKey(key(0)))
		head, _ := r.head()
		for p := range head.parts() {
			_, part := c.part(head, p)
			k := part[:partKeySize-1]
			if _, placed := c.place(head.segment, k, new(placeKey)); string(placed) != string(part[:]) {
				continue
			}
			tried[head.segment]++
			if _, _, ok := c.Get(nil, k); ok || c.Delete(k) {
				t.Fatal("a part can be read or deleted")
			}
		}
		wantValue(t, c, key(0), pattern(i, 30*partSize))
	}
	if tried[window] == 0 || tried[main] == 0 {
		t.Errorf("parts that a key could name: %v", tried)
	}
}

// The index bound, with the smallest records there are; and what was many small
// entries makes room for large ones again.
func TestIndexBytesBoundTheIndex(t *testing.T) {
	const indexBytes = 16 << 20
	c := newTestCache(t, Options{IndexBytes: indexBytes, withoutWindow: true})
	// A ring has 32 KiB: 512 entries of 8 bytes in a map of 1024 slots of 19. The
	// next larger map would leave nothing for the keys.
	const bound = (stripeCount - windowStripes) * 512
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
	if st := c.Stats(); st.Bytes < CapacityUnit*9/10*(stripeCount-windowStripes)/stripeCount {
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
