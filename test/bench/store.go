//go:build linux

package main

import (
	"context"
	"fmt"

	"github.com/sk1-services/distributed-cache/pkg/cache"
	"github.com/sk1-services/distributed-cache/test/bench/load"
	"github.com/sk1-services/distributed-cache/test/bench/lru"
	"github.com/sk1-services/distributed-cache/test/bench/servers"
	"github.com/sk1-services/distributed-cache/test/bench/traffic"
)

// store is what traces are replayed on.
type store interface {
	// Get sets hits to which keys are there.
	Get(keys [][]byte, hits []bool) error
	// Set stores a value under all keys.
	Set(keys [][]byte, value []byte) error
}

// engine is pkg/cache without a server around it.
type engine struct {
	cache *cache.Cache
	buf   []byte
}

// newEngine divides the memory as tiny-cache does.
func newEngine(memory int64) (*engine, error) {
	plan, err := cache.PlanMemory(memory, cache.DefaultMaxValueSize)
	if err != nil {
		return nil, err
	}
	c, err := cache.New(cache.Options{Capacity: plan.Capacity, IndexBytes: plan.IndexBytes})
	return &engine{cache: c}, err
}

// Get asks for one key after the other.
func (e *engine) Get(keys [][]byte, hits []bool) error {
	for i, key := range keys {
		e.buf, _, hits[i] = e.cache.Get(e.buf[:0], key)
	}
	return nil
}

// Set stores one value after the other, without expiry.
func (e *engine) Set(keys [][]byte, value []byte) error {
	for _, key := range keys {
		if err := e.cache.Set(key, value, 0); err != nil {
			return err
		}
	}
	return nil
}

// exact is the exact LRU.
type exact struct {
	keys *lru.Cache[[traffic.KeySize]byte]
}

func newExact(memory int64, valueSize int) exact {
	return exact{lru.New[[traffic.KeySize]byte](memory, int64(traffic.KeySize+valueSize+lru.Overhead))}
}

// Get asks for one key after the other.
func (e exact) Get(keys [][]byte, hits []bool) error {
	for i, key := range keys {
		hits[i] = e.keys.Get([traffic.KeySize]byte(key))
	}
	return nil
}

// Set stores one key after the other.
func (e exact) Set(keys [][]byte, _ []byte) error {
	for _, key := range keys {
		e.keys.Set([traffic.KeySize]byte(key))
	}
	return nil
}

// onServer starts a server, lets use have it as a store, and returns its memory in use after that.
func onServer(ctx context.Context, o options, kind servers.Kind, memory int64, use func(store) error) (int64, error) {
	s, err := servers.Start(ctx, kind, o.serverCore, memory)
	if err != nil {
		return 0, err
	}
	defer s.Stop()
	pipe, err := load.OpenPipe(ctx, s.Port, kind.Protocol)
	if err != nil {
		return 0, err
	}
	defer func() { _ = pipe.Close() }()
	if err := use(pipe); err != nil {
		return 0, fmt.Errorf("%s: %w", kind.Name, err)
	}
	return s.RSS()
}
