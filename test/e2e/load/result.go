package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
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
	// it on another one, of which neither the caller nor the hook hears.
	Resets int
	// First is the first trouble.
	First string
	// Rings are those that were taken over.
	Rings []sighting
}

// sighting is a ring, and when it was taken over.
type sighting struct {
	Version int64
	At      time.Time
}

// seen notes a ring, and prints it at once: somebody may wait for it.
func (r *result) seen(s cacheclient.Snapshot) {
	now := sighting{s.Ring.Version, time.Now().UTC()}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Rings = append(r.Rings, now)
	_ = json.NewEncoder(os.Stdout).Encode(now)
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

// ended counts a request whose member did not answer, or was not asked because it did not answer
// one just before.
func (r *result) ended(e cacheclient.Event) {
	switch {
	case e.Outcome == cacheclient.Unreachable, e.Outcome == cacheclient.Busy:
	case e.Outcome == cacheclient.Skipped && e.Member != "":
	default:
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Unreachable++
	if errors.Is(e.Err, syscall.ECONNRESET) {
		r.Resets++
	}
	r.trouble(fmt.Sprintf("%s: %s %s: %v", e.Member, e.Operation, e.Outcome, e.Err))
}

func (r *result) trouble(text string) {
	if r.First == "" {
		r.First = time.Now().UTC().Format(time.RFC3339Nano) + " " + text
	}
}
