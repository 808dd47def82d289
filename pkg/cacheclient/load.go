package cacheclient

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"
)

// LoadPanicError is a load that panicked, for all who waited for it.
type LoadPanicError struct {
	// Value is what it panicked with, Stack where.
	Value any
	Stack []byte
}

// Error implements error.
func (e *LoadPanicError) Error() string { return fmt.Sprintf("panic: %v\n%s", e.Value, e.Stack) }

var errGoexit = errors.New("the load ended its goroutine and gave nothing")

// GetOrLoad reads a key, and if it is not found, takes what load gives and stores it for ttl, as
// Set does. A cache that is not there, or refuses the key or the value, keeps nobody from the
// value.
//
// A client runs one load for a key at a time; who asks meanwhile waits for it and gets the same. A
// caller whose ctx ends leaves the others waiting. The load's own ctx has the values of the first
// caller's and no deadline; it ends when nobody waits any more or the client is closed. A Set or
// Delete of the key by this client lets nobody join a load that began before it, nor that load be
// stored. A load must not ask for its own key.
//
// An error of load is returned wrapped and not stored, a panic of it as *LoadPanicError. Other
// errors are ErrClosed and that of ctx. The value is the caller's own.
func (c *Client) GetOrLoad(ctx context.Context, key []byte, ttl time.Duration, load func(context.Context) ([]byte, error)) ([]byte, error) {
	if ttl < 0 {
		return nil, fmt.Errorf("get or load %.64q: ttl %s: 0 or more is needed", key, ttl)
	}
	seen := c.flights.landed.Load()
	value, found, err := c.Get(ctx, key)
	if found || err != nil && !errors.Is(err, ErrRefused) {
		return value, err
	}
	f, first := c.flights.join(ctx, key)
	if first {
		go c.fly(f, ttl, seen, load) //nolint:contextcheck // it is for all who wait, not for this caller
	}
	select {
	case <-f.landed:
	case <-ctx.Done():
		c.flights.leave(f)
		return nil, ctx.Err()
	case <-c.life.Done():
		c.flights.leave(f)
		return nil, ErrClosed
	}
	if f.err != nil {
		return nil, fmt.Errorf("load %.64q: %w", key, f.err)
	}
	return bytes.Clone(f.value), nil
}

// fly is one load. The value is stored before anybody has it: who then deletes the key, knowing
// the value, deletes it.
func (c *Client) fly(f *flight, ttl time.Duration, seen uint64, load func(context.Context) ([]byte, error)) {
	defer c.flights.land(f)
	defer f.cancel()
	defer context.AfterFunc(c.life, f.cancel)()
	key := []byte(f.key)
	if c.flights.landed.Load() != seen {
		// Another load landed since the first caller looked; it may have been for this key.
		if value, found, err := c.Get(f.ctx, key); found && err == nil {
			f.value = value
			return
		}
	}
	if f.err = f.ctx.Err(); f.err != nil {
		return // nobody waits any more
	}
	f.err = errGoexit // which leaves it at that
	f.value, f.err = guarded(f.ctx, load)
	if f.err == nil && c.flights.mayStore(f) {
		// That nobody waits any more is no reason to throw the value away.
		_, _ = c.store(context.WithoutCancel(f.ctx), c.current.Load().locate(key), key, f.value, ttl)
	}
}

// guarded makes an error of a panic.
func guarded(ctx context.Context, load func(context.Context) ([]byte, error)) (value []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			value, err = nil, &LoadPanicError{Value: p, Stack: debug.Stack()}
		}
	}()
	return load(ctx)
}
