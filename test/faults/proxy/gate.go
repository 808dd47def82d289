//go:build integration

package proxy

import (
	"io"
	"sync"
)

// gate holds back what watches bring while it is shut. Watches that begin while it is shut are
// held back too.
type gate struct {
	mu   sync.Mutex
	open chan struct{}
}

func newGate() *gate {
	open := make(chan struct{})
	close(open)
	return &gate{open: open}
}

// shut closes the gate and gives what opens it again.
func (g *gate) shut() func() {
	g.mu.Lock()
	defer g.mu.Unlock()
	open := make(chan struct{})
	g.open = open
	return sync.OnceFunc(func() { close(open) })
}

func (g *gate) passage() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.open
}

// gated is the body of a watch. Its bytes are read and then held, so that none is lost.
type gated struct {
	io.ReadCloser
	gate   *gate
	closed <-chan struct{}
}

func (b gated) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	select {
	case <-b.gate.passage():
	case <-b.closed:
		return 0, io.ErrUnexpectedEOF
	}
	return n, err
}
