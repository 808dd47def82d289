package cacheserver

import (
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/valyala/fasthttp"
)

// connections knows every open client connection, to bound their number and to
// end those that outlive the shutdown.
type connections struct {
	limit int

	mu       sync.Mutex
	open     map[net.Conn]struct{}
	rejected uint64
}

func newConnections(limit int) *connections {
	return &connections{limit: limit, open: map[net.Conn]struct{}{}}
}

// observe is fasthttp's ConnState hook. It is told of StateNew before the next
// connection is accepted. A hijacked connection stays until forget.
func (c *connections) observe(conn net.Conn, state fasthttp.ConnState) {
	switch state {
	case fasthttp.StateNew:
		c.mu.Lock()
		c.open[conn] = struct{}{}
		c.mu.Unlock()
	case fasthttp.StateClosed:
		c.forget(conn)
	case fasthttp.StateActive, fasthttp.StateIdle, fasthttp.StateHijacked:
	}
}

func (c *connections) forget(conn net.Conn) {
	c.mu.Lock()
	delete(c.open, conn)
	c.mu.Unlock()
}

func (c *connections) count() (open int, rejected uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.open), c.rejected
}

// closeAll ends every connection, whatever it is doing.
func (c *connections) closeAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for conn := range c.open {
		_ = conn.Close()
	}
}

// full reports whether one more connection is too many, and counts it if so.
func (c *connections) full() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.open) < c.limit {
		return false
	}
	c.rejected++
	return true
}

// boundedListener answers connections beyond the limit with 503 itself. fasthttp
// could, but in plain text and at a limit of running handlers.
type boundedListener struct {
	net.Listener
	connections *connections
}

func (l *boundedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil || !l.connections.full() {
			return conn, err
		}
		r := refuse(http.StatusServiceUnavailable,
			fmt.Sprintf("%d connections are open, which is the limit: try again, or treat it as a miss", l.connections.limit))
		// The answer fits the socket's empty buffer, so this does not hold up
		// the next Accept.
		_ = r.writeTo(conn, 100*time.Millisecond)
		_ = conn.Close()
	}
}
