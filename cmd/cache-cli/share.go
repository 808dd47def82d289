package main

import (
	"fmt"
	"strconv"

	"github.com/sk1-services/distributed-cache/pkg/ring"
)

// sampleSize is the number of keys by which shares are estimated: enough for a tenth of a percent.
const sampleSize = 200_000

// sample calls f for each key of the sample, which is always the same.
func sample(f func(key []byte)) {
	key := []byte("sample-")
	for i := range sampleSize {
		f(strconv.AppendInt(key, int64(i), 10))
	}
}

// shares estimates which part of all keys each member owns.
func shares(members []string) (map[string]float64, error) {
	router, err := ring.NewRouter(members)
	if err != nil {
		return nil, err
	}
	keys := map[string]int{}
	sample(func(key []byte) {
		if owner, ok := router.Locate(key); ok {
			keys[owner]++
		}
	})
	held := map[string]float64{}
	for member, n := range keys {
		held[member] = float64(n) / sampleSize
	}
	return held, nil
}

// moved estimates which part of all keys has another owner in the later ring; keys that have no
// owner in one of them count.
func moved(before, after []string) (float64, error) {
	from, err := ring.NewRouter(before)
	if err != nil {
		return 0, err
	}
	to, err := ring.NewRouter(after)
	if err != nil {
		return 0, err
	}
	keys := 0
	sample(func(key []byte) {
		was, _ := from.Locate(key)
		is, _ := to.Locate(key)
		if was != is {
			keys++
		}
	})
	return float64(keys) / sampleSize, nil
}

func percent(part float64) string { return fmt.Sprintf("%.1f %%", 100*part) }
