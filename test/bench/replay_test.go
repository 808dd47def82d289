//go:build linux

package main

import (
	"testing"

	"github.com/sk1-services/distributed-cache/test/bench/lru"
	"github.com/sk1-services/distributed-cache/test/bench/traffic"
	"github.com/sk1-services/distributed-cache/test/bench/wire"
)

// Where all fits, each key is missed once, in any store; where nothing stays, always.
func TestReplay(t *testing.T) {
	const keys = 1000
	e, err := newEngine(podMemory)
	if err != nil {
		t.Fatal(err)
	}
	trace := make(traffic.Trace, 3*keys)
	for i := range trace {
		trace[i] = uint32(i % keys)
	}
	for name, c := range map[string]struct {
		store store
		want  float64
	}{
		"engine":    {e, 100},
		"exact":     {newExact(keys*(traffic.KeySize+100+lru.Overhead), 100), 100},
		"too small": {newExact((keys-window)*(traffic.KeySize+100+lru.Overhead), 100), 0},
	} {
		if got, err := replay(t.Context(), trace, 100, c.store); err != nil || got != c.want {
			t.Errorf("%s: %v %%, %v; want %v", name, got, err, c.want)
		}
	}
}

// The same seed asks for the same, and the share of stores is what it should be.
func TestRequests(t *testing.T) {
	d := newDataset(smallValue)
	for _, w := range workloads {
		a := newRequests(w, d, wire.Memcached{}, 7)
		b := newRequests(w, d, wire.Memcached{}, 7)
		sets, total := 0, 2000
		for range total {
			x, op := a.Next(nil)
			y, _ := b.Next(nil)
			if string(x) != string(y) {
				t.Fatalf("%s: %q and %q", w.name, x, y)
			}
			if op == wire.Set {
				sets++
			}
		}
		if share := float64(sets) / float64(total); share < w.sets*0.7 || share > w.sets*1.3 {
			t.Errorf("%s: %v are stores, want %v", w.name, share, w.sets)
		}
	}
}
