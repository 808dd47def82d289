package cache

import (
	"testing"
	"time"
)

// Between a read and what follows from it (moving the entry, dropping it, trying
// again) anyone may come in. These tests stop the clock at that point: they act
// on what an old read saw, after the entry was replaced or deleted.

// oldRead returns what a read of key saw.
func oldRead(t *testing.T, c *Cache, key []byte) (entryMeta, largeHead) {
	t.Helper()
	r, ok := c.stripe(key).find(new(workspace), c.mainKey(key))
	if !ok {
		t.Fatal("nothing stored")
	}
	size, _ := r.valueSize()
	head, _ := r.head()
	return entryMeta{trailer: r.trailer, size: size}, head
}

// A mark that comes after the entry was replaced or deleted is nobody's.
func TestStaleMarkSavesNothing(t *testing.T) {
	c := newTestCache(t, Options{withoutWindow: true})
	s := &c.stripes[305]
	keys := keysOf(c, s, 300)
	mustSet(t, c, keys[0], pattern(1, 100), 0)
	seen, _ := oldRead(t, c, keys[0])
	c.Delete(keys[0])
	mustSet(t, c, keys[0], pattern(2, 100), 0)
	s.marks.set(seen.position)
	for i, k := range keys[1:] {
		mustSet(t, c, k, pattern(i, 1000), 0)
	}
	wantMiss(t, c, keys[0])
	if st := c.Stats(); st.Promotions != 0 || st.Evictions == 0 {
		t.Errorf("want evictions and nothing moved: %+v", st)
	}
}

func TestStaleDiscardKeepsTheNewEntry(t *testing.T) {
	c := newTestCache(t, Options{})
	k := key(1)
	mustSet(t, c, k, []byte("old"), 0)
	seen, _ := oldRead(t, c, k)
	mustSet(t, c, k, []byte("new"), 0)
	c.discard(c.stripe(k), c.mainKey(k), seen.position, 0)
	wantValue(t, c, k, []byte("new"))
}

// Parts that vanish because the value was replaced are no reason for a miss.
func TestReplacedWhileReadIsReadAgain(t *testing.T) {
	c := newTestCache(t, Options{})
	k := key(1)
	mustSet(t, c, k, pattern(1, 3*partSize), 0)
	seen, head := oldRead(t, c, k)
	mustSet(t, c, k, pattern(2, 2*partSize), 0)
	if _, _, outcome := c.readLarge(c.stripe(k), nil, c.mainKey(k), seen, head, 0); outcome != readTorn {
		t.Errorf("outcome %v, want %v", outcome, readTorn)
	}
	wantValue(t, c, k, pattern(2, 2*partSize))
}

// A Set that was overtaken by a purge of a later second has expired already:
// it must show up as set and expired, not vanish from the balance.
func TestSetOvertakenByPurge(t *testing.T) {
	clock := newFakeClock(0)
	c := newTestCache(t, Options{Clock: clock.read})
	clock.advance(10 * time.Second)
	c.Stats()
	c.store(key(1), []byte("v"), trailer{kind: wholeRecord, expiry: 5e9}, 4e9)
	wantMiss(t, c, key(1))
	st := c.Stats()
	if st.Sets != 1 || st.Expirations != 1 || st.Entries != 0 || st.Bytes != 0 {
		t.Errorf("want one set, one expiration: %+v", st)
	}
	wantBalance(t, st)
}
