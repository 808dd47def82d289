package cacheclient

import (
	"context"
	"net"
	"sync"
	"time"
)

// dialer makes the connections of a client and knows those that are open, so that Close can end
// them under a request that waits for its answer.
type dialer struct {
	life    context.Context // the client's, which no request's context knows
	connect func(ctx context.Context, member string) (net.Conn, error)
	timeout time.Duration

	mu     sync.Mutex
	open   map[*connection]struct{}
	closed bool
}

func newDialer(life context.Context, o Options) *dialer {
	d := &dialer{life: life, connect: o.Dial, timeout: o.DialTimeout, open: map[*connection]struct{}{}}
	if d.connect == nil {
		var network net.Dialer
		d.connect = func(ctx context.Context, member string) (net.Conn, error) {
			return network.DialContext(ctx, "tcp", o.Address(member))
		}
	}
	return d
}

// dial connects to a member. It ends with ctx, with the client, or after the timeout.
func (d *dialer) dial(ctx context.Context, member string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	defer context.AfterFunc(d.life, cancel)() //nolint:contextcheck // the client's end is another matter than the request's
	raw, err := d.connect(ctx, member)
	if err != nil {
		return nil, err
	}
	c := &connection{Conn: raw, dialer: d, begun: make(chan struct{})}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		_ = raw.Close()
		return nil, ErrClosed
	}
	d.open[c] = struct{}{}
	return c, nil
}

// closeAll ends every connection and lets no new one begin.
func (d *dialer) closeAll() {
	d.mu.Lock()
	d.closed = true
	open := d.open
	d.open = nil
	d.mu.Unlock()
	for c := range open {
		_ = c.Conn.Close()
	}
}
