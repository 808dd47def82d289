//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"github.com/sk1-services/distributed-cache/test/bench/servers"
	"github.com/sk1-services/distributed-cache/test/bench/traffic"
)

// podMemory is tiny-cache's limit where hits are compared: the operator's default for a pod.
const podMemory = 128 << 20

// budget is the memory in use that all get, and the limits at which the others use just that.
type budget struct {
	rss    int64
	limits [redis + 1]int64
}

const (
	// calibrations bounds the attempts to find a limit.
	calibrations = 5
	// closeEnough is how far, in bytes, the memory in use may be off: memcached's limit goes in MiB.
	closeEnough = 1 << 20
)

// calibrate reads what tiny-cache has in use when a trace has warmed it up, and finds the others' limits.
func calibrate(ctx context.Context, o options, kinds []servers.Kind, t traffic.Trace, valueSize int) (budget, error) {
	var b budget
	rss, err := onServer(ctx, o, kinds[tiny], podMemory, func(s store) error {
		_, err := replay(ctx, t[:warming(t)], valueSize, s)
		return err
	})
	if err != nil {
		return budget{}, err
	}
	b.rss, b.limits[tiny] = rss, podMemory
	// More than fits, whatever an entry costs.
	keys := traffic.Keys(0, int(rss)/(traffic.KeySize+valueSize)*5/4)
	value := bytes.Repeat([]byte("v"), valueSize)
	for _, i := range []int{memcached, redis} {
		limit := rss
		for range calibrations {
			used, err := onServer(ctx, o, kinds[i], limit, func(s store) error { return setAll(ctx, s, keys, value) })
			if err != nil {
				return budget{}, err
			}
			b.limits[i] = limit
			fmt.Fprintf(os.Stderr, "%s with a limit of %d MiB uses %d MiB, tiny-cache %d MiB\n", kinds[i].Name, limit>>20, used>>20, rss>>20)
			if -closeEnough < used-rss && used-rss < closeEnough {
				break
			}
			limit += rss - used
		}
	}
	return b, nil
}

// setAll stores a value under all keys.
func setAll(ctx context.Context, s store, keys [][]byte, value []byte) error {
	for len(keys) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		some := keys[:min(window, len(keys))]
		keys = keys[len(some):]
		if err := s.Set(some, value); err != nil {
			return err
		}
	}
	return nil
}
