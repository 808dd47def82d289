// Package cacheclient routes reads and writes of a cache to the members of its ring.
//
// Its laws: the caller never sees an error for a member that is dead or gone: what it held is a
// miss, and a write to it is dropped, as in any cache. An older ring never replaces a newer one
// of the same owner. The package knows nothing of Kubernetes; a Source brings the rings.
package cacheclient

import (
	"context"

	"github.com/sk1-services/distributed-cache/pkg/ring"
)

// Snapshot is a ring as a source saw it.
type Snapshot struct {
	// Owner is the UID of the cache object whose ring it is. Versions are comparable only
	// between snapshots of one owner.
	Owner string
	Ring  ring.Document
}

// Source brings rings. Run calls publish for every ring it sees, one at a time, until ctx ends;
// it outlives outages of whatever it reads from, and returns an error only if it can never work.
type Source interface {
	Run(ctx context.Context, publish func(Snapshot)) error
}

// Fixed is a source of one ring, for tests.
type Fixed Snapshot

// Run publishes the ring and waits for ctx to end.
func (f Fixed) Run(ctx context.Context, publish func(Snapshot)) error {
	publish(Snapshot(f))
	<-ctx.Done()
	return nil
}
