package cache

import "testing"

// Large values have all rings to themselves where there is nothing else; what of
// them is read outlasts the rest, in both segments.
func TestLargeValuesFillTheRings(t *testing.T) {
	c := newTestCache(t, Options{})
	const size = 100 << 10
	held := int(c.capacity) * 8 / 10 / size
	for i := range 3 * held {
		mustSet(t, c, key(i), pattern(i, size), 0)
	}
	if st := c.Stats(); st.Bytes < uint64(c.capacity)*9/10 {
		t.Errorf("large values fill %d bytes of %d", st.Bytes, c.capacity)
	}
	count := func(first, beyond, step int) (readable, of int) {
		for i := first; i < beyond; i += step {
			of++
			if _, _, ok := c.Get(nil, key(i)); ok {
				readable++
			}
		}
		return readable, of
	}
	for i := range 2 * held {
		mustSet(t, c, key(3*held+i), pattern(i, size), 0)
		if i%(held/8) == 0 {
			for j := 2 * held; j < 3*held; j += 4 {
				c.Get(nil, key(j))
			}
		}
	}
	if n, of := count(2*held, 3*held, 4); n < of/2 {
		t.Errorf("%d of %d values that were read are left", n, of)
	}
	if n, of := count(2*held+1, 3*held, 4); n > of/20 {
		t.Errorf("%d of %d values that nobody read are left", n, of)
	}
	for i := range 2 * held {
		mustSet(t, c, key(5*held+i), pattern(i, size), 0)
	}
	if n, of := count(6*held, 7*held, 1); n < of*99/100 {
		t.Errorf("%d of the last %d values can be read", n, of)
	}
	wantBalance(t, c.Stats())
}
