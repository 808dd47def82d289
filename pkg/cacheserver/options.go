package cacheserver

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/sk1-services/distributed-cache/pkg/cache"
	"github.com/sk1-services/distributed-cache/pkg/cacheserver/batch"
)

// Options configure a Server. Cache is required; every other zero value means
// the default stated with it.
type Options struct {
	// Cache is what is served. Its MaxValueSize is also the limit of PUT's bodies,
	// enforced while they are read: a body's first byte beyond it ends the
	// request with 413.
	Cache *cache.Cache

	// MaxConnections bounds the client connections held open, idle ones too;
	// each costs up to cache.ConnectionCost bytes. One more gets 503 and is
	// closed. Default 1024, 30 MiB.
	MaxConnections int

	// PayloadBytes bounds the memory for values over 8 KiB and batches on their
	// way in or out, in buffers of up to twice their length; what is smaller
	// counts as its connection's. A request that finds it used up waits for PayloadWait and then gets 503 with Retry-After.
	// Default 16 MiB; at least 4 MiB, and four times the cache's MaxValueSize.
	PayloadBytes int64

	// PayloadWait is short, since a cache that makes its clients wait is
	// worse than one that misses. Default 1 s.
	PayloadWait time.Duration

	// MaxHeaderBytes bounds request line and header together; more is 431.
	// It is also the size of each connection's read buffer. Default 8 KiB: the
	// longest key, every byte escaped, takes 3 of them.
	MaxHeaderBytes int

	// ReadTimeout bounds the time from the first byte of a request (or from
	// the connection's opening) to the last of its body. Slower is 408 and the
	// connection is closed. Default 5 s: 1 MiB at 2 Mbit/s.
	ReadTimeout time.Duration

	// IdleTimeout is how long a connection may rest between two requests. It
	// is closed without a word. Default 120 s: above the 90 s after which
	// common clients close idle connections themselves, so that a client
	// seldom sends into a closing one.
	IdleTimeout time.Duration

	// WriteTimeout bounds the sending of one response; the connection of a
	// slower reader is closed. Default 10 s.
	WriteTimeout time.Duration

	// Drain decides how long to serve on after Serve's context has ended.
	// Default DrainGrace(30 s), the operator's default grace.
	Drain Drainer

	// ShutdownTimeout bounds the time from the end of the drain to the end of
	// Serve. Half of it goes to telling clients "Connection: close" with their
	// next response, the rest to ending what runs. Default 2 s.
	ShutdownTimeout time.Duration

	// Version is shown in /v1/stats and as metric tiny_cache_build_info.
	// Default "unknown".
	Version string

	// Logger gets the steps of the life cycle, and at level debug what goes
	// wrong on single connections. Default: discard.
	Logger *slog.Logger
}

func (o Options) withDefaults() Options {
	orDefault(&o.MaxConnections, 1024)
	orDefault(&o.PayloadBytes, 16<<20)
	orDefault(&o.PayloadWait, time.Second)
	orDefault(&o.MaxHeaderBytes, 8<<10)
	orDefault(&o.ReadTimeout, 5*time.Second)
	orDefault(&o.IdleTimeout, 120*time.Second)
	orDefault(&o.WriteTimeout, 10*time.Second)
	orDefault(&o.ShutdownTimeout, 2*time.Second)
	orDefault(&o.Version, "unknown")
	if o.Drain == nil {
		o.Drain = DrainGrace(30 * time.Second)
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

func orDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

func (o Options) validate() error {
	if o.Cache == nil {
		return errors.New("cache server: Options.Cache is not set")
	}
	// One in and one out, each in a buffer of up to twice its length.
	largest := max(o.Cache.MaxValueSize(), batch.MaxBytes)
	if need := 4 * int64(largest); o.PayloadBytes < need {
		return fmt.Errorf("cache server: %d bytes for payloads do not suit values and batches of up to %d bytes: give at least %d",
			o.PayloadBytes, largest, need)
	}
	// The longest key escaped, the request line around it, and a small header.
	if o.MaxHeaderBytes < 4<<10 {
		return fmt.Errorf("cache server: %d bytes of header cannot hold the longest key: give at least 4096", o.MaxHeaderBytes)
	}
	for name, d := range map[string]time.Duration{
		"ReadTimeout": o.ReadTimeout, "IdleTimeout": o.IdleTimeout, "WriteTimeout": o.WriteTimeout,
		"PayloadWait": o.PayloadWait, "ShutdownTimeout": o.ShutdownTimeout,
	} {
		if d < 0 {
			return fmt.Errorf("cache server: %s is negative: %v", name, d)
		}
	}
	if o.MaxConnections < 0 {
		return fmt.Errorf("cache server: MaxConnections is negative: %d", o.MaxConnections)
	}
	return nil
}
