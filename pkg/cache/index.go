package cache

import (
	"math/bits"

	"github.com/cespare/xxhash/v2"
)

// index follows how large fastcache's index of one ring is. It is a Go map: it
// grows with what is put in and never shrinks, but fastcache builds it anew when
// the ring wraps around and anything in it is dead. This package deletes what it
// evicts, so nothing would be, and leaves the first of every turn to that end.
type index struct {
	entries uint64
	// most is the largest number of entries since the map was built anew: it is
	// that large.
	most uint64
	// left is whether this turn's dead entry has been left, dead its hash.
	left bool
	dead uint64
}

func (x *index) added() {
	x.entries++
	x.most = max(x.most, x.entries)
}

func (x *index) removed() { x.entries-- }

// turned says that the ring has wrapped around.
func (x *index) turned() {
	if x.left {
		x.most, x.left = x.entries, false
	}
}

// leave reports whether an entry that the ring is about to overwrite is the one
// to be left in the map.
func (x *index) leave(key []byte) bool {
	if x.left {
		return false
	}
	x.left, x.dead = true, xxhash.Sum64(key)
	return true
}

// revived says that a key was put in that was not there. If it was the dead one,
// nothing is dead any more.
func (x *index) revived(key []byte) {
	if x.left && xxhash.Sum64(key) == x.dead {
		x.left = false
	}
}

// slotCost is the bytes of one slot of the map: Go takes 17, which the allocator
// rounds up.
const slotCost = 19

// bytes is the size of the map when more entries have been added. Go's map has a
// power of two of slots. Seven in eight may be used, but where entries come and
// go deleted ones clutter it. Measured over hundreds of turns, its tables split
// when they are five eighths full and hardly ever below; half is counted on.
func (x *index) bytes(more uint64) uint64 {
	return slotCost << bits.Len64(max(2*max(x.most, x.entries+more)-1, 7))
}
