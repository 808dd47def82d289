package cacheserver

import (
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// connections counts the client connections, to bound their number, and knows
// those that fasthttp has, to end them when they outlive the shutdown.
type connections struct {
	limit int
	// handed is the number of those that fasthttp has.
	handed atomic.Int64

	mu       sync.Mutex
	open     int
	rejected uint64
	served   map[net.Conn]struct{}
}

func newConnections(limit int) *connections {
	return &connections{limit: limit, served: map[net.Conn]struct{}{}}
}

// enter counts one more, unless that is too many. Who has entered leaves once.
func (c *connections) enter() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open == c.limit {
		c.rejected++
		return false
	}
	c.open++
	return true
}

func (c *connections) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open--
}

func (c *connections) handedOver(to net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.served[to] = struct{}{}
	c.handed.Store(int64(len(c.served)))
}

func (c *connections) takenBack(from net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.served, from)
	c.handed.Store(int64(len(c.served)))
}

func (c *connections) count() (open int, rejected uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open, c.rejected
}

// closeHanded ends every connection that fasthttp has, whatever it is doing.
func (c *connections) closeHanded() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for conn := range c.served {
		_ = conn.Close()
	}
}

// tooMany is what a connection beyond the limit is told.
func (c *connections) tooMany() *refusal {
	return refuse(http.StatusServiceUnavailable,
		fmt.Sprintf("%d connections are open, which is the limit: try again, or treat it as a miss", c.limit))
}

// boundedListener keeps to the limit where there are no loops.
type boundedListener struct {
	net.Listener
	all *connections
}

// Accept answers those beyond the limit itself. fasthttp could, but in plain text
// and at a limit of running handlers.
func (l *boundedListener) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if l.all.enter() {
			l.all.handedOver(accepted)
			return &conn{Conn: accepted, all: l.all}, nil
		}
		// It fits the socket's empty buffer, so this does not hold up the next.
		_ = l.all.tooMany().writeTo(accepted, 100*time.Millisecond)
		_ = accepted.Close()
	}
}
