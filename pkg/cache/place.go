package cache

import "github.com/cespare/xxhash/v2"

// segment is a share of the rings. New entries go to the window, and from there
// to main if they were read.
type segment int

const (
	window segment = iota
	main
	segments
)

// windowStripes is how many of the stripes are the window's, the first ones: three
// eighths. Chosen on the traces of test/bench: with less, a hot set that wanders is
// lost before it is read again; with more, what is read seldom but for ever has no
// room.
const windowStripes = stripeCount * 3 / 8

// stripes are those of a segment.
func (s segment) stripes() (rings struct{ first, count uint64 }) {
	if s == window {
		rings.count = windowStripes
	} else {
		rings.first, rings.count = windowStripes, stripeCount-windowStripes
	}
	return rings
}

func segmentOf(stripe uint64) segment {
	if stripe < windowStripes {
		return window
	}
	return main
}

// placeKey is the memory for the key of a place.
type placeKey [MaxKeySize + 1]byte

// place returns where the record of a key may stand in a segment: the stripe, and
// the key there, in buf. fastcache chooses the ring by the hash of the key, so that
// key is the caller's and one byte more: the first with which the hash falls into
// the segment. None of 256 would do with a probability of 10^-52. (They are two
// results since one struct of both would move buf to the heap.)
func (c *Cache) place(in segment, key []byte, buf *placeKey) (*stripe, []byte) {
	n := copy(buf[:], key)
	salted := buf[:n+1]
	for salt := byte(0); ; salt++ {
		salted[n] = salt
		if i := xxhash.Sum64(salted) % stripeCount; segmentOf(i) == in {
			return &c.stripes[i], salted
		}
	}
}

// callersKey is the key that a place's key was made of.
func callersKey(placed []byte) []byte { return placed[:len(placed)-1] }
