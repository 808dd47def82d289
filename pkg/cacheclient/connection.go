package cacheclient

import (
	"errors"
	"io"
	"net"
	"sync"
	"syscall"
	"time"
)

// promptness is how soon the transport writes to a connection that it made for a request. One that
// is made too late for that lies idle.
const promptness = 10 * time.Millisecond

// connection is one that its dialer knows. It sees to it that the last words of a member are heard.
// One that has too many connections says so before it is asked, and closes; the transport would
// log that as nonsense, or see only that its own words did not arrive. The same goes for a member
// that refuses a large value while it is being sent.
type connection struct {
	net.Conn
	dialer *dialer
	// begun is closed when the first words are sent.
	begun chan struct{}
	once  sync.Once
}

// Read implements net.Conn. It lets the member speak first only of its end: what else is said on a
// connection that nobody uses means that it is going to be closed.
func (c *connection) Read(p []byte) (int, error) {
	select {
	case <-c.begun:
		return c.Conn.Read(p)
	default:
	}
	timer := time.NewTimer(promptness)
	defer timer.Stop()
	select {
	case <-c.begun:
	case <-timer.C:
	}
	n, err := c.Conn.Read(p)
	select {
	case <-c.begun:
		return n, err
	default:
	}
	if n > 0 {
		return 0, io.EOF
	}
	return n, err
}

// Write implements net.Conn. That the member has closed is left for Read to find out, after what
// was said before.
func (c *connection) Write(p []byte) (int, error) {
	c.begin() // first: the answer may be there before Write returns
	n, err := c.Conn.Write(p)
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET) {
		return len(p), nil
	}
	return n, err
}

func (c *connection) begin() { c.once.Do(func() { close(c.begun) }) }

// Close implements net.Conn.
func (c *connection) Close() error {
	c.begin()
	c.dialer.mu.Lock()
	delete(c.dialer.open, c)
	c.dialer.mu.Unlock()
	return c.Conn.Close()
}
