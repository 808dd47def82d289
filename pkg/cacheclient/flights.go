package cacheclient

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
)

// flights are the loads under way.
type flights struct {
	// landed counts those that have ended, and aloft those that have not.
	landed atomic.Uint64
	aloft  atomic.Int64

	mu sync.Mutex
	// byKey holds, behind each other, at most one that may be joined and any number that were
	// overtaken.
	byKey map[string][]*flight
}

// flight is one load for all who wait for it. Value and err are set before landed is closed.
type flight struct {
	key    string
	ctx    context.Context // it belongs to all who wait, not to one call
	cancel context.CancelFunc
	landed chan struct{}
	value  []byte
	err    error

	// These are guarded by flights.mu.
	waiting            int
	overtaken, storing bool
}

// join is the load under way for a key, or a new one, which the caller must let fly. The caller
// must wait for it or leave.
func (s *flights) join(ctx context.Context, key []byte) (f *flight, first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.byKey[string(key)] {
		if !f.overtaken && f.waiting > 0 {
			f.waiting++
			return f, false
		}
	}
	f = &flight{key: string(key), landed: make(chan struct{}), waiting: 1}
	f.ctx, f.cancel = context.WithCancel(context.WithoutCancel(ctx))
	if s.byKey == nil {
		s.byKey = map[string][]*flight{}
	}
	s.byKey[f.key] = append(s.byKey[f.key], f)
	s.aloft.Add(1)
	return f, true
}

// leave is called instead of waiting on. The last one out ends the load.
func (s *flights) leave(f *flight) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.waiting--; f.waiting == 0 {
		f.cancel()
	}
}

// land ends a flight. The count comes first: who finds the flight gone finds it counted.
func (s *flights) land(f *flight) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.landed.Add(1)
	s.aloft.Add(-1)
	rest := slices.DeleteFunc(s.byKey[f.key], func(other *flight) bool { return other == f })
	if s.byKey[f.key] = rest; len(rest) == 0 {
		delete(s.byKey, f.key)
	}
	close(f.landed)
}

// mayStore says that nothing overtook the load, and that its value is being stored from now on.
func (s *flights) mayStore(f *flight) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	f.storing = !f.overtaken
	return f.storing
}

// overtake is called before a key is written or deleted: what a load under way read is old then.
// It returns when none of them can be stored any more, or with ctx.
func (s *flights) overtake(ctx context.Context, key []byte) {
	if s.aloft.Load() == 0 {
		return
	}
	var storing []*flight
	s.mu.Lock()
	for _, f := range s.byKey[string(key)] {
		f.overtaken = true
		if f.storing {
			storing = append(storing, f)
		}
	}
	s.mu.Unlock()
	for _, f := range storing {
		select {
		case <-f.landed:
		case <-ctx.Done():
		}
	}
}
