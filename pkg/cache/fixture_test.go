package cache

import (
	"bytes"
	"fmt"
	"sync/atomic"
	"testing"
	"time"
)

// fakeClock is a clock that moves when told.
type fakeClock struct{ now atomic.Int64 }

func (c *fakeClock) read() time.Duration       { return time.Duration(c.now.Load()) }
func (c *fakeClock) advance(d time.Duration)   { c.now.Add(int64(d)) }
func newFakeClock(at time.Duration) *fakeClock { c := &fakeClock{}; c.advance(at); return c }

func newTestCache(tb testing.TB, o Options) *Cache {
	tb.Helper()
	c, err := New(o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(c.ring.Reset) // hands the chunks to the next test
	return c
}

func mustSet(tb testing.TB, c *Cache, key, value []byte, ttl time.Duration) {
	tb.Helper()
	if err := c.Set(key, value, ttl); err != nil {
		tb.Fatalf("Set(%q, %d bytes, %v): %v", key, len(value), ttl, err)
	}
}

func wantValue(tb testing.TB, c *Cache, key, want []byte) {
	tb.Helper()
	got, meta, ok := c.Get(nil, key)
	if !ok {
		tb.Fatalf("Get(%q): miss, want %d bytes", key, len(want))
	}
	if !bytes.Equal(got, want) || meta.Size != len(want) {
		tb.Fatalf("Get(%q): %d bytes with meta %+v, want %d bytes, byte for byte", key, len(got), meta, len(want))
	}
}

func wantMiss(tb testing.TB, c *Cache, key []byte) {
	tb.Helper()
	if got, _, ok := c.Get(nil, key); ok {
		tb.Fatalf("Get(%q): %d bytes, want a miss", key, len(got))
	}
	if _, ok := c.Peek(key); ok {
		tb.Fatalf("Peek(%q): found, want a miss", key)
	}
}

// wantBalance checks the conservation law of Stats.
func wantBalance(tb testing.TB, st Stats) {
	tb.Helper()
	if sum := st.Sets - st.Overwrites - st.Deletes - st.Expirations - st.Evictions; st.Entries != sum {
		tb.Errorf("entries %d, but sets - overwrites - deletes - expirations - evictions = %d: %+v", st.Entries, sum, st)
	}
}

// pattern is a value whose every cut or shift shows.
func pattern(seed, size int) []byte {
	b := make([]byte, size)
	x := uint32(seed)*2654435761 + 1
	for i := range b {
		x = x*1664525 + 1013904223
		b[i] = byte(x >> 24)
	}
	return b
}

func key(i int) []byte { return fmt.Appendf(nil, "key-%d", i) }
