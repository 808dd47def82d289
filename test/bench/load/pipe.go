package load

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/sk1-services/distributed-cache/test/bench/wire"
)

// Pipe is one connection on which many requests are sent before the first reply is read. It fills
// servers and asks them quickly; nothing is timed on it.
type Pipe struct {
	protocol wire.Protocol
	conn     net.Conn
	out, in  []byte
	have     int
}

// OpenPipe connects to a port of this machine.
func OpenPipe(ctx context.Context, port int, protocol wire.Protocol) (*Pipe, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return nil, err
	}
	return &Pipe{protocol: protocol, conn: conn, in: make([]byte, 256<<10)}, nil
}

// Close closes the connection.
func (p *Pipe) Close() error { return p.conn.Close() }

// Get asks for keys and sets hits to what was found.
func (p *Pipe) Get(keys [][]byte, hits []bool) error {
	p.out = p.out[:0]
	for _, key := range keys {
		p.out = p.protocol.AppendGet(p.out, key)
	}
	return p.exchange(wire.Get, len(keys), func(i int, r wire.Reply) { hits[i] = r.Hits > 0 })
}

// Set stores one value under all keys.
func (p *Pipe) Set(keys [][]byte, value []byte) error {
	p.out = p.out[:0]
	for _, key := range keys {
		p.out = p.protocol.AppendSet(p.out, key, value)
	}
	return p.exchange(wire.Set, len(keys), func(int, wire.Reply) {})
}

// exchange sends what is in out and reads so many replies.
func (p *Pipe) exchange(op wire.Op, replies int, each func(int, wire.Reply)) error {
	if err := p.conn.SetDeadline(time.Now().Add(silence)); err != nil {
		return err
	}
	if _, err := p.conn.Write(p.out); err != nil {
		return err
	}
	read := 0
	for i := 0; i < replies; {
		n, reply, err := p.protocol.Parse(op, p.in[read:p.have])
		if err != nil {
			return err
		}
		if n > 0 {
			each(i, reply)
			read += n
			i++
			continue
		}
		p.have = copy(p.in, p.in[read:p.have])
		read = 0
		if p.have == len(p.in) {
			return fmt.Errorf("a reply of more than %d bytes: make values smaller", len(p.in))
		}
		got, err := p.conn.Read(p.in[p.have:])
		if err != nil {
			return fmt.Errorf("reply %d of %d: %w", i+1, replies, err)
		}
		p.have += got
	}
	p.have -= read
	if p.have != 0 {
		return errors.New("bytes behind the last reply that nobody asked for")
	}
	return nil
}
