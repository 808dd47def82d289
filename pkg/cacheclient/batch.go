package cacheclient

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/sk1-services/distributed-cache/pkg/cacheserver/batch"
)

// batchWidth bounds the requests of one batch that are under way at one member.
const batchWidth = 8

// Value is what a batch found under a key.
type Value struct {
	Bytes []byte
	Found bool
}

// Entry is what a batch stores.
type Entry struct {
	Key, Value []byte
	// TTL is as with Set.
	TTL time.Duration
}

// GetMany reads many keys, the members all at once and with as few requests as can be, and gives
// their values in the order of the keys. What a member that is not there holds is not found. An
// error wraps ErrRefused and names the first key that was refused, while the other values stand; or
// it is ErrClosed or that of ctx, and some keys were not asked for.
func (c *Client) GetMany(ctx context.Context, keys [][]byte) ([]Value, error) {
	values := make([]Value, len(keys))
	err := c.batch(ctx, len(keys), work{
		operation: OperationGet,
		key:       func(i int) []byte { return keys[i] },
		wire:      func(i int) batch.Operation { return batch.Operation{Verb: batch.Get, Key: keys[i]} },
		take: func(i int, r batch.Result) {
			values[i] = Value{Bytes: r.Value, Found: r.Outcome == batch.Found}
		},
		singly: func(m *member, i int) error {
			value, found, err := c.get(ctx, m, keys[i])
			values[i] = Value{Bytes: value, Found: found}
			return err
		},
	})
	return values, err
}

// SetMany stores many entries, and says in their order which were stored. Of two with the same key
// either may be the one that stays. Errors are as with GetMany.
func (c *Client) SetMany(ctx context.Context, entries []Entry) (stored []bool, err error) {
	for _, e := range entries {
		if e.TTL < 0 {
			return make([]bool, len(entries)), fmt.Errorf("set %.64q: ttl %s: 0 or more is needed", e.Key, e.TTL)
		}
	}
	stored = make([]bool, len(entries))
	err = c.batch(ctx, len(entries), work{
		operation: OperationSet,
		key:       func(i int) []byte { return entries[i].Key },
		wire: func(i int) batch.Operation {
			e := entries[i]
			// A ttl that the wire has no room for is one that the server refuses.
			return batch.Operation{Verb: batch.Put, Key: e.Key, Value: e.Value, TTL: uint32(min(seconds(e.TTL), math.MaxUint32))}
		},
		take: func(i int, r batch.Result) { stored[i] = r.Outcome == batch.Stored },
		singly: func(m *member, i int) error {
			var err error
			stored[i], err = c.set(ctx, m, entries[i].Key, entries[i].Value, entries[i].TTL)
			return err
		},
	})
	return stored, err
}

// DeleteMany removes many keys, and says in their order which were there. Errors are as with
// GetMany.
func (c *Client) DeleteMany(ctx context.Context, keys [][]byte) (removed []bool, err error) {
	removed = make([]bool, len(keys))
	err = c.batch(ctx, len(keys), work{
		operation: OperationDelete,
		key:       func(i int) []byte { return keys[i] },
		wire:      func(i int) batch.Operation { return batch.Operation{Verb: batch.Delete, Key: keys[i]} },
		take:      func(i int, r batch.Result) { removed[i] = r.Outcome == batch.Removed },
		singly: func(m *member, i int) error {
			var err error
			removed[i], err = c.remove(ctx, m, keys[i])
			return err
		},
	})
	return removed, err
}

// batch groups n keys by their owners, by one ring, and works on all groups at once.
func (c *Client) batch(ctx context.Context, n int, w work) error {
	if err := c.over(ctx); err != nil {
		return err
	}
	v := c.current.Load()
	groups := map[*member][]int{}
	for i := range n {
		m := v.locate(w.key(i))
		groups[m] = append(groups[m], i)
		if w.operation != OperationGet {
			c.flights.overtake(ctx, w.key(i))
		}
	}
	refused := refusals{key: w.key}
	var working sync.WaitGroup
	for m, keys := range groups {
		working.Go(func() { c.group(ctx, m, keys, w, &refused) })
	}
	working.Wait()
	if err := c.over(ctx); err != nil {
		return err
	}
	return refused.err()
}

// group works on the keys of one member: as many as can be together, the rest a few at a time.
// After a failure the rest are misses at once, as all requests are.
func (c *Client) group(ctx context.Context, m *member, keys []int, w work, refused *refusals) {
	if len(keys) > 1 {
		keys = c.bulk(ctx, m, keys, w)
	}
	atOnce(len(keys), func(i int) {
		if c.over(ctx) != nil {
			return
		}
		if err := w.singly(m, keys[i]); errors.Is(err, ErrRefused) {
			refused.add(keys[i], err)
		}
	})
}

// refusals are the keys of a batch that were refused.
type refusals struct {
	key   func(int) []byte
	mu    sync.Mutex
	count int
	// first is the one that comes first in the batch, at the index at.
	first error
	at    int
}

func (r *refusals) add(at int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.count++
	if r.first == nil || at < r.at {
		r.first, r.at = err, at
	}
}

func (r *refusals) err() error {
	if r.first == nil {
		return nil
	}
	return fmt.Errorf("%d keys of the batch, the first %.64q: %w", r.count, r.key(r.at), r.first)
}
