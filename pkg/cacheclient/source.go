package cacheclient

import (
	"context"
	"fmt"

	"github.com/sk1-services/distributed-cache/pkg/ring"
)

// Snapshot is a ring as a source saw it, with the UID of the cache object whose ring it is.
type Snapshot = ring.Published

// Source brings rings. Run calls publish for every ring it sees, one at a time, until ctx ends;
// it outlives outages of whatever it reads from, and returns an error only if it can never work.
// It may publish a ring that it published before.
type Source interface {
	Run(ctx context.Context, publish func(Snapshot)) error
}

// Fixed is a source of one ring, for tests and for caches whose members never change.
type Fixed Snapshot

// Run publishes the ring and waits for ctx to end. It fails if the ring breaks a rule of the
// document, since no other would ever come.
func (f Fixed) Run(ctx context.Context, publish func(Snapshot)) error {
	if _, err := f.Ring.Encode(); err != nil {
		return fmt.Errorf("cacheclient: the fixed ring: %w", err)
	}
	publish(Snapshot(f))
	<-ctx.Done()
	return nil
}
