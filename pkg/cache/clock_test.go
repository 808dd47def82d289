package cache

import (
	"testing"
	"time"
)

// J6: nothing needs to run for what has expired to be reclaimed. However long
// the cache rested, the first look counts right, and the same keys anew take no
// more than before. TestJ6StoppedProcess in cmd/tiny-cache stops a process.
func TestJ6NoSweepIsMissed(t *testing.T) {
	clock := newFakeClock(0)
	c := newTestCache(t, Options{Clock: clock.read})
	fill := func() Stats {
		for i := range 3000 {
			mustSet(t, c, key(i), pattern(i, 100), time.Duration(1+i%3)*time.Second)
		}
		return c.Stats()
	}
	first := fill()
	clock.advance(1000 * time.Hour)
	if st := c.Stats(); st.Entries != 0 || st.Bytes != 0 || st.Expirations != 3000 {
		t.Errorf("after a long rest: %+v", st)
	}
	if again := fill(); again.Entries != first.Entries || again.Bytes != first.Bytes || again.IndexEntries != first.IndexEntries {
		t.Errorf("filled %+v, after the rest %+v", first, again)
	}
}

// J7: the clock is the only code of others that the cache calls. It may use the
// cache: no call is made under a lock, on whatever way an entry ends.
func TestJ7ClockMayUseTheCache(t *testing.T) {
	clock := newFakeClock(time.Second)
	var c *Cache
	inside, calls := false, 0
	c = newTestCache(t, Options{Clock: func() time.Duration {
		if c != nil && !inside {
			inside = true
			if calls++; calls%16 == 0 { // it looks at everything: slow under the race detector
				c.Stats()
			}
			c.Get(nil, []byte("hot"))
			c.Delete([]byte("nothing"))
			inside = false
		}
		return clock.read()
	}})
	done := make(chan struct{})
	go func() {
		defer close(done)
		large := pattern(1, 5*partSize)
		_ = c.Set([]byte("hot"), large[:10], 0) // read by the clock: promoted
		for i := range 30_000 {                 // turns the rings: evictions and promotions
			if err := c.Set(key(i%20_000), large[:1500], time.Duration(i%5)*time.Second); err != nil {
				t.Error(err)
			}
			switch i % 1000 {
			case 0: // overwritten, and its parts dropped
				_ = c.Set([]byte("large"), large, time.Second)
			case 1:
				c.Get(nil, []byte("large"))
				c.Peek(key(i))
			case 2:
				clock.advance(time.Second)
				c.Get(nil, []byte("large")) // expired
			case 3:
				c.Delete(key(i - 1))
			}
		}
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("the cache hangs when its clock uses it")
	}
	if st := c.Stats(); st.Evictions == 0 || st.Expirations == 0 || st.Overwrites == 0 || st.Deletes == 0 || st.Promotions == 0 {
		t.Errorf("not every way was gone: %+v", st)
	}
}

// J10: lifetimes hang on the injected clock alone, and the default one is the
// monotonic clock: its start carries a monotonic reading, which Round strips.
func TestJ10WallClockHasNoInfluence(t *testing.T) {
	start := time.Now()
	monotonic := monotonicSince(start)()
	if d := monotonicSince(start.Round(0).Add(-time.Hour))(); d < time.Hour {
		t.Errorf("a start without monotonic reading follows the wall clock: %v", d)
	}
	if monotonic < 0 || monotonic > time.Hour {
		t.Errorf("the default clock reads %v just after its start", monotonic)
	}
	if got := (Options{}).withDefaults().Clock(); got < 0 || got > time.Hour {
		t.Errorf("the default clock starts at %v, which looks like a wall clock", got)
	}
}
