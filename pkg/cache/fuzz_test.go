package cache

import (
	"testing"
	"time"
)

// modelEntry is an entry of the plain map that the cache is compared with.
type modelEntry struct {
	value   string
	expires time.Duration // 0 = never
}

// FuzzEngine runs a script of operations against the cache and a plain map with
// a clock. Few keys and far less data than the capacity: nothing is evicted, so
// the two must agree on everything. The script's bytes are taken in fours:
// operation, key, size, time.
func FuzzEngine(f *testing.F) {
	f.Add([]byte("\x00\x01\x05\x00\x01\x01\x00\x00\x02\x01\x00\x00"))
	f.Add([]byte("\x00\x01\xff\x02\x03\x00\x00\x02\x01\x01\x00\x00\x00\x01\x00\x01\x02\x01\x00\x00"))
	f.Add([]byte("\x00\x02\xfe\x01\x00\x02\xfd\x00\x01\x02\x00\x00\x03\x00\x00\x09\x01\x02\x00\x00\x04\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) > 4*200 {
			return
		}
		clock := newFakeClock(0)
		c := newTestCache(t, Options{Clock: clock.read})
		model := map[byte]modelEntry{}
		for ; len(script) >= 4; script = script[4:] {
			step(t, c, clock, model, script[0]%5, script[1]%8, script[2], script[3])
		}
		for k := range byte(8) {
			c.Delete([]byte{k})
		}
		if st := c.Stats(); st.Entries != 0 || st.Bytes != 0 {
			t.Fatalf("emptied, but %d entries and %d bytes are counted", st.Entries, st.Bytes)
		}
	})
}

func step(t *testing.T, c *Cache, clock *fakeClock, model map[byte]modelEntry, op, k, size, span byte) {
	t.Helper()
	now := clock.read()
	e, living := model[k]
	living = living && (e.expires == 0 || now < e.expires)
	switch op {
	case 0:
		n := int(size)
		if size > 200 {
			n = partSize + 300*(int(size)-210) // around and above one part
		}
		v := pattern(int(size)+int(span), n)
		ttl := time.Duration(span) * 100 * time.Millisecond
		mustSet(t, c, []byte{k}, v, ttl)
		e = modelEntry{value: string(v)}
		if ttl > 0 {
			e.expires = now + ttl
		}
		model[k] = e
	case 1:
		got, m, ok := c.Get(nil, []byte{k})
		if ok != living || (ok && string(got) != e.value) {
			t.Fatalf("Get(%d) at %v: %d bytes, %v; the model has %v", k, now, len(got), ok, living)
		}
		if ok && e.expires != 0 && m.TTL != e.expires-now {
			t.Fatalf("Get(%d) at %v: ttl %v, want %v", k, now, m.TTL, e.expires-now)
		}
	case 2:
		if ok := c.Delete([]byte{k}); ok != living {
			t.Fatalf("Delete(%d) at %v: %v; the model has %v", k, now, ok, living)
		}
		delete(model, k)
	case 3:
		clock.advance(time.Duration(span) * 70 * time.Millisecond)
	case 4:
		compareCount(t, c.Stats(), now, model)
	}
}

// compareCount allows for the stated lag of one second.
func compareCount(t *testing.T, st Stats, now time.Duration, model map[byte]modelEntry) {
	t.Helper()
	var least, most uint64
	for _, e := range model {
		if e.expires == 0 || now < e.expires {
			least++
		}
		if e.expires == 0 || now < e.expires+time.Second {
			most++
		}
	}
	if st.Entries < least || st.Entries > most {
		t.Fatalf("%d entries counted at %v, the model has %d to %d", st.Entries, now, least, most)
	}
}
