//go:build linux

package main

import (
	"context"

	"github.com/sk1-services/distributed-cache/test/bench/load"
	"github.com/sk1-services/distributed-cache/test/bench/servers"
)

// fleet is one server of each kind, on the same core.
type fleet []*servers.Server

func startFleet(ctx context.Context, o options, kinds []servers.Kind, memory int64) (fleet, error) {
	var f fleet
	for _, kind := range kinds {
		s, err := servers.Start(ctx, kind, o.serverCore, memory)
		if err != nil {
			f.stop()
			return nil, err
		}
		f = append(f, s)
	}
	return f, nil
}

func (f fleet) stop() {
	for _, s := range f {
		s.Stop()
	}
}

// fill stores a value under all keys, in all servers.
func (f fleet) fill(ctx context.Context, keys [][]byte, value []byte) error {
	for _, s := range f {
		if err := fill(ctx, s, keys, value); err != nil {
			return err
		}
	}
	return nil
}

func fill(ctx context.Context, s *servers.Server, keys [][]byte, value []byte) error {
	pipe, err := load.OpenPipe(ctx, s.Port, s.Kind.Protocol)
	if err != nil {
		return err
	}
	defer func() { _ = pipe.Close() }()
	return setAll(ctx, pipe, keys, value)
}

// countMissing returns how many keys a server does not have.
func countMissing(ctx context.Context, s *servers.Server, keys [][]byte) (int, error) {
	pipe, err := load.OpenPipe(ctx, s.Port, s.Kind.Protocol)
	if err != nil {
		return 0, err
	}
	defer func() { _ = pipe.Close() }()
	missing := 0
	hits := make([]bool, window)
	for len(keys) > 0 {
		some := keys[:min(window, len(keys))]
		keys = keys[len(some):]
		if err := pipe.Get(some, hits); err != nil {
			return 0, err
		}
		for _, hit := range hits[:len(some)] {
			if !hit {
				missing++
			}
		}
	}
	return missing, ctx.Err()
}
