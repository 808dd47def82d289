//go:build linux

package main

import (
	"context"
	"fmt"
	"os"

	"golang.org/x/sync/errgroup"

	"github.com/sk1-services/distributed-cache/test/bench/lru"
	"github.com/sk1-services/distributed-cache/test/bench/report"
	"github.com/sk1-services/distributed-cache/test/bench/servers"
	"github.com/sk1-services/distributed-cache/test/bench/traffic"
)

// Traces are cut to size: so many times more keys than an exact LRU of tiny-cache's limit would
// hold, and so many reads per key, but enough to tell tenths of a point.
const (
	keysPerEntry = 3
	readsPerKey  = 2
	fewestReads  = 2_000_000
)

// pattern is a kind of trace.
type pattern struct {
	name  string
	trace func(keys, reads int) traffic.Trace
}

func zipf(s float64) func(keys, reads int) traffic.Trace {
	return func(keys, reads int) traffic.Trace { return traffic.ZipfTrace(keys, reads, s) }
}

// The pattern that memory is calibrated on is the first.
var patterns = []pattern{
	{"zipf10", zipf(1)},
	{"zipf08", zipf(0.8)},
	{"zipf12", zipf(1.2)},
	{"scan", traffic.ScanTrace},
	{"shift", func(keys, reads int) traffic.Trace {
		return traffic.ShiftTrace(keys, reads, keys/keysPerEntry/2) // half of what fits
	}},
}

// benchHitRatio compares hits at equal memory in use.
func benchHitRatio(ctx context.Context, o options) error {
	kinds := o.kinds()
	table := report.NewTable("workload", "tiny-cache %", "memcached %", "redis %", "exact LRU %",
		"tiny-cache MiB", "memcached MiB", "redis MiB")
	var all []hitRatios
	for _, valueSize := range []int{100, 1000} {
		keys := keysPerEntry * podMemory / (traffic.KeySize + valueSize + lru.Overhead)
		reads := int(float64(max(readsPerKey*keys, fewestReads)) * o.scale)
		b, err := calibrate(ctx, o, kinds, patterns[0].trace(keys, reads), valueSize)
		if err != nil {
			return err
		}
		for _, p := range patterns {
			name := fmt.Sprintf("%s_%dB", p.name, valueSize)
			if !o.wants(name) {
				continue
			}
			h, err := compare(ctx, o, kinds, b, p.trace(keys, reads), valueSize)
			if err != nil {
				return err
			}
			h.name = name
			fmt.Fprintf(os.Stderr, "%s done\n", name)
			all = append(all, h)
			table.Row(name, h.percent[tiny], h.percent[memcached], h.percent[redis], h.exact,
				float64(b.rss>>20), float64(h.rss[memcached]>>20), float64(h.rss[redis]>>20))
		}
	}
	table.Note(fmt.Sprintf("exact LRU: all of tiny-cache's memory for entries, each key + value + %d bytes.", lru.Overhead))
	table.Note("MiB: in use at the end; for tiny-cache, of the server after the first trace.")
	table.Print(os.Stdout)
	for _, h := range all {
		h.figures()
	}
	return nil
}

// hitRatios is what one trace came to.
type hitRatios struct {
	name    string
	percent [redis + 1]float64
	rss     [redis + 1]int64
	exact   float64
}

// compare replays a trace on all stores at once; none of it is timed.
func compare(ctx context.Context, o options, kinds []servers.Kind, b budget, t traffic.Trace, valueSize int) (hitRatios, error) {
	var h hitRatios
	group, ctx := errgroup.WithContext(ctx)
	for _, i := range []int{memcached, redis} {
		o := o
		if i == redis {
			o.serverCore = o.loadCore // nothing is timed: both cores may work
		}
		group.Go(func() (err error) {
			h.rss[i], err = onServer(ctx, o, kinds[i], b.limits[i], func(s store) (err error) {
				h.percent[i], err = replay(ctx, t, valueSize, s)
				return err
			})
			return err
		})
	}
	group.Go(func() error {
		e, err := newEngine(podMemory)
		if err != nil {
			return err
		}
		h.percent[tiny], err = replay(ctx, t, valueSize, e)
		return err
	})
	group.Go(func() (err error) {
		h.exact, err = replay(ctx, t, valueSize, newExact(b.rss, valueSize))
		return err
	})
	return h, group.Wait()
}

func (h *hitRatios) figures() {
	for _, f := range []struct {
		name  string
		value float64
		unit  string
	}{
		{"percent", h.percent[tiny], "%"},
		{"points_vs_memcached", h.percent[tiny] - h.percent[memcached], "points"},
		{"points_vs_redis", h.percent[tiny] - h.percent[redis], "points"},
		{"points_vs_exact_lru", h.percent[tiny] - h.exact, "points"},
	} {
		report.Figure(os.Stdout, "cache.hit_ratio."+h.name+"."+f.name, f.value, f.unit)
	}
}
