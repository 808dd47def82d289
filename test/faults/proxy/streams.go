//go:build integration

package proxy

import (
	"context"
	"sync"
)

// streams are the watches that are open, by resource.
type streams struct {
	mu   sync.Mutex
	last int
	cuts map[int]stream
	// old are the resources of watches that were cut off and must begin anew.
	old  map[string]bool
	told int
}

type stream struct {
	resource string
	cut      context.CancelFunc
}

// enter notes that a watch is open until the second result is called.
func (s *streams) enter(ctx context.Context, resource string) (context.Context, func()) {
	ctx, cut := context.WithCancel(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cuts == nil {
		s.cuts, s.old = map[int]stream{}, map[string]bool{}
	}
	s.last++
	number := s.last
	s.cuts[number] = stream{resource, cut}
	return ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.cuts, number)
		cut()
	}
}

// expired reports whether a watch that goes on from a revision is to be told, once after each cut,
// that the revision is too old.
func (s *streams) expired(resource, revision string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.old[resource] || revision == "" || revision == "0" {
		return false
	}
	delete(s.old, resource)
	s.told++
	return true
}

// CutWatches closes all watches at once, and tells each that comes back that what it goes on from
// is too old, so that it lists anew. It gives how many there were.
func (p *Proxy) CutWatches() int {
	s := &p.open
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, open := range s.cuts {
		s.old[open.resource] = true
		open.cut()
	}
	return len(s.cuts)
}

// Expired is how many watches were told that they are too old.
func (p *Proxy) Expired() int {
	p.open.mu.Lock()
	defer p.open.mu.Unlock()
	return p.open.told
}

// Watches is how many are open.
func (p *Proxy) Watches() int {
	p.open.mu.Lock()
	defer p.open.mu.Unlock()
	return len(p.open.cuts)
}
