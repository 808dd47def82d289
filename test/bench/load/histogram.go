package load

import (
	"math/bits"
	"time"
)

// subBits is how finely each power of two is divided: errors stay below 1/64.
const subBits = 6

// Histogram counts durations. The zero value is empty.
type Histogram struct {
	counts [(64 - subBits + 1) << subBits]uint64
	total  uint64
}

// Add counts one duration.
func (h *Histogram) Add(d time.Duration) {
	h.counts[slot(uint64(max(d, 0)))]++
	h.total++
}

// Count returns how many durations were added.
func (h *Histogram) Count() uint64 { return h.total }

// Quantile returns the duration that a share q of all is not above, but for the width of a slot.
func (h *Histogram) Quantile(q float64) time.Duration {
	rank := uint64(q * float64(h.total))
	var seen uint64
	for i, n := range h.counts {
		if seen += n; n > 0 && seen >= rank {
			return time.Duration(floor(i))
		}
	}
	return 0
}

// slot is n itself below 2^subBits, and then 2^subBits slots for each power of two.
func slot(n uint64) int {
	shift := max(bits.Len64(n)-subBits-1, 0)
	return shift<<subBits + int(n>>shift)
}

// floor is the least number in a slot.
func floor(slot int) uint64 {
	shift := max(slot>>subBits-1, 0)
	return uint64(slot-shift<<subBits) << shift
}
