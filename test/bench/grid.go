//go:build linux

package main

import (
	"fmt"
	"io"

	"github.com/sk1-services/distributed-cache/test/bench/report"
)

// single is the workload that batches are measured by.
const single = "get_100B"

// print writes the table and the figures.
func (g grid) print(w io.Writer, f fleet) {
	table := report.NewTable("workload", "connections", "server", "requests/s", "p50 µs", "p99 µs", "CPU µs/request", "CPU µs/key", "CPU ratio", "waited %")
	g.each(func(wl workload, c cell, all []series) {
		for i, s := range all {
			of := s.median(cpu)
			table.Row(wl.name, c.connections, f[i].Kind.Name, s.median(rate), s.median(p50), s.median(p99),
				of, of/float64(wl.batch), report.Median(report.Ratios(s.values(cpu), all[memcached].values(cpu))), s.median(waited))
		}
	})
	table.Note("CPU ratio: to memcached doing the same, the median of the rounds' ratios.")
	table.Note("waited: the time in which other work held the server's core; rates and latencies suffer, CPU hardly.")
	table.Print(w)
	g.each(func(wl workload, c cell, all []series) { g.figures(w, wl, c, all) })
}

func (g grid) each(visit func(workload, cell, []series)) {
	for _, wl := range workloads {
		for _, connections := range connectionCounts {
			c := cell{wl.name, connections}
			if all := g[c]; all != nil {
				visit(wl, c, all)
			}
		}
	}
}

// figures writes what one cell says.
func (g grid) figures(w io.Writer, wl workload, c cell, all []series) {
	figure := func(name string, value float64, unit string) {
		report.Figure(w, "cache."+wl.name+"."+name+suffix(c.connections), value, unit)
	}
	mine := all[tiny]
	cpus := mine.values(cpu)
	figure("requests_per_s", mine.median(rate), "1/s")
	figure("p50_us", mine.median(p50), "us")
	figure("p99_us", mine.median(p99), "us")
	figure("cpu_us_per_request", mine.median(cpu), "us")
	figure("cpu_ratio_redis", report.Median(report.Ratios(cpus, all[redis].values(cpu))), "ratio")
	sameWork := report.Median(report.Ratios(cpus, all[memcached].values(cpu)))
	if wl.batch == 1 {
		figure("cpu_ratio_memcached", sameWork, "ratio")
		return
	}
	figure("cpu_us_per_key", mine.median(cpu)/float64(wl.batch), "us")
	figure("cpu_ratio_memcached_multiget", sameWork, "ratio")
	if singles := g[cell{single, c.connections}]; singles != nil {
		perRequest := report.Median(report.Ratios(cpus, singles[memcached].values(cpu)))
		figure("cpu_ratio_memcached", perRequest/float64(wl.batch), "ratio")
	}
}

func suffix(connections int) string {
	if connections == headline {
		return ""
	}
	return fmt.Sprintf("_%dconn", connections)
}
