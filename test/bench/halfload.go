//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/sk1-services/distributed-cache/test/bench/load"
	"github.com/sk1-services/distributed-cache/test/bench/report"
	"github.com/sk1-services/distributed-cache/test/bench/servers"
	"github.com/sk1-services/distributed-cache/test/bench/traffic"
)

// halfLoadFactor stretches these measurements: a p99 needs more requests than a mean.
const halfLoadFactor = 3

// benchHalfLoad sends GETs at half the highest rate of each server, whatever it does, and prints
// how long they take.
func benchHalfLoad(ctx context.Context, o options, f fleet, d dataset, g grid) error {
	w := workloads[0]
	return latencies(ctx, o, f, g[cell{w.name, headline}], "half_load", func(s *servers.Server, seed uint64) load.Source {
		return newRequests(w, d, s.Kind.Protocol, seed)
	})
}

const (
	// evictingMemory is soon full.
	evictingMemory = 128 << 20
	// filling is more keys than fit into it.
	filling = 1_200_000
	// hotKeys are read all the time, and few enough to stay.
	hotKeys = 20_000
)

// benchEvicting does the same in full servers, with a tenth of the requests storing new keys.
func benchEvicting(ctx context.Context, o options, kinds []servers.Kind, g grid) error {
	w := workloads[2]
	if g[cell{w.name, headline}] == nil {
		return nil
	}
	f, err := startFleet(ctx, o, kinds, evictingMemory)
	if err != nil {
		return err
	}
	defer f.stop()
	value := bytes.Repeat([]byte("v"), w.valueSize)
	if err := f.fill(ctx, traffic.Keys(0, filling), value); err != nil {
		return err
	}
	hot := dataset{keys: traffic.Keys(0, hotKeys), value: value}
	if err := f.fill(ctx, hot.keys, value); err != nil {
		return err
	}
	next := uint64(filling)
	return latencies(ctx, o, f, g[cell{w.name, headline}], "half_load_evicting", func(s *servers.Server, seed uint64) load.Source {
		return &newcomers{requests: newRequests(w, hot, s.Kind.Protocol, seed), next: &next}
	})
}

// latencies measures all servers of a fleet in open loops, each at half of what it did before.
func latencies(ctx context.Context, o options, f fleet, before []series, name string, source func(*servers.Server, uint64) load.Source) error {
	if before == nil {
		return nil
	}
	table := report.NewTable(name, "server", "requests/s", "p50 µs", "p99 µs", "best p99 µs", "waited %")
	all := make([]series, len(f))
	for round := range o.rounds {
		for i, s := range f {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			sample, err := halfLoad(s, source(s, uint64(round)), before[i].median(rate)/2, o.duration*halfLoadFactor, uint64(round))
			if err != nil {
				return fmt.Errorf("%s, %s: %w", s.Kind.Name, name, err)
			}
			all[i] = append(all[i], sample)
		}
	}
	for i, s := range f {
		table.Row("", s.Kind.Name, all[i].median(rate), all[i].median(p50), all[i].median(p99),
			slices.Min(all[i].values(p99)), all[i].median(waited))
	}
	table.Print(os.Stdout)
	for i, s := range f {
		figure := "cache.get_100B.p99_" + name
		if i != tiny {
			figure += "_" + s.Kind.Name
		}
		report.Figure(os.Stdout, figure+"_ms", all[i].median(p99)/1000, "ms")
	}
	return nil
}

func halfLoad(s *servers.Server, source load.Source, rate float64, duration time.Duration, seed uint64) (sample, error) {
	pool, err := load.Connect(s.Port, headline, 1, s.Kind.Protocol)
	if err != nil {
		return sample{}, err
	}
	defer func() { _ = pool.Close() }()
	before, err := s.Usage()
	if err != nil {
		return sample{}, err
	}
	r, err := pool.Open(source, rate, duration, seed)
	if err != nil {
		return sample{}, err
	}
	after, err := s.Usage()
	return newSample(r, before, after), err
}
