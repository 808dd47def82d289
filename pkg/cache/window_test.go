package cache

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"
)

// fullCache returns a cache whose main segment is full of entries that nobody reads.
func fullCache(t *testing.T, o Options) *Cache {
	t.Helper()
	c := newTestCache(t, o)
	for i := range 60_000 {
		mustSet(t, c, []byte{'f', byte(i), byte(i >> 8), byte(i >> 16)}, pattern(i, 1000), 0)
	}
	for i := range c.stripes {
		if s := &c.stripes[i]; s.segment == main && !s.full {
			t.Fatalf("stripe %d is not full", i)
		}
	}
	return c
}

func (c *Cache) has(in segment, key []byte) bool {
	s, placed := c.place(in, key, new(placeKey))
	_, ok := s.find(new(workspace), placed)
	return ok
}

// window bytes are what the window holds, all its rings together.
func (c *Cache) windowBytes() int { return int(c.capacity) / stripeCount * windowStripes }

// A new entry stays for most of a turn of the window, read or not; rings fill
// unevenly.
func TestNewEntriesStayInTheWindow(t *testing.T) {
	c := fullCache(t, Options{})
	mustSet(t, c, key(0), []byte("v"), 0)
	if !c.has(window, key(0)) || c.has(main, key(0)) {
		t.Fatal("a new entry is not in the window")
	}
	const size = 500
	for i := range c.windowBytes() * 8 / 10 / size {
		mustSet(t, c, key(1+i), pattern(i, size-40), 0)
	}
	if _, ok := c.Peek(key(0)); !ok {
		t.Error("a new entry is gone before the window has turned")
	}
	for i := range c.windowBytes() / size {
		mustSet(t, c, []byte{'x', byte(i), byte(i >> 8), byte(i >> 16)}, pattern(i, size-40), 0)
	}
	if c.has(window, key(0)) {
		t.Error("an entry is in the window after a turn")
	}
	wantBalance(t, c.Stats())
}

// What was read in the window survives scans of any length, for as long as it is
// read; they do not get to main.
func TestScansDoNotReachMain(t *testing.T) {
	c := fullCache(t, Options{})
	const hot = 200
	for i := range hot {
		mustSet(t, c, key(i), pattern(i, 300), 0)
		wantValue(t, c, key(i), pattern(i, 300))
	}
	scanned := 10 * int(c.capacity) / 600
	for i := range scanned {
		mustSet(t, c, key(hot+i), pattern(i, 560), 0)
		if i%(scanned/20) == 0 {
			for j := range hot {
				c.Get(nil, key(j))
			}
		}
	}
	lost, inMain := 0, 0
	for i := range hot {
		if !c.has(main, key(i)) {
			lost++
		}
	}
	for i := range scanned {
		if c.has(main, key(hot+i)) {
			inMain++
		}
	}
	if lost > 0 {
		t.Errorf("%d of %d entries that are read were lost to a scan", lost, hot)
	}
	if most := scanned/luckyShare + scanned/1000; inMain > most {
		t.Errorf("%d of %d scanned entries are in main, want at most %d", inMain, scanned, most)
	}
	wantBalance(t, c.Stats())
}

// Where all that is asked for now comes again later than the window lasts, main
// follows in time.
func TestMainFollowsWhatComesLate(t *testing.T) {
	c := fullCache(t, Options{})
	const size = 2000
	loop := int(c.capacity) * 6 / 10 / size
	hits := 0
	for round := range 60 {
		hits = 0
		for i := range loop {
			if _, _, ok := c.Get(nil, key(i)); ok {
				hits++
			} else {
				mustSet(t, c, key(i), pattern(i, size-40), 0)
			}
		}
		if round == 0 && hits > 0 {
			t.Fatalf("%d hits in the first round", hits)
		}
	}
	if hits < loop*9/10 {
		t.Errorf("%d hits in a loop over %d entries that fit", hits, loop)
	}
}

// Whatever happens to a key, wherever it is, it has one record, the last one.
func TestOneRecordOfAKey(t *testing.T) {
	t.Run("small values", func(t *testing.T) {
		c := doAnything(t, 1500)
		for i := range c.stripes {
			checkLog(t, &c.stripes[i])
		}
	})
	t.Run("large values too", func(t *testing.T) { doAnything(t, 4*partSize) })
}

func doAnything(t *testing.T, longest int) *Cache {
	t.Helper()
	c := fullCache(t, Options{})
	random := rand.New(rand.NewPCG(1, 2))
	model := map[int][]byte{}
	for i := range 200_000 {
		k := random.IntN(1 + random.IntN(20_000))
		switch n := random.IntN(10); {
		case n == 0:
			c.Delete(key(k))
			delete(model, k)
		case n < 5:
			size := random.IntN(1500)
			if n == 1 {
				size = random.IntN(longest)
			}
			v := pattern(i, size)
			mustSet(t, c, key(k), v, time.Duration(random.IntN(2))*time.Hour)
			model[k] = v
		default:
			if got, _, ok := c.Get(nil, key(k)); ok && string(got) != string(model[k]) {
				t.Fatalf("step %d: key %d has %d bytes that are not the last ones set", i, k, len(got))
			}
		}
		if c.has(window, key(k)) && c.has(main, key(k)) {
			t.Fatalf("step %d: key %d has two records", i, k)
		}
	}
	st := c.Stats()
	if st.Promotions == 0 || st.Evictions == 0 {
		t.Errorf("too easy: %+v", st)
	}
	wantBalance(t, st)
	return c
}

// A key that is read without a pause is not missed on its way from the window to
// main.
func TestPromotedEntriesAreNotMissed(t *testing.T) {
	c := fullCache(t, Options{})
	const hot = 300
	for i := range hot {
		mustSet(t, c, key(i), pattern(i, 200), 0)
	}
	done := make(chan struct{})
	var readers sync.WaitGroup
	for r := range 2 {
		readers.Go(func() {
			var buf []byte
			for i := r; ; i++ {
				select {
				case <-done:
					return
				default:
				}
				var ok bool
				if buf, _, ok = c.Get(buf[:0], key(i%hot)); !ok {
					t.Errorf("key %d is missed", i%hot)
					return
				}
			}
		})
	}
	for i := range 2 * c.windowBytes() / 500 {
		mustSet(t, c, key(hot+i), pattern(i, 460), 0)
		if i%100 == 0 {
			for j := range hot {
				c.Get(nil, key(j)) // a read per turn, however slow the readers are
			}
		}
	}
	close(done)
	readers.Wait()
	for i := range hot {
		if !c.has(main, key(i)) {
			t.Errorf("key %d is not in main", i)
		}
	}
}

// An entry whose time ends on its way is counted once.
func TestExpiryOfWhatIsPromoted(t *testing.T) {
	clock := newFakeClock(0)
	c := fullCache(t, Options{Clock: clock.read})
	const short = 2000
	for i := range short {
		mustSet(t, c, key(i), pattern(i, 300), time.Duration(1+i%10)*time.Second)
		c.Get(nil, key(i))
	}
	for i := range c.windowBytes() * 2 / 500 {
		mustSet(t, c, key(short+i), pattern(i, 460), 0)
		if i%500 == 0 {
			clock.advance(100 * time.Millisecond)
		}
		if i%700 == 0 {
			c.Stats() // purges
		}
	}
	clock.advance(time.Minute)
	st := c.Stats()
	if wantBalance(t, st); st.Expirations != short {
		t.Errorf("%d expirations of %d entries: %+v", st.Expirations, short, st)
	}
	for i := range c.stripes {
		if len(c.stripes[i].ledger.due) != 0 {
			t.Fatalf("stripe %d waits for deadlines that have passed", i)
		}
	}
}
