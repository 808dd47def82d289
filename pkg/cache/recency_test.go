package cache

import (
	"sync"
	"testing"
)

// The promise of recency: a turn of writes after the last use, and no more than
// one move per turn.
func TestReadEntriesSurviveATurn(t *testing.T) {
	c := newTestCache(t, Options{Capacity: 2 * CapacityUnit, withoutWindow: true})
	s := &c.stripes[303]
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
// a quarter of a ring of further writes, read or not.
func TestMovesAreBounded(t *testing.T) {
	c := newTestCache(t, Options{Capacity: 4 * CapacityUnit, withoutWindow: true})
	s := &c.stripes[309]
	keys := keysOf(c, s, 4000)
	written := make([]uint64, len(keys)) // by key, the bytes that Set had written
	var total uint64
	for i, k := range keys {
		end := s.end.Load()
		mustSet(t, c, k, pattern(i, 300), 0)
		if moved := s.end.Load() - end; moved > mostMoved+chunkSize {
			t.Fatalf("one write moved the writing end by %d bytes", moved)
		}
		total += ringSize(len(k)+1, 300+shortTrailer)
		written[i] = total
		for word := range s.marks { // all was read, and none too early
			s.marks[word].Store(^uint32(0))
		}
		s.marks.take(end)
		for j := i; j >= 0 && total-written[j] < s.ringBytes/4-4*500; j -= 50 {
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
	c := newTestCache(t, Options{withoutWindow: true})
	s := &c.stripes[311]
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
