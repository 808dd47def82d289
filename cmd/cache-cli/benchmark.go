package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// benchmark is what a workload met.
type benchmark struct {
	Seconds           float64            `json:"seconds"`
	Requests          int64              `json:"requests"`
	RequestsPerSecond float64            `json:"requestsPerSecond"`
	Reads             int64              `json:"reads"`
	Hits              int64              `json:"hits"`
	Writes            int64              `json:"writes"`
	Dropped           int64              `json:"dropped"`
	Milliseconds      map[string]float64 `json:"milliseconds"`
	latencies         *hdrhistogram.Histogram
}

// quantiles are those that are told, in order.
var quantiles = []struct {
	name string
	at   float64
}{{"p50", 50}, {"p90", 90}, {"p99", 99}, {"p99.9", 99.9}, {"max", 100}}

func newBenchmark(tallies []*tally, took time.Duration) benchmark {
	b := benchmark{Seconds: took.Seconds(), latencies: newTally().latencies, Milliseconds: map[string]float64{}}
	for _, t := range tallies {
		b.latencies.Merge(t.latencies)
		b.Reads += t.reads
		b.Hits += t.hits
		b.Writes += t.writes
		b.Dropped += t.unstored
	}
	b.Requests = b.Reads + b.Writes
	b.RequestsPerSecond = float64(b.Requests) / b.Seconds
	for _, q := range quantiles {
		b.Milliseconds[q.name] = float64(b.latencies.ValueAtPercentile(q.at)) / 1000
	}
	return b
}

func (b benchmark) describe(w io.Writer) error {
	hits := "none"
	if b.Reads > 0 {
		hits = percent(float64(b.Hits) / float64(b.Reads))
	}
	if err := table(
		w,
		[]any{"requests", b.Requests},
		[]any{"a second", fmt.Sprintf("%.0f", b.RequestsPerSecond)},
		[]any{"hits", fmt.Sprintf("%s of %d reads", hits, b.Reads)},
		[]any{"dropped", fmt.Sprintf("%d of %d writes", b.Dropped, b.Writes)},
	); err != nil {
		return err
	}
	fmt.Fprintln(w)
	for _, q := range quantiles {
		fmt.Fprintf(w, "%-6s %9.3f ms\n", q.name, b.Milliseconds[q.name])
	}
	fmt.Fprintln(w)
	return b.histogram(w)
}

// histogram draws the latencies: a bar for each doubling, from 1/16 ms on.
func (b benchmark) histogram(w io.Writer) error {
	const width = 50
	counts, most := map[int]int64{}, int64(1)
	first, last := -1, 0
	for _, bar := range b.latencies.Distribution() {
		if bar.Count == 0 {
			continue
		}
		class := 0
		for bound := int64(63); bar.To > bound; bound = 2*bound + 1 {
			class++
		}
		counts[class] += bar.Count
		if first < 0 {
			first = class
		}
		most, last = max(most, counts[class]), max(last, class)
	}
	for class := max(first, 0); class <= last; class++ {
		bar := strings.Repeat("#", int((counts[class]*width+most-1)/most))
		if _, err := fmt.Fprintf(w, "<%8.3f ms %9d %s\n", float64(int64(64)<<class)/1000, counts[class], bar); err != nil {
			return err
		}
	}
	return nil
}
