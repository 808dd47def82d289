package load

import (
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/sk1-services/distributed-cache/test/bench/wire"
)

// connection has at most one request on its way.
type connection struct {
	fd  int
	out []byte
	in  []byte
	// have is how much of in has been read.
	have int
	op   wire.Op
	// since is what the reply's time is counted from.
	since time.Time
}

// firstBuffer holds a reply of 4 KiB with its head; buffers grow when they must.
const firstBuffer = 8 << 10

func dial(port int) (*connection, error) {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("socket: %w", err)
	}
	c := &connection{fd: fd, in: make([]byte, firstBuffer)}
	err = syscall.Connect(fd, &syscall.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}})
	if err == nil {
		err = syscall.SetNonblock(fd, true)
	}
	if err == nil {
		err = syscall.SetsockoptInt(fd, syscall.IPPROTO_TCP, syscall.TCP_NODELAY, 1)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("connect to port %d: %w", port, err), c.close())
	}
	return c, nil
}

func (c *connection) close() error { return syscall.Close(c.fd) }

// send writes the request in out. A socket takes far more than one request, so less is a fault.
func (c *connection) send() error {
	n, err := syscall.Write(c.fd, c.out)
	if err != nil {
		return fmt.Errorf("write request: %w", err)
	}
	if n < len(c.out) {
		return fmt.Errorf("write request: the socket took %d of %d bytes: make values or batches smaller", n, len(c.out))
	}
	return nil
}

// receive reads what is there and reports whether it completes the reply.
func (c *connection) receive(p wire.Protocol) (wire.Reply, bool, error) {
	n, err := syscall.Read(c.fd, c.in[c.have:])
	switch {
	case errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EINTR):
		return wire.Reply{}, false, nil
	case err != nil:
		return wire.Reply{}, false, fmt.Errorf("read reply: %w", err)
	case n == 0:
		return wire.Reply{}, false, errors.New("read reply: the server closed the connection: look at its log")
	}
	c.have += n
	length, reply, err := p.Parse(c.op, c.in[:c.have])
	switch {
	case err != nil:
		return wire.Reply{}, false, err
	case length == 0:
		if c.have == len(c.in) {
			c.in = append(c.in, make([]byte, len(c.in))...)
		}
		return wire.Reply{}, false, nil
	case length < c.have:
		return wire.Reply{}, false, fmt.Errorf("%d bytes behind the reply that nobody asked for: %.100q", c.have-length, c.in[length:c.have])
	}
	c.have = 0
	return reply, true, nil
}
