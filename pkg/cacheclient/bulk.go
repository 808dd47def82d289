package cacheclient

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/sk1-services/distributed-cache/pkg/cacheserver/batch"
)

const (
	// largest is the longest value that goes with others in one request. A longer one gains little
	// by it, and others would wait for it.
	largest = 64 << 10
	// longestKey is a server's limit. A longer key would have all of its request refused.
	longestKey = 1 << 10
)

var errNoBatch = errors.New("not an answer to a batch")

// work is what a batch does with each of its keys, which are numbered.
type work struct {
	operation Operation
	key       func(i int) []byte
	// wire is the operation as it goes with others, take gets its result.
	wire func(i int) batch.Operation
	take func(i int, r batch.Result)
	// singly does it in a request of its own.
	singly func(m *member, i int) error
}

// bulk does work in requests of many keys each, and returns the keys that are to be done singly:
// those that do not fit, those that the member says so of, and all if it knows no batches. What a
// member does not answer is a miss and not tried again.
func (c *Client) bulk(ctx context.Context, m *member, keys []int, w work) (left []int) {
	if m == nil || m.noBatches.Load() {
		return keys
	}
	loads, left := split(keys, w.wire)
	var mu sync.Mutex
	atOnce(len(loads), func(i int) {
		some := c.carry(ctx, m, loads[i], w)
		mu.Lock()
		defer mu.Unlock()
		left = append(left, some...)
	})
	return left
}

// load is what one request carries.
type load struct {
	keys []int
	body []byte
}

// split packs operations into as few requests as the wire's limits allow.
func split(keys []int, wire func(int) batch.Operation) (loads []load, left []int) {
	for _, i := range keys {
		o := wire(i)
		size := batch.OperationHeader + len(o.Key) + len(o.Value)
		if len(o.Key) == 0 || len(o.Key) > longestKey || len(o.Value) > largest {
			left = append(left, i)
			continue
		}
		if n := len(loads); n == 0 || len(loads[n-1].keys) == batch.MaxOperations || len(loads[n-1].body)+size > batch.MaxBytes {
			loads = append(loads, load{})
		}
		last := &loads[len(loads)-1]
		last.keys, last.body = append(last.keys, i), o.Append(last.body)
	}
	return loads, left
}

// carry makes one request and hands out its results.
func (c *Client) carry(ctx context.Context, m *member, l load, w work) (left []int) {
	a, _ := c.ask(ctx, m, request{operation: w.operation, method: http.MethodPost, value: l.body, keys: len(l.keys)})
	if a.outcome == Refused {
		if a.status == http.StatusNotFound || a.status == http.StatusMethodNotAllowed {
			// Whoever says that there is no such thing will say so again.
			m.noBatches.Store(true)
		}
		return l.keys
	}
	for n, r := range a.results {
		if r.Outcome >= batch.TooLarge {
			left = append(left, l.keys[n])
			continue
		}
		w.take(l.keys[n], r)
	}
	return left
}

// results reads the answer to a batch of n keys.
func results(body []byte, n int) ([]batch.Result, error) {
	all := make([]batch.Result, 0, n)
	for len(body) > 0 && len(all) < n {
		r, rest, err := batch.ReadResult(body)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errNoBatch, err)
		}
		// The answer is one piece of memory: who keeps a value must not keep all.
		r.Value = bytes.Clone(r.Value)
		all, body = append(all, r), rest
	}
	if len(body) > 0 || len(all) < n {
		return nil, fmt.Errorf("%w: %d results and %d bytes more for %d keys", errNoBatch, len(all), len(body), n)
	}
	return all, nil
}

// done counts the keys of a batch that were found, stored or removed.
func done(all []batch.Result) (n int) {
	for _, r := range all {
		if r.Outcome == batch.Found || r.Outcome == batch.Stored || r.Outcome == batch.Removed {
			n++
		}
	}
	return n
}

// atOnce calls f for 0 to n-1, batchWidth of them at a time.
func atOnce(n int, f func(i int)) {
	var next atomic.Int64
	var working sync.WaitGroup
	for range min(batchWidth, n) {
		working.Go(func() {
			for i := next.Add(1) - 1; int(i) < n; i = next.Add(1) - 1 {
				f(int(i))
			}
		})
	}
	working.Wait()
}
