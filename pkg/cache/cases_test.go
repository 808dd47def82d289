package cache

import (
	"errors"
	"math/rand/v2"
	"os"
	"sync"
	"testing"
	"time"
)

// J1: every accepted size comes back byte for byte, everything else is refused.
func TestJ1SizesRoundTripOrAreRefused(t *testing.T) {
	const limit = DefaultMaxValueSize
	sizes := []int{
		0, 1, 512_000, partSize - 1, partSize, partSize + 1, 2*partSize - 1, 2 * partSize, 2*partSize + 1,
		65505, 65506, 65507, 65531, limit - 1, limit,
	}
	for k := 1; 1<<k <= limit; k++ {
		sizes = append(sizes, 1<<k-1, min(1<<k, limit), min(1<<k+1, limit))
	}
	for _, indexBytes := range []int64{0, minIndexBytes} {
		c := newTestCache(t, Options{IndexBytes: indexBytes})
		for _, keyLen := range []int{1, 16, MaxKeySize} {
			for _, size := range sizes {
				k, v := pattern(keyLen, keyLen), pattern(size, size)
				mustSet(t, c, k, v, 0)
				wantValue(t, c, k, v)
				if m, ok := c.Peek(k); !ok || m.Size != size {
					t.Fatalf("Peek at size %d: %+v, %v", size, m, ok)
				}
				if !c.Delete(k) {
					t.Fatalf("Delete at size %d found nothing", size)
				}
				wantMiss(t, c, k)
			}
		}
		if st := c.Stats(); st.Entries != 0 || st.Bytes != 0 {
			t.Errorf("after deleting all: %d entries, %d bytes", st.Entries, st.Bytes)
		}
		mustSet(t, c, key(1), []byte("old"), 0)
		if err := c.Set(key(1), make([]byte, limit+1), 0); !errors.Is(err, ErrTooLarge) {
			t.Errorf("one byte over the limit: %v, want ErrTooLarge", err)
		}
		wantValue(t, c, key(1), []byte("old"))
	}
}

func TestKeysOutsideTheLimitsAreRefused(t *testing.T) {
	c := newTestCache(t, Options{})
	for _, n := range []int{0, MaxKeySize + 1} {
		if err := c.Set(make([]byte, n), nil, 0); !errors.Is(err, ErrKey) {
			t.Errorf("key of %d bytes: %v, want ErrKey", n, err)
		}
		wantMiss(t, c, make([]byte, n))
		if c.Delete(make([]byte, n)) {
			t.Errorf("Delete of a key of %d bytes found something", n)
		}
	}
}

// J2: expiry needs no other activity.
func TestJ2ExpiredIsNotServed(t *testing.T) {
	for name, size := range map[string]int{"small": 3, "in parts": 3 * partSize} {
		t.Run(name, func(t *testing.T) {
			clock := newFakeClock(0)
			c := newTestCache(t, Options{Clock: clock.read})
			v := pattern(1, size)
			mustSet(t, c, key(1), v, time.Second)
			clock.advance(time.Second - 1)
			wantValue(t, c, key(1), v)
			clock.advance(1)
			wantMiss(t, c, key(1))
			if st := c.Stats(); st.Expirations != 1 || st.Entries != 0 {
				t.Errorf("want one expiration and no entry: %+v", st)
			}
		})
	}
}

// J4: what is expired is not counted, one second (the stated lag) later.
func TestJ4ExpiredIsNotCounted(t *testing.T) {
	clock := newFakeClock(300 * time.Millisecond)
	c := newTestCache(t, Options{Clock: clock.read})
	for i := range 5000 {
		mustSet(t, c, key(i), pattern(i, i%300), time.Duration(1+i%10)*time.Second)
	}
	mustSet(t, c, []byte("large"), pattern(1, 100_000), 10*time.Second)
	if st := c.Stats(); st.Entries != 5001 {
		t.Fatalf("entries %d, want 5001", st.Entries)
	}
	clock.advance(5*time.Second + time.Second)
	if st := c.Stats(); st.Entries != 2501 || st.Expirations != 2500 {
		t.Errorf("at half time: %+v", st)
	}
	clock.advance(5 * time.Second)
	st := c.Stats()
	if st.Entries != 0 || st.Bytes != 0 || st.Expirations != 5001 {
		t.Errorf("all expired, want 0 entries and bytes: %+v", st)
	}
	for i := range 5000 {
		wantMiss(t, c, key(i)) // reading them must not count them again
	}
	for i := range 5000 {
		mustSet(t, c, key(i), nil, 0)
	}
	st = c.Stats()
	if st.Expirations != 5001 || st.Overwrites != 0 || st.Entries != 5000 {
		t.Errorf("after new values: %+v", st)
	}
	wantBalance(t, st)
}

// J8: readers, writers and deleters of the same keys. After the last write of
// each key nothing else than that write may be seen, and the count is exact.
// With LONG_TESTS=1 for 30 s.
func TestJ8ConcurrentUseIsExact(t *testing.T) {
	// Rings so long that none turns while a writer waits for a processor between
	// the parts of a value and its head: then nothing is ever evicted.
	c := newTestCache(t, Options{Capacity: 16 * CapacityUnit})
	const keys, workers, rounds = 48, 64, 400
	var end time.Time
	if os.Getenv("LONG_TESTS") != "" {
		end = time.Now().Add(30 * time.Second)
	}
	sizes := []int{0, 10, 500, partSize, partSize + 1, 3 * partSize}
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(uint64(w), 8))
			var buf []byte
			for round := 0; round < rounds || time.Now().Before(end); round++ {
				k := rnd.IntN(keys)
				switch rnd.IntN(4) {
				case 0:
					size := sizes[rnd.IntN(len(sizes))]
					if err := c.Set(key(k), pattern(k+size, size), time.Duration(rnd.IntN(2))*time.Hour); err != nil {
						t.Error(err)
					}
				case 1:
					c.Delete(key(k))
				default:
					var ok bool
					if buf, _, ok = c.Get(buf[:0], key(k)); ok && string(buf) != string(pattern(k+len(buf), len(buf))) {
						t.Errorf("key %d: a torn value of %d bytes", k, len(buf))
					}
				}
			}
		})
	}
	wg.Wait()

	var living uint64
	for k := range keys {
		if _, _, ok := c.Get(nil, key(k)); ok {
			living++
		}
	}
	st := c.Stats()
	if st.Entries != living || st.Evictions != 0 {
		t.Errorf("%d keys can be read, stats say %+v", living, st)
	}
	wantBalance(t, st)
	for k := range keys {
		c.Delete(key(k))
		wantMiss(t, c, key(k))
	}
	if st := c.Stats(); st.Entries != 0 || st.Bytes != 0 {
		t.Errorf("after deleting all: %+v", st)
	}
}

// J9: a time to live is a length of time from now, or refused.
func TestJ9TTL(t *testing.T) {
	clock := newFakeClock(time.Hour)
	c := newTestCache(t, Options{Clock: clock.read})
	for _, seconds := range []int64{1, 2592000, 2592001, int64(MaxTTL / time.Second)} {
		ttl := time.Duration(seconds) * time.Second
		mustSet(t, c, key(1), []byte("v"), ttl)
		if _, m, ok := c.Get(nil, key(1)); !ok || m.TTL != ttl {
			t.Errorf("ttl of %d s: found %v, left %v", seconds, ok, m.TTL)
		}
	}
	for _, ttl := range []time.Duration{-1, -time.Second, MaxTTL + 1, 1<<63 - 1, -1 << 63} {
		if err := c.Set(key(2), nil, ttl); !errors.Is(err, ErrTTL) {
			t.Errorf("ttl %d: %v, want ErrTTL", ttl, err)
		}
	}
	mustSet(t, c, key(3), []byte("v"), 0)
	clock.advance(2 * MaxTTL)
	wantValue(t, c, key(3), []byte("v"))
}
