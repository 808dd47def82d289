package cacheserver

import (
	"errors"
	"net"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/sk1-services/distributed-cache/pkg/cacheserver/epoll"
)

// front takes connections in. They rest in loops, one for each processor, which
// answer what is quick, and go to fasthttp for the rest. Where there is no epoll,
// fasthttp has them all.
type front struct {
	server   *Server
	listener net.Listener
	handed   *handed

	loops  []*loop
	socket epoll.Socket
	next   atomic.Uint64
	closed sync.Once
}

func newFront(s *Server, listener net.Listener) (*front, error) {
	f := &front{
		server: s, listener: listener, socket: noListener,
		handed: newHanded(listener.Addr(), s.options.MaxConnections),
	}
	_, isTCP := listener.(*net.TCPListener)
	if s.withoutLoops || !isTCP {
		return f, nil
	}
	err := f.addLoops()
	if err == nil {
		return f, nil
	}
	for _, l := range f.loops {
		_ = l.poller.Close()
	}
	if errors.Is(err, errors.ErrUnsupported) {
		f.loops = nil
		return f, nil
	}
	return nil, err
}

func (f *front) addLoops() error {
	for range runtime.GOMAXPROCS(0) {
		l, err := newLoop(f.server, f)
		if err != nil {
			return err
		}
		f.loops = append(f.loops, l)
	}
	var err error
	if f.socket, err = epoll.Listening(f.listener); err != nil {
		return err
	}
	// One loop listens and spreads connections over all.
	f.loops[0].listener = f.socket
	return f.loops[0].poller.Add(f.socket)
}

// run takes connections in until close, or until it cannot.
func (f *front) run() error {
	if len(f.loops) == 0 {
		return f.server.http.Serve(&boundedListener{f.listener, f.server.connections})
	}
	ended := make(chan error, len(f.loops)+1)
	go func() { ended <- f.server.http.Serve(f.handed) }()
	for _, l := range f.loops {
		go func() { ended <- l.run() }()
	}
	return <-ended // the first to end is the first that failed, or all are to end
}

// welcome takes one connection in, or refuses it.
func (f *front) welcome(s epoll.Socket) {
	all := f.server.connections
	if !all.enter() {
		// It fits the socket's empty buffer.
		_, _ = s.Write(all.tooMany().response())
		_ = s.Close()
		return
	}
	c := &conn{socket: s, all: all, loop: f.loops[f.next.Add(1)%uint64(len(f.loops))]}
	c.loop.add(c)
}

// close stops listening and ends the connections that rest.
func (f *front) close() {
	f.closed.Do(func() {
		_ = f.listener.Close()
		_ = f.handed.Close()
		for _, l := range f.loops {
			l.close()
		}
		if f.socket != noListener {
			_ = f.socket.Close()
		}
	})
}
