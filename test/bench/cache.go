//go:build linux

package main

import (
	"context"
	"fmt"
	"os"

	"github.com/sk1-services/distributed-cache/test/bench/servers"
)

// ampleMemory holds both datasets many times.
const ampleMemory = 1 << 30

// headline is the number of connections whose figures carry no suffix.
const headline = 32

var connectionCounts = []int{1, headline, 256}

// cell is one line of the comparison: a workload on a number of connections.
type cell struct {
	workload    string
	connections int
}

// grid holds the series of all servers, cell by cell.
type grid map[cell][]series

// benchCache measures processor time, rates and latencies.
func benchCache(ctx context.Context, o options) error {
	if err := servers.PinSelf(ctx, o.loadCore); err != nil {
		return err
	}
	kinds := o.kinds()
	f, err := startFleet(ctx, o, kinds, ampleMemory)
	if err != nil {
		return err
	}
	defer f.stop()
	datasets := map[int]dataset{smallValue: newDataset(smallValue), largeValue: newDataset(largeValue)}
	for _, d := range datasets {
		if err := f.fill(ctx, d.keys, d.value); err != nil {
			return err
		}
	}
	g := grid{}
	for round := range o.rounds {
		if err := g.round(ctx, o, f, datasets, uint64(round)); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "round %d of %d done\n", round+1, o.rounds)
	}
	g.print(os.Stdout, f)
	if err := benchHalfLoad(ctx, o, f, datasets[smallValue], g); err != nil {
		return err
	}
	f.stop()
	return benchEvicting(ctx, o, kinds, g)
}

// round measures every cell once.
func (g grid) round(ctx context.Context, o options, f fleet, datasets map[int]dataset, seed uint64) error {
	for _, w := range workloads {
		if !o.wants(w.name) {
			continue
		}
		for _, connections := range connectionCounts {
			c := cell{w.name, connections}
			if g[c] == nil {
				g[c] = make([]series, len(f))
			}
			for i, s := range f {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				sample, err := measure(s, newRequests(w, datasets[w.valueSize], s.Kind.Protocol, seed), connections, o.duration)
				if err != nil {
					return err
				}
				g[c][i] = append(g[c][i], sample)
			}
		}
	}
	return nil
}
