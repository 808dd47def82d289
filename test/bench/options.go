//go:build linux

package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/sk1-services/distributed-cache/test/bench/servers"
	"github.com/sk1-services/distributed-cache/test/bench/wire"
)

const (
	defaultDuration = 700 * time.Millisecond
	maxRounds       = 1000
)

// options are the flags.
type options struct {
	tinyCache            string
	serverCore, loadCore int
	rounds               int
	duration             time.Duration
	scale                float64
	only                 string
}

func (o *options) validate() error {
	path, err := filepath.Abs(o.tinyCache) // servers run in a directory of their own
	if err != nil {
		return err
	}
	o.tinyCache = path
	switch {
	case o.rounds < 1 || o.rounds > maxRounds:
		return fmt.Errorf("--rounds is %d: give 1 to %d", o.rounds, maxRounds)
	case o.duration < 50*time.Millisecond || o.duration > time.Minute:
		return fmt.Errorf("--duration is %v: give 50ms to 1m", o.duration)
	case o.scale <= 0 || o.scale > 10:
		return fmt.Errorf("--scale is %v: give more than 0, at most 10", o.scale)
	}
	return nil
}

// wants reports whether a workload is to run.
func (o *options) wants(name string) bool { return strings.Contains(name, o.only) }

// kinds are the compared programs, the one under test first and the one it is measured by second.
func (o *options) kinds() []servers.Kind {
	return []servers.Kind{
		servers.TinyCache(o.tinyCache, wire.HTTP{}), servers.Memcached(), servers.Redis(),
	}
}

// The places of the compared programs in what kinds returns.
const (
	tiny = iota
	memcached
	redis
)
