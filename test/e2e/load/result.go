package main

import (
	"errors"
	"sync"
	"syscall"
	"time"

	"github.com/sk1-services/distributed-cache/pkg/cacheclient"
)

// result counts what the requests met.
type result struct {
	mu sync.Mutex

	Requests    int
	Hits        int
	Misses      int
	NoRing      int
	Errors      int
	Unreachable int
	// Resets are the connections that ended under a request, also where the transport then sent
	// it on another one, of which neither the caller nor Unreachable hears.
	Resets int
	// First is the first trouble.
	First string
}

// answered counts a request that has come to its end on a number of connections.
func (r *result) answered(found bool, connections int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Requests++
	switch {
	case errors.Is(err, cacheclient.ErrNoRing):
		r.NoRing++
	case found:
		r.Hits++
	default:
		r.Misses++
	}
	if err != nil && !errors.Is(err, cacheclient.ErrNoRing) {
		r.Errors++
		r.trouble(err.Error())
	}
	if connections > 1 {
		r.Resets += connections - 1
		r.trouble("a request was sent anew, its connection had ended")
	}
}

// unreachable counts a request whose member could not be reached.
func (r *result) unreachable(member string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Unreachable++
	if errors.Is(err, syscall.ECONNRESET) {
		r.Resets++
	}
	r.trouble(member + ": " + err.Error())
}

func (r *result) trouble(text string) {
	if r.First == "" {
		r.First = time.Now().UTC().Format(time.RFC3339Nano) + " " + text
	}
}
