package cacheserver

import (
	"net"
	"sync"
)

// handed is the listener that fasthttp accepts from: the connections whose next
// request is not for a loop.
type handed struct {
	address net.Addr
	queue   chan *conn
	closed  chan struct{}
	close   sync.Once
}

// newHanded returns a listener that holds up to most connections which are not
// accepted yet.
func newHanded(address net.Addr, most int) *handed {
	return &handed{address: address, queue: make(chan *conn, most), closed: make(chan struct{})}
}

// give does not wait, since every open connection is given at most once at a time.
func (h *handed) give(c *conn) {
	select {
	case <-h.closed:
		c.end()
	case h.queue <- c:
	}
}

// Accept returns the next connection, or net.ErrClosed.
func (h *handed) Accept() (net.Conn, error) {
	select {
	case <-h.closed:
		return nil, net.ErrClosed
	case c := <-h.queue:
		return c, nil
	}
}

// Close ends Accept.
func (h *handed) Close() error {
	h.close.Do(func() { close(h.closed) })
	return nil
}

// Addr returns the address that clients connect to.
func (h *handed) Addr() net.Addr { return h.address }
