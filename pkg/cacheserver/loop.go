package cacheserver

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/sk1-services/distributed-cache/pkg/cacheserver/epoll"
)

// sweepEvery is how often a loop looks for connections that rest too long, and
// tries to accept again where it could not.
const sweepEvery = time.Second

// loop answers the quick requests of many connections with one goroutine, and
// hands over those with another one.
type loop struct {
	server *Server
	poller *epoll.Poller
	// front is told of connections that come to listener, if this loop has it, and
	// of those to hand over.
	front    *front
	listener epoll.Socket

	mu      sync.Mutex
	resting map[epoll.Socket]*conn
	closed  bool

	// The rest belongs to run.
	quick *quick
	in    []byte
	// deaf says that the listener waits for the next sweep.
	deaf  bool
	swept time.Time
	done  chan struct{}
}

// noListener is no socket.
const noListener = epoll.Socket(-1)

func newLoop(s *Server, f *front) (*loop, error) {
	p, err := epoll.New()
	if err != nil {
		return nil, err
	}
	return &loop{
		server: s, front: f, poller: p, listener: noListener, resting: map[epoll.Socket]*conn{},
		quick: newQuick(s), in: make([]byte, quickRequest), done: make(chan struct{}),
	}, nil
}

// takes reports whether connections are to rest here.
func (l *loop) takes() bool { return !l.server.closing.Load() }

// add takes a connection that waits for its next request.
func (l *loop) add(c *conn) {
	wait := l.server.options.ReadTimeout
	if c.spoke {
		wait = l.server.options.IdleTimeout
	}
	c.until = time.Now().Add(wait)
	l.mu.Lock()
	closed, first := l.closed, len(l.resting) == 0
	if !closed {
		l.resting[c.socket] = c
		closed = l.poller.Add(c.socket) != nil
	}
	l.mu.Unlock()
	switch {
	case closed:
		l.remove(c)
		c.end()
	case first:
		l.poller.Wake() // it waits for ever
	}
}

// remove lets a connection go.
func (l *loop) remove(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.resting, c.socket)
}

func (l *loop) find(s epoll.Socket) *conn {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.resting[s]
}

// run serves until close, or until it cannot.
func (l *loop) run() error {
	defer close(l.done)
	l.swept = time.Now()
	for {
		timeout, closed := l.pause()
		if closed {
			return nil
		}
		ready, err := l.poller.Wait(timeout, l.server.connections.handed.Load() > 0)
		if err != nil {
			return err
		}
		for _, s := range ready {
			if s == l.listener {
				err = l.accept()
			} else if c := l.find(s); c != nil {
				l.serve(c)
			}
		}
		if err != nil {
			return err
		}
		if now := time.Now(); now.Sub(l.swept) >= sweepEvery {
			l.sweep(now)
		}
	}
}

// pause is how long to wait for something to do.
func (l *loop) pause() (timeout time.Duration, closed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.resting) > 0 || l.deaf {
		timeout = sweepEvery
	}
	return timeout, l.closed
}

// accept takes a connection in.
func (l *loop) accept() error {
	s, err := l.listener.Accept()
	switch {
	case errors.Is(err, epoll.ErrAgain):
		return nil
	case epoll.Temporary(err):
		l.server.options.Logger.Warn("cannot accept connections for now", "reason", err)
		l.deaf = true
		return l.poller.Remove(l.listener)
	case err != nil:
		return fmt.Errorf("accept a connection: %w", err)
	}
	l.front.welcome(s)
	return nil
}

// serve answers what a connection has sent.
func (l *loop) serve(c *conn) {
	n, err := c.socket.Read(l.in)
	if errors.Is(err, epoll.ErrAgain) {
		return
	}
	var unread, unsent []byte
	if err == nil && n > 0 {
		c.spoke = true
		unread, unsent, err = l.quick.answer(c, l.in[:n])
	}
	switch {
	case err != nil || n == 0:
		l.remove(c)
		c.end()
	case len(unread) > 0 || len(unsent) > 0:
		l.handOver(c, unread, unsent)
	default:
		c.until = l.quick.ctx.Time().Add(l.server.options.IdleTimeout)
	}
}

// handOver lets fasthttp go on where this loop does not.
func (l *loop) handOver(c *conn, unread, unsent []byte) {
	l.remove(c)
	if l.poller.Remove(c.socket) != nil {
		c.end()
		return
	}
	if c.handOver(unread) != nil {
		return
	}
	if len(unsent) == 0 {
		l.front.handed.give(c)
		return
	}
	unsent = bytes.Clone(unsent)
	go func() {
		err := c.SetWriteDeadline(time.Now().Add(l.server.options.WriteTimeout))
		if err == nil {
			_, err = c.Write(unsent)
		}
		switch {
		case err != nil:
			c.end()
		case len(c.ahead) > 0:
			l.front.handed.give(c)
		default:
			c.leaving.Store(true)
			_ = c.Close()
		}
	}()
}

// sweep ends connections that have rested too long.
func (l *loop) sweep(now time.Time) {
	l.swept = now
	if l.deaf {
		l.deaf = l.poller.Add(l.listener) != nil
	}
	var late []*conn
	l.mu.Lock()
	for _, c := range l.resting {
		if c.until.Before(now) {
			late = append(late, c)
		}
	}
	l.mu.Unlock()
	for _, c := range late {
		l.remove(c)
		if !c.spoke {
			_, _ = c.socket.Write(refuse(http.StatusRequestTimeout, "the request did not arrive in time").response())
		}
		c.end()
	}
}

// close ends run, and what rests here. It returns when run has.
func (l *loop) close() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.poller.Wake()
	<-l.done
	for _, c := range l.resting {
		c.end()
	}
	_ = l.poller.Close()
}
