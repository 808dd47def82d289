// Package pipes is a network in memory, for tests in bubbles of package testing/synctest: their
// time stands still while somebody waits for a real network.
package pipes

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"syscall"
)

// Network is hosts by name. The zero value has none.
type Network struct {
	mu    sync.Mutex
	hosts map[string]*host
	dials map[string]int
}

// host accepts connections with a server, or without one and lets them hang.
type host struct {
	server  *http.Server
	arrived chan net.Conn
	closed  chan struct{}
	hanging []net.Conn
}

// Serve starts a host, in place of the one of that name. Without a handler it accepts connections
// and never answers.
func (n *Network) Serve(name string, handler http.Handler) {
	n.Stop(name)
	h := &host{arrived: make(chan net.Conn), closed: make(chan struct{})}
	if handler != nil {
		h.server = &http.Server{Handler: handler} //nolint:gosec // no stranger speaks to it
		go func() { _ = h.server.Serve(h) }()
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.hosts == nil {
		n.hosts = map[string]*host{}
	}
	n.hosts[name] = h
}

// Stop ends a host with all its connections: they are refused then.
func (n *Network) Stop(name string) {
	n.mu.Lock()
	h := n.hosts[name]
	delete(n.hosts, name)
	n.mu.Unlock()
	if h == nil {
		return
	}
	for _, c := range h.hanging {
		_ = c.Close()
	}
	if h.server != nil {
		_ = h.server.Close()
	}
}

// Dial connects to a host.
func (n *Network) Dial(ctx context.Context, name string) (net.Conn, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.dials == nil {
		n.dials = map[string]int{}
	}
	n.dials[name]++
	h := n.hosts[name]
	if h == nil {
		return nil, fmt.Errorf("host %s: %w", name, syscall.ECONNREFUSED)
	}
	ours, theirs := net.Pipe()
	if h.server == nil {
		h.hanging = append(h.hanging, theirs)
		return ours, nil
	}
	select {
	case h.arrived <- theirs:
		return ours, nil
	case <-h.closed:
		return nil, fmt.Errorf("host %s: %w", name, syscall.ECONNREFUSED)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Dials is how often a host was connected to, or tried to be.
func (n *Network) Dials(name string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.dials[name]
}

// Accept implements net.Listener.
func (h *host) Accept() (net.Conn, error) {
	select {
	case c := <-h.arrived:
		return c, nil
	case <-h.closed:
		return nil, errors.New("the host is stopped")
	}
}

// Close implements net.Listener. The server calls it, once.
func (h *host) Close() error {
	close(h.closed)
	return nil
}

// Addr implements net.Listener.
func (h *host) Addr() net.Addr { return &net.TCPAddr{} }
