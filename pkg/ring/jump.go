package ring

// jump is the jump consistent hash of Lamping and Veach ("A Fast, Minimal Memory, Consistent Hash
// Algorithm", 2014): the slot of h among slots, of which there are 1 to MaxOrdinal+1.
func jump(h uint64, slots int) int {
	n, b := uint64(slots), uint64(0)
	for {
		h = h*2862933555777941757 + 1
		d := h>>33 + 1
		// A leap beyond the slots is the end, and need not be computed.
		if (b+1)<<31 > n*d {
			return int(b)
		}
		next := leap(b, d)
		if next >= n {
			return int(b)
		}
		b = next
	}
}

// leap is where the published function goes from b, by integers, which is sooner there. If the
// quotient is whole, the two roundings of the published formula may leave it just below, which
// makes the result one less. Otherwise it is at least 1/d, and so 2^-31, away from a whole number,
// and as long as it is below 2^20 the roundings are not off by as much.
func leap(b, d uint64) uint64 {
	dividend := (b + 1) << 31
	quotient := dividend / d
	if quotient*d == dividend {
		return uint64(int64(float64(b+1) * (float64(1<<31) / float64(d))))
	}
	return quotient
}
