package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// units are those of Kubernetes quantities that make sense for memory, so that
// the operator's memoryPerPod can be handed on as it is written.
var units = []struct {
	suffix string
	bytes  int64
}{
	{"Ki", 1 << 10},
	{"Mi", 1 << 20},
	{"Gi", 1 << 30},
	{"Ti", 1 << 40},
	{"k", 1e3},
	{"M", 1e6},
	{"G", 1e9},
	{"T", 1e12},
}

// sizeFlag is a number of bytes, written plain or with a unit.
type sizeFlag int64

func (s *sizeFlag) Set(text string) error {
	number, unit := text, int64(1)
	for _, u := range units {
		if n, ok := strings.CutSuffix(text, u.suffix); ok {
			number, unit = n, u.bytes
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64/unit {
		return fmt.Errorf("want a whole number of bytes with an optional unit Ki, Mi, Gi, Ti, k, M, G or T, such as 128Mi")
	}
	*s = sizeFlag(n * unit)
	return nil
}

func (s *sizeFlag) String() string {
	for i := 3; i >= 0; i-- {
		if u := units[i]; *s != 0 && int64(*s)%u.bytes == 0 {
			return strconv.FormatInt(int64(*s)/u.bytes, 10) + u.suffix
		}
	}
	return strconv.FormatInt(int64(*s), 10)
}

// memoryFlag is a size or "auto", which is its zero value.
type memoryFlag struct{ size sizeFlag }

func (m *memoryFlag) Set(text string) error {
	if text == "auto" {
		m.size = 0
		return nil
	}
	if err := m.size.Set(text); err != nil {
		return fmt.Errorf("%w, or auto", err)
	}
	if m.size == 0 {
		return fmt.Errorf("0 is no size: give auto, or a size such as 128Mi")
	}
	return nil
}

func (m *memoryFlag) String() string {
	if m == nil || m.size == 0 {
		return "auto"
	}
	return m.size.String()
}
