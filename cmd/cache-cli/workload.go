package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// workload is what a benchmark sends.
type workload struct {
	workers, keys, size int
	duration            time.Duration
	reads               float64
}

// benchTTL is how long the benchmark's keys stay when it has ended.
const benchTTL = 2 * time.Minute

func (l workload) check() error {
	switch {
	case l.workers < 1 || l.workers > 4096:
		return wrongUse("--connections %d: 1 to 4096", l.workers)
	case l.keys < 1:
		return wrongUse("--keys %d: 1 or more", l.keys)
	case l.size < 0 || l.size > maxValue:
		return wrongUse("--size %d: 0 to %d", l.size, maxValue)
	case l.reads < 0 || l.reads > 1:
		return wrongUse("--reads %g: 0 to 1", l.reads)
	case l.duration <= 0:
		return wrongUse("--duration %s: more than 0", l.duration)
	}
	return nil
}

// tally is what one worker saw; latencies are in microseconds, up to a minute.
type tally struct {
	latencies                     *hdrhistogram.Histogram
	reads, hits, writes, unstored int64
}

func newTally() *tally {
	return &tally{latencies: hdrhistogram.New(1, time.Minute.Microseconds(), 3)}
}

func benchKey(i int) []byte { return fmt.Appendf(nil, "dcache-bench-%d", i) }

// run writes every key once, unmeasured, and then measures. It ends early with ctx, and still
// tells what was measured until then.
func (l workload) run(ctx context.Context, v *session, progress func(left time.Duration, requests int64)) (benchmark, error) {
	value := make([]byte, l.size)
	if err := l.fill(ctx, v, value); err != nil {
		return benchmark{}, err
	}
	measuring, cancel := context.WithTimeout(ctx, l.duration)
	defer cancel()
	var (
		requests atomic.Int64
		running  sync.WaitGroup
		failed   = make(chan error, l.workers)
		tallies  = make([]*tally, l.workers)
		started  = time.Now()
	)
	for i := range tallies {
		tallies[i] = newTally()
		running.Go(func() {
			if err := l.work(measuring, v, value, tallies[i], &requests); err != nil {
				failed <- err
				cancel()
			}
		})
	}
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	for done := false; !done; {
		select {
		case <-tick.C:
			progress(l.duration-time.Since(started), requests.Load())
		case <-measuring.Done():
			done = true
		}
	}
	running.Wait()
	select {
	case err := <-failed:
		return benchmark{}, err
	default:
		return newBenchmark(tallies, time.Since(started)), nil
	}
}

func (l workload) fill(ctx context.Context, v *session, value []byte) error {
	var filling sync.WaitGroup
	var failure atomic.Pointer[error]
	for worker := range l.workers {
		filling.Go(func() {
			for i := worker; i < l.keys && failure.Load() == nil; i += l.workers {
				if _, err := v.Set(ctx, benchKey(i), value, l.duration+benchTTL); err != nil {
					failure.Store(&err)
				}
			}
		})
	}
	filling.Wait()
	if err := failure.Load(); err != nil {
		return fmt.Errorf("write the keys: %w", *err)
	}
	return nil
}

// work sends one request after the other until ctx ends.
func (l workload) work(ctx context.Context, v *session, value []byte, t *tally, requests *atomic.Int64) error {
	random := rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())) //nolint:gosec // which key is read is no secret
	for {
		key := benchKey(random.IntN(l.keys))
		read := random.Float64() < l.reads
		began := time.Now()
		var ok bool
		var err error
		if read {
			_, ok, err = v.Get(ctx, key)
		} else {
			ok, err = v.Set(ctx, key, value, l.duration+benchTTL)
		}
		switch {
		case ctx.Err() != nil:
			return nil //nolint:nilerr // the last request was cut short
		case err != nil:
			return err
		}
		t.count(read, ok, time.Since(began))
		requests.Add(1)
	}
}

func (t *tally) count(read, ok bool, took time.Duration) {
	_ = t.latencies.RecordValue(min(took.Microseconds(), time.Minute.Microseconds())) // it is in the range
	switch {
	case read && ok:
		t.reads, t.hits = t.reads+1, t.hits+1
	case read:
		t.reads++
	case ok:
		t.writes++
	default:
		t.writes, t.unstored = t.writes+1, t.unstored+1
	}
}
