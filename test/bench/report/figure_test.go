package report

import (
	"strings"
	"testing"
)

func TestFigure(t *testing.T) {
	var b strings.Builder
	Figure(&b, "cache.get.cpu_ratio", 1.23456, "ratio")
	Figure(&b, "cache.get.points", -0.5, "points")
	Figure(&b, "cache.get.rate", 123456.7, "1/s")
	want := "figure cache.get.cpu_ratio 1.235 ratio\nfigure cache.get.points -0.500 points\nfigure cache.get.rate 123457 1/s\n"
	if b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

func TestMedian(t *testing.T) {
	if m := Median([]float64{9, 1, 5}); m != 5 {
		t.Errorf("median %v", m)
	}
	if m := Median(nil); m != 0 {
		t.Errorf("median of none %v", m)
	}
	if r := Ratios([]float64{4, 1, 3}, []float64{2, 0}); len(r) != 1 || r[0] != 2 {
		t.Errorf("ratios %v", r)
	}
}
