//go:build linux

package main

import (
	"bytes"
	"context"

	"github.com/sk1-services/distributed-cache/test/bench/traffic"
)

// window is how many reads are made before what they missed is stored. It is the same for all
// stores: those behind a connection need it for speed, and it costs hits, if hardly any.
const window = 64

// warming is the part of a trace that fills the store up and is not counted.
func warming(t traffic.Trace) int { return len(t) * 2 / 3 }

// replay reads a trace through a store: what is missed is stored. It returns the share of hits, in
// percent, after the warming.
func replay(ctx context.Context, t traffic.Trace, valueSize int, s store) (float64, error) {
	value := bytes.Repeat([]byte("v"), valueSize)
	keys, missed := make([][]byte, window), make([][]byte, 0, window)
	hits := make([]bool, window)
	warm := warming(t)
	found := 0
	for start := 0; start < len(t); start += window {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		part := t[start:min(start+window, len(t))]
		for i, number := range part {
			keys[i] = traffic.AppendKey(keys[i][:0], uint64(number))
		}
		if err := s.Get(keys[:len(part)], hits); err != nil {
			return 0, err
		}
		missed = missed[:0]
		for i := range part {
			switch {
			case !hits[i]:
				missed = append(missed, keys[i])
			case start+i >= warm:
				found++
			}
		}
		if err := s.Set(missed, value); err != nil {
			return 0, err
		}
	}
	return 100 * float64(found) / float64(len(t)-warm), nil
}
