package cacheserver

import (
	"bytes"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/sk1-services/distributed-cache/pkg/cacheserver/epoll"
)

// conn is a client connection. Either a loop has it or fasthttp, and apart from
// Close only the goroutine that has it calls its methods.
type conn struct {
	// Conn is for fasthttp, socket for a loop.
	net.Conn
	socket epoll.Socket

	// loop is where it rests between requests; nil if there are none.
	loop *loop
	all  *connections

	// until is how long a loop waits for its next request.
	until time.Time
	// spoke says that there was a request.
	spoke bool
	// ahead is what a loop has read of it and not answered.
	ahead []byte
	// resting says that fasthttp has answered everything; leaving, that it was
	// told that the connection ends, and that a loop is to have it.
	resting bool
	leaving atomic.Bool
	closing sync.Mutex
	ended   sync.Once
}

// onLoop reports whether a loop is waiting for the answer to ctx. Then it must not
// take long.
func onLoop(ctx *fasthttp.RequestCtx) bool {
	c, ok := ctx.Conn().(*conn)
	return ok && c.Conn == nil
}

// handOver gives the connection to Go's poller, for fasthttp, with what was read
// of it. On an error it has ended.
func (c *conn) handOver(ahead []byte) error {
	attached, err := c.socket.Conn()
	if err != nil {
		c.ended.Do(c.all.leave)
		return err
	}
	c.Conn, c.resting, c.spoke = attached, false, true
	if c.ahead = nil; len(ahead) > 0 {
		c.ahead = bytes.Clone(ahead)
	}
	c.all.handedOver(attached)
	return nil
}

// takeBack makes the connection a loop's again.
func (c *conn) takeBack() error {
	attached := c.Conn
	socket, err := epoll.Detach(attached)
	if err != nil {
		return err
	}
	c.all.takenBack(attached)
	c.Conn, c.socket = nil, socket
	return nil
}

// Read is fasthttp's. Where it would begin to wait for another request, fasthttp
// is told that the connection is at its end; with its Close the loop takes over.
func (c *conn) Read(p []byte) (int, error) {
	if len(c.ahead) > 0 {
		n := copy(p, c.ahead)
		if c.ahead = c.ahead[n:]; len(c.ahead) == 0 {
			c.ahead = nil // its memory is counted only until the request is read
		}
		return n, nil
	}
	if c.resting && c.loop != nil && c.loop.takes() {
		c.leaving.Store(true)
		return 0, io.EOF
	}
	return c.Conn.Read(p)
}

// CloseWrite ends what is sent.
func (c *conn) CloseWrite() error {
	half, ok := c.Conn.(interface{ CloseWrite() error })
	if !ok {
		return net.ErrClosed
	}
	return half.CloseWrite()
}

// Close is fasthttp's last word to the connection. A shutdown may say it too.
func (c *conn) Close() error {
	c.closing.Lock()
	defer c.closing.Unlock()
	if c.leaving.Swap(false) && c.takeBack() == nil {
		c.loop.add(c)
		return nil
	}
	c.end()
	return nil
}

// end closes the connection.
func (c *conn) end() {
	c.ended.Do(func() {
		if c.Conn == nil {
			_ = c.socket.Close()
		} else {
			c.all.takenBack(c.Conn)
			_ = c.Conn.Close()
		}
		c.all.leave()
	})
}

// observe is fasthttp's ConnState hook. A closed connection is not fasthttp's any
// more.
func observe(of net.Conn, state fasthttp.ConnState) {
	if c, ok := of.(*conn); ok && (state == fasthttp.StateIdle || state == fasthttp.StateActive) {
		c.resting = state == fasthttp.StateIdle
	}
}
