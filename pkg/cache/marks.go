package cache

import "sync/atomic"

// marks says which records of one ring were read since they were written or
// moved: a bit for every 16 bytes of the ring, set without a lock. No record is
// shorter than 16 bytes, so no two share a bit.
type marks []atomic.Uint32

const (
	granule = 16
	// markBytes is the ring bytes that one word of marks stands for.
	markBytes = 32 * granule
)

func newMarks(ringBytes uint64) marks { return make(marks, ringBytes/markBytes) }

func (m marks) of(position uint64) (word *atomic.Uint32, bit uint32) {
	n := position / granule
	return &m[n/32%uint64(len(m))], 1 << (n % 32)
}

// set looks before it writes: what is read often stays in every core's cache.
func (m marks) set(position uint64) {
	if word, bit := m.of(position); word.Load()&bit == 0 {
		word.Or(bit)
	}
}

// take clears a mark and reports whether it was set.
func (m marks) take(position uint64) bool {
	word, bit := m.of(position)
	return word.And(^bit)&bit != 0
}
