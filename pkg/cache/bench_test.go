package cache

import (
	"fmt"
	"testing"
	"time"
)

func BenchmarkGetHit(b *testing.B) {
	for _, size := range []int{100, 4 << 10, 100 << 10} {
		b.Run(fmt.Sprintf("%dB", size), func(b *testing.B) {
			c := newTestCache(b, Options{Capacity: 4 * CapacityUnit})
			k := key(1)
			mustSet(b, c, k, pattern(1, size), time.Hour)
			buf := make([]byte, 0, size+ReadSlack)
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				if _, _, ok := c.Get(buf, k); !ok {
					b.Fatal("miss")
				}
			}
		})
	}
}

func BenchmarkSet(b *testing.B) {
	c := newTestCache(b, Options{Capacity: 4 * CapacityUnit})
	v := pattern(1, 100)
	keys := make([][]byte, 1<<16)
	for i := range keys {
		keys[i] = key(i)
	}
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		mustSet(b, c, keys[i%len(keys)], v, time.Hour)
	}
}

func TestGetHitDoesNotAllocate(t *testing.T) {
	c := newTestCache(t, Options{})
	for _, size := range []int{0, 100, 50_000} {
		k := key(size)
		mustSet(t, c, k, pattern(1, size), time.Hour)
		buf := make([]byte, 0, size+ReadSlack)
		if n := testing.AllocsPerRun(200, func() { c.Get(buf, k) }); n != 0 {
			t.Errorf("Get of %d bytes: %v allocations", size, n)
		}
	}
}
