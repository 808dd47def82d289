//go:build linux

package main

import (
	"fmt"
	"time"

	"github.com/sk1-services/distributed-cache/test/bench/load"
	"github.com/sk1-services/distributed-cache/test/bench/report"
	"github.com/sk1-services/distributed-cache/test/bench/servers"
)

// sample is one measurement of one server. Times in microseconds; waited is the share of the time,
// in percent, in which other work on the machine kept the server from its core.
type sample struct{ rate, p50, p99, cpu, waited float64 }

// series is the samples of one server, round by round.
type series []sample

func (s series) values(of func(sample) float64) []float64 {
	values := make([]float64, len(s))
	for i := range s {
		values[i] = of(s[i])
	}
	return values
}

func (s series) median(of func(sample) float64) float64 { return report.Median(s.values(of)) }

func rate(s sample) float64 { return s.rate }
func p50(s sample) float64  { return s.p50 }
func p99(s sample) float64  { return s.p99 }
func cpu(s sample) float64  { return s.cpu }

func waited(s sample) float64 { return s.waited }

// mostMisses is the share of misses at which a workload of hits is none any more.
const mostMisses = 0.001

// warmUp is the part of a measurement that goes before it and is thrown away.
const warmUp = 5

// measure loads a server in a closed loop.
func measure(s *servers.Server, source *requests, connections int, duration time.Duration) (sample, error) {
	pool, err := load.Connect(s.Port, connections, source.batch, s.Kind.Protocol)
	if err != nil {
		return sample{}, err
	}
	defer func() { _ = pool.Close() }()
	if _, err := pool.Closed(source, duration/warmUp); err != nil {
		return sample{}, fmt.Errorf("%s, %s: %w", s.Kind.Name, source.name, err)
	}
	before, err := s.Usage()
	if err != nil {
		return sample{}, err
	}
	r, err := pool.Closed(source, duration)
	if err != nil {
		return sample{}, fmt.Errorf("%s, %s: %w", s.Kind.Name, source.name, err)
	}
	after, err := s.Usage()
	if err != nil {
		return sample{}, err
	}
	if misses := r.Reads - r.Hits; float64(misses) > mostMisses*float64(r.Reads) {
		return sample{}, fmt.Errorf("%s, %s: %d of %d reads missed keys that should fit: give it more memory",
			s.Kind.Name, source.name, misses, r.Reads)
	}
	return newSample(r, before, after), nil
}

func newSample(r *load.Result, before, after servers.Usage) sample {
	return sample{
		rate:   r.Rate(),
		p50:    micros(r.Latency.Quantile(0.5)),
		p99:    micros(r.Latency.Quantile(0.99)),
		cpu:    micros(after.Ran-before.Ran) / float64(r.Requests),
		waited: 100 * (after.Waited - before.Waited).Seconds() / r.Elapsed.Seconds(),
	}
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
