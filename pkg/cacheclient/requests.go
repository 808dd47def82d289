package cacheclient

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// ErrRefused is wrapped by the error of a request that the member understood and refused, for
// example because the value is too large. The error says what would be right.
var ErrRefused = errors.New("refused")

// Get reads a key. A key that is not cached, or whose owner is not there, is not found. An error
// wraps ErrRefused, or is ErrClosed or that of ctx.
func (c *Client) Get(ctx context.Context, key []byte) (value []byte, found bool, err error) {
	return c.get(ctx, c.current.Load().locate(key), key)
}

// Set stores a value for ttl, which is rounded up to whole seconds; 0 stores it until it is
// evicted. Stored is false if the owner is not there: the value is then dropped. An error wraps
// ErrRefused, or is ErrClosed or that of ctx.
func (c *Client) Set(ctx context.Context, key, value []byte, ttl time.Duration) (stored bool, err error) {
	return c.set(ctx, c.current.Load().locate(key), key, value, ttl)
}

// Delete removes a key. Removed is false if it was not cached or its owner is not there. An error
// wraps ErrRefused, or is ErrClosed or that of ctx.
func (c *Client) Delete(ctx context.Context, key []byte) (removed bool, err error) {
	return c.remove(ctx, c.current.Load().locate(key), key)
}

func (c *Client) get(ctx context.Context, m *member, key []byte) ([]byte, bool, error) {
	a, err := c.ask(ctx, m, request{operation: OperationGet, method: http.MethodGet, key: key})
	if a.outcome != Hit {
		return nil, false, err
	}
	return a.body, true, nil
}

func (c *Client) set(ctx context.Context, m *member, key, value []byte, ttl time.Duration) (bool, error) {
	if ttl < 0 {
		return false, fmt.Errorf("set %.64q: ttl %s: 0 or more is needed", key, ttl)
	}
	c.flights.overtake(ctx, key)
	return c.store(ctx, m, key, value, ttl)
}

// store is set without regard to loads under way.
func (c *Client) store(ctx context.Context, m *member, key, value []byte, ttl time.Duration) (bool, error) {
	r := request{operation: OperationSet, method: http.MethodPut, key: key, value: value}
	if ttl > 0 {
		r.query = "ttl=" + strconv.FormatInt(seconds(ttl), 10)
	}
	a, err := c.ask(ctx, m, r)
	return a.outcome == Stored, err
}

func (c *Client) remove(ctx context.Context, m *member, key []byte) (bool, error) {
	c.flights.overtake(ctx, key)
	a, err := c.ask(ctx, m, request{operation: OperationDelete, method: http.MethodDelete, key: key})
	return a.outcome == Removed, err
}

// seconds rounds up.
func seconds(ttl time.Duration) int64 {
	n := int64(ttl / time.Second)
	if ttl%time.Second > 0 {
		n++
	}
	return n
}
