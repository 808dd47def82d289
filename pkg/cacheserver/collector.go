package cacheserver

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/sk1-services/distributed-cache/pkg/cache"
)

// statsCollector reads the engine's counters when Prometheus asks for them, so
// that they cost nothing in between.
type statsCollector struct {
	server  *Server
	entries []statsMetric

	connections, maxConnections, rejected, draining, build *prometheus.Desc
}

type statsMetric struct {
	desc  *prometheus.Desc
	kind  prometheus.ValueType
	value func(cache.Stats) uint64
}

func newStatsCollector(s *Server) *statsCollector {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("tiny_cache_"+name, help, labels, nil)
	}
	const counter, gauge = prometheus.CounterValue, prometheus.GaugeValue
	return &statsCollector{
		server: s,
		entries: []statsMetric{
			{desc("hits_total", "Reads that found an entry."), counter, func(s cache.Stats) uint64 { return s.Hits }},
			{desc("misses_total", "Reads that found none, or an expired one."), counter, func(s cache.Stats) uint64 { return s.Misses }},
			{desc("sets_total", "Values stored."), counter, func(s cache.Stats) uint64 { return s.Sets }},
			{desc("overwrites_total", "Values stored that replaced a living one."), counter, func(s cache.Stats) uint64 { return s.Overwrites }},
			{desc("deletes_total", "Entries removed by request."), counter, func(s cache.Stats) uint64 { return s.Deletes }},
			{desc("expirations_total", "Entries whose time to live ended."), counter, func(s cache.Stats) uint64 { return s.Expirations }},
			{desc("evictions_total", "Entries that had to go for space."), counter, func(s cache.Stats) uint64 { return s.Evictions }},
			{desc("promotions_total", "Entries rewritten because they were read."), counter, func(s cache.Stats) uint64 { return s.Promotions }},
			{desc("entries", "Living entries."), gauge, func(s cache.Stats) uint64 { return s.Entries }},
			{desc("bytes", "Ring space of living entries in bytes."), gauge, func(s cache.Stats) uint64 { return s.Bytes }},
			{desc("limit_bytes", "Size of the rings in bytes."), gauge, func(s cache.Stats) uint64 { return s.Capacity }},
			{desc("index_entries", "Entries in the index, dead ones included."), gauge, func(s cache.Stats) uint64 { return s.IndexEntries }},
		},
		connections:    desc("connections", "Open client connections."),
		maxConnections: desc("connections_limit", "Most client connections allowed."),
		rejected:       desc("connections_rejected_total", "Connections refused at the limit."),
		draining:       desc("draining", "1 from SIGTERM on."),
		build:          desc("build_info", "Always 1.", "version"),
	}
}

// Describe implements prometheus.Collector.
func (c *statsCollector) Describe(out chan<- *prometheus.Desc) {
	for _, m := range c.entries {
		out <- m.desc
	}
	out <- c.connections
	out <- c.maxConnections
	out <- c.rejected
	out <- c.draining
	out <- c.build
}

// Collect implements prometheus.Collector.
func (c *statsCollector) Collect(out chan<- prometheus.Metric) {
	st := c.server.cache.Stats()
	for _, m := range c.entries {
		out <- prometheus.MustNewConstMetric(m.desc, m.kind, float64(m.value(st)))
	}
	open, rejected := c.server.connections.count()
	draining := 0.0
	if c.server.draining.Load() {
		draining = 1
	}
	out <- prometheus.MustNewConstMetric(c.connections, prometheus.GaugeValue, float64(open))
	out <- prometheus.MustNewConstMetric(c.maxConnections, prometheus.GaugeValue, float64(c.server.options.MaxConnections))
	out <- prometheus.MustNewConstMetric(c.rejected, prometheus.CounterValue, float64(rejected))
	out <- prometheus.MustNewConstMetric(c.draining, prometheus.GaugeValue, draining)
	out <- prometheus.MustNewConstMetric(c.build, prometheus.GaugeValue, 1, c.server.options.Version)
}
