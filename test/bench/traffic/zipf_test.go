package traffic

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The shares of all ranks are within five standard deviations of what they should be.
func TestZipfShares(t *testing.T) {
	const ranks, draws = 1000, 1_000_000
	for _, s := range []float64{0, 0.8, 1, 1.2} {
		z := NewZipf(rand.New(rand.NewPCG(1, 2)), ranks, s)
		var counts [ranks]float64
		for range draws {
			counts[z.Next()]++
		}
		total := 0.0
		for r := range ranks {
			total += math.Pow(float64(r+1), -s)
		}
		for r, got := range counts {
			p := math.Pow(float64(r+1), -s) / total
			want, deviation := p*draws, math.Sqrt(p*(1-p)*draws)
			if math.Abs(got-want) > 5*deviation {
				t.Errorf("s=%v: rank %d drawn %v times, want %.0f ± %.0f", s, r, got, want, deviation)
			}
		}
	}
}

func TestKeys(t *testing.T) {
	seen := map[string]bool{}
	for _, key := range Keys(5, 1000) {
		if len(key) != KeySize || seen[string(key)] {
			t.Fatalf("key %q: not new, or not of %d bytes", key, KeySize)
		}
		seen[string(key)] = true
	}
	if key := string(AppendKey(nil, 6)); !seen[key] {
		t.Errorf("key 6 is %q, which is not among those from 5 on", key)
	}
}

func TestTraces(t *testing.T) {
	const keys, reads, hot = 1000, 10_000, 100
	scanned := map[uint32]int{}
	scans := ScanTrace(keys, reads)
	for _, n := range scans {
		if n >= keys {
			scanned[n]++
		}
	}
	if len(scans) != reads || len(scanned) < reads/4 || len(scanned) > reads/3+1 {
		t.Errorf("%d reads, %d of scans", len(scans), len(scanned))
	}
	for n, times := range scanned {
		if times != 1 {
			t.Errorf("key %d was scanned %d times", n, times)
		}
	}
	shifts := ShiftTrace(keys, reads, hot)
	in := func(part Trace, low uint32) (n int) {
		for _, key := range part {
			if key >= low && key < low+hot {
				n++
			}
		}
		return n
	}
	// Each window is read hot times and then moves by hot/10.
	for _, window := range []int{0, 1, 50} {
		if n := in(shifts[window*hot:(window+1)*hot], uint32(window*hot/10)); n < 80 {
			t.Errorf("window %d: %d of %d reads", window, n, hot)
		}
	}
	for i, key := range ZipfTrace(keys, 100, 1) {
		if again := ZipfTrace(keys, 100, 1)[i]; again != key || key >= keys {
			t.Fatalf("read %d: key %d, the next time %d", i, key, again)
		}
	}
}
