// Package report prints what was measured: tables for readers, and each result on a line of its
// own, "figure NAME VALUE UNIT", for programs.
package report

import (
	"fmt"
	"io"
	"slices"
)

// Figure prints one result.
func Figure(w io.Writer, name string, value float64, unit string) {
	_, _ = fmt.Fprintf(w, "figure %s %s %s\n", name, Number(value), unit) // there is nobody to tell
}

// Number writes a value with three or more significant digits.
func Number(value float64) string {
	switch {
	case value >= 1000 || value <= -1000:
		return fmt.Sprintf("%.0f", value)
	case value >= 100 || value <= -100:
		return fmt.Sprintf("%.1f", value)
	case value >= 10 || value <= -10:
		return fmt.Sprintf("%.2f", value)
	}
	return fmt.Sprintf("%.3f", value)
}

// Median returns the middle value, the lower one of two; 0 of none.
func Median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[(len(sorted)-1)/2]
}

// Ratios divides pairwise.
func Ratios(a, b []float64) []float64 {
	ratios := make([]float64, 0, len(a))
	for i, value := range a {
		if i < len(b) && b[i] > 0 {
			ratios = append(ratios, value/b[i])
		}
	}
	return ratios
}
