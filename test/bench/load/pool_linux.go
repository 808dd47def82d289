package load

import (
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/sk1-services/distributed-cache/test/bench/wire"
)

// Source makes the requests. Next appends one to dst and says how to read its reply.
type Source interface {
	Next(dst []byte) ([]byte, wire.Op)
}

// Result is what a load met.
type Result struct {
	// Requests were answered in Elapsed.
	Requests uint64
	Elapsed  time.Duration
	// Reads is the number of keys asked for, of which Hits were found.
	Reads, Hits uint64
	// Latency is that of reads.
	Latency Histogram
}

// Rate is in requests a second.
func (r *Result) Rate() float64 { return float64(r.Requests) / r.Elapsed.Seconds() }

// Pool is a set of connections to one server.
type Pool struct {
	protocol    wire.Protocol
	poller      int
	connections []*connection
	events      []syscall.EpollEvent
	// batchKeys is how many keys a batch asks for.
	batchKeys uint64
}

// silence is how long a server may leave all connections without a word.
const silence = 10 * time.Second

// Connect opens connections to a port of this machine. Batches ask for batchKeys keys.
func Connect(port, connections, batchKeys int, protocol wire.Protocol) (*Pool, error) {
	poller, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("epoll: %w", err)
	}
	p := &Pool{
		protocol: protocol, poller: poller, events: make([]syscall.EpollEvent, connections),
		batchKeys: uint64(batchKeys),
	}
	for i := range connections {
		c, err := dial(port)
		if err != nil {
			return nil, errors.Join(err, p.Close())
		}
		p.connections = append(p.connections, c)
		// What is called Fd comes back as it is: here, which connection it was.
		event := syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(i)}
		if err := syscall.EpollCtl(poller, syscall.EPOLL_CTL_ADD, c.fd, &event); err != nil {
			return nil, errors.Join(fmt.Errorf("epoll: %w", err), p.Close())
		}
	}
	return p, nil
}

// Close closes all connections.
func (p *Pool) Close() error {
	errs := []error{syscall.Close(p.poller)}
	for _, c := range p.connections {
		errs = append(errs, c.close())
	}
	return errors.Join(errs...)
}

// request sends the source's next request, its time counted from since.
func (p *Pool) request(c *connection, source Source, since time.Time) error {
	c.out, c.op = source.Next(c.out[:0])
	c.since = since
	return c.send()
}

// wait returns the connections that have something to read: at once what there is, or, if
// patient, not before there is something.
func (p *Pool) wait(patient bool) ([]syscall.EpollEvent, error) {
	timeout := 0
	if patient {
		timeout = int(silence / time.Millisecond)
	}
	n, err := syscall.EpollWait(p.poller, p.events, timeout)
	switch {
	case errors.Is(err, syscall.EINTR):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("epoll: %w", err)
	case n == 0 && patient:
		return nil, fmt.Errorf("no reply for %v: look at the server's log", silence)
	}
	return p.events[:n], nil
}

// count adds one reply to a result.
func (p *Pool) count(r *Result, c *connection, reply wire.Reply, now time.Time) {
	r.Requests++
	switch c.op {
	case wire.Set:
		return
	case wire.Get:
		r.Reads++
	case wire.Batch:
		r.Reads += p.batchKeys
	}
	r.Hits += uint64(reply.Hits)
	r.Latency.Add(now.Sub(c.since))
}
