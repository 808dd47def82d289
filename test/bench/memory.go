//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"time"

	"github.com/sk1-services/distributed-cache/test/bench/report"
	"github.com/sk1-services/distributed-cache/test/bench/servers"
	"github.com/sk1-services/distributed-cache/test/bench/traffic"
)

// roomyMemory holds what is filled in without eviction, in any of the servers.
const roomyMemory = 2 << 30

// settle is the time after a fill in which servers tidy up what they would tidy up anyway.
const settle = 2 * time.Second

// benchMemory fills servers that have room and divides what their memory grew by.
func benchMemory(ctx context.Context, o options) error {
	kinds := o.kinds()
	table := report.NewTable("values", "entries", "server", "bytes/entry", "beyond key and value", "ratio")
	type figure struct {
		name  string
		value float64
		unit  string
	}
	var figures []figure
	for _, c := range []struct {
		name           string
		value, entries int
	}{{"100B", 100, 1_000_000}, {"1KiB", 1 << 10, 300_000}} {
		if !o.wants(c.name) {
			continue
		}
		entries := max(1, int(float64(c.entries)*o.scale))
		var perEntry [redis + 1]float64
		for i, kind := range kinds {
			grown, err := growth(ctx, o, kind, traffic.Keys(0, entries), bytes.Repeat([]byte("v"), c.value))
			if err != nil {
				return err
			}
			perEntry[i] = float64(grown) / float64(entries)
		}
		for i, kind := range kinds {
			table.Row(c.name, entries, kind.Name, perEntry[i], perEntry[i]-float64(traffic.KeySize+c.value), perEntry[i]/perEntry[memcached])
			name := "cache.rss_per_entry_" + c.name + ".bytes"
			if i != tiny {
				name += "_" + kind.Name
			}
			figures = append(figures, figure{name, perEntry[i], "B"})
		}
		figures = append(figures, figure{"cache.rss_per_entry_" + c.name + ".ratio_memcached", perEntry[tiny] / perEntry[memcached], "ratio"})
	}
	table.Print(os.Stdout)
	for _, f := range figures {
		report.Figure(os.Stdout, f.name, f.value, f.unit)
	}
	return nil
}

// growth returns by how much the memory in use of a new server grows when it is filled. All that
// was stored must still be there, or it would be divided by too much.
func growth(ctx context.Context, o options, kind servers.Kind, keys [][]byte, value []byte) (int64, error) {
	s, err := servers.Start(ctx, kind, o.serverCore, roomyMemory)
	if err != nil {
		return 0, err
	}
	defer s.Stop()
	before, err := s.RSS()
	if err != nil {
		return 0, err
	}
	if err := fill(ctx, s, keys, value); err != nil {
		return 0, fmt.Errorf("%s: %w", kind.Name, err)
	}
	time.Sleep(settle)
	after, err := s.RSS()
	if err != nil {
		return 0, err
	}
	missing, err := countMissing(ctx, s, keys)
	switch {
	case err != nil:
		return 0, fmt.Errorf("%s: %w", kind.Name, err)
	case float64(missing) > mostMisses*float64(len(keys)):
		return 0, fmt.Errorf("%s: %d of %d entries are gone: give it more memory", kind.Name, missing, len(keys))
	}
	return after - before, nil
}
