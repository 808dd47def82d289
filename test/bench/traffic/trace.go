package traffic

import "math/rand/v2"

// Trace is the numbers of the keys that are read, one after the other.
type Trace []uint32

// Seed of all traces.
const seed = 20

func newRandom() *rand.Rand {
	return rand.New(rand.NewPCG(seed, seed)) // #nosec G404 -- traces must repeat
}

// ZipfTrace reads keys with Zipf's popularity, the same all the time.
func ZipfTrace(keys, reads int, s float64) Trace {
	zipf := NewZipf(newRandom(), keys, s)
	t := make(Trace, reads)
	for i := range t {
		t[i] = zipf.Next()
	}
	return t
}

// ScanTrace is ZipfTrace of s = 1 with scans in between: keys in order that are read once and never
// again, as by a report or a backup. A third of all reads are scans'; one scan is a twentieth of
// the keys long.
func ScanTrace(keys, reads int) Trace {
	zipf := NewZipf(newRandom(), keys, 1)
	t := make(Trace, 0, reads)
	scan, next := keys/20, uint32(keys)
	for len(t) < reads {
		for range min(2*scan, reads-len(t)) {
			t = append(t, zipf.Next())
		}
		for range min(scan, reads-len(t)) {
			t = append(t, next)
			next++
		}
	}
	return t
}

// ShiftTrace reads a hot set that wanders: nine of ten reads are of a window of hot keys, all alike,
// that moves on by a tenth of its length whenever it has been read once over on average. The tenth
// read is of any key.
func ShiftTrace(keys, reads, hot int) Trace {
	random := newRandom()
	t := make(Trace, reads)
	for i := range t {
		if random.IntN(10) == 0 {
			t[i] = random.Uint32N(uint32(keys))
			continue
		}
		start := i / hot * (hot / 10)
		t[i] = uint32((start + random.IntN(hot)) % keys)
	}
	return t
}
