package load

import (
	"math"
	"testing"
	"time"
)

func TestSlots(t *testing.T) {
	last := -1
	for _, n := range []uint64{0, 1, 63, 64, 65, 127, 128, 129, 130, 255, 256, 1000, 1e6, 1e9, 1e12, math.MaxInt64} {
		s := slot(n)
		if s < last {
			t.Errorf("%d: slot %d is below that of a smaller number", n, s)
		}
		last = s
		if low := floor(s); low > n || n-low > n/64 {
			t.Errorf("%d: slot %d begins at %d", n, s, low)
		}
	}
	if last >= len(Histogram{}.counts) {
		t.Errorf("the largest number has slot %d of %d", last, len(Histogram{}.counts))
	}
}

func TestQuantile(t *testing.T) {
	var h Histogram
	if got := h.Quantile(0.5); got != 0 {
		t.Errorf("empty: %v", got)
	}
	for i := range 1000 {
		h.Add(time.Duration(i+1) * time.Microsecond)
	}
	for q, want := range map[float64]time.Duration{0.5: 500 * time.Microsecond, 0.99: 990 * time.Microsecond, 1: time.Millisecond, 0: time.Microsecond} {
		if got := h.Quantile(q); got > want || want-got > want/50 {
			t.Errorf("quantile %v: %v, want %v", q, got, want)
		}
	}
	if h.Count() != 1000 {
		t.Errorf("count %d", h.Count())
	}
}
