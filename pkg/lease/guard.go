// Package lease keeps an operator from changing anything once another may lead.
//
// Its law: nothing is changed later than a lease's duration after the last renewal was sent. The
// leader election alone does not promise that: a process that was stopped for longer than its
// lease finds out at its next renewals, and until its deadline has passed it would go on working
// with what it saw before it was stopped.
package lease

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"
)

// ErrOutlived is the answer to a change that comes too late.
var ErrOutlived = errors.New("the lease was not renewed in time: another operator may lead")

// Guard knows until when the lease is ours.
type Guard struct {
	duration time.Duration
	local    func() time.Time

	mu      sync.Mutex
	renewed time.Time
}

// New makes a guard for leases of a duration. Until the first is taken nothing may be changed.
func New(duration time.Duration) *Guard { return &Guard{duration: duration, local: time.Now} }

// Wrap lets the guard stand before a transport, as rest.Config.Wrap takes it.
func (g *Guard) Wrap(next http.RoundTripper) http.RoundTripper { return transport{g, next} }

// sent notes a renewal that was accepted. It counts from when it was sent: the API server had it
// later, and whoever waits for its end saw it later still.
func (g *Guard) sent(at time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.renewed = at
}

// ours reports whether nobody else can hold the lease. The monotonic clock stands still while the
// machine is suspended, and the wall clock may be set: the one that says more decides.
func (g *Guard) ours() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.local()
	passed := max(now.Sub(g.renewed), now.Round(0).Sub(g.renewed.Round(0)))
	return !g.renewed.IsZero() && passed < g.duration
}

type transport struct {
	guard *Guard
	next  http.RoundTripper
}

// RoundTrip sends a request on, unless it is a change and too late. All changes are patches and
// deletions: the operator applies. Reviews of who may read the metrics are none, and needed of everybody.
func (t transport) RoundTrip(request *http.Request) (*http.Response, error) {
	changes := request.Method == http.MethodPatch || request.Method == http.MethodDelete
	if changes && !t.guard.ours() {
		if request.Body != nil {
			_ = request.Body.Close()
		}
		return nil, ErrOutlived
	}
	at := t.guard.local()
	response, err := t.next.RoundTrip(request)
	if err == nil && renewal(request) && response.StatusCode < http.StatusMultipleChoices {
		t.guard.sent(at)
	}
	return response, err
}

// renewal reports whether a request takes the lease or keeps it.
func renewal(request *http.Request) bool {
	writes := request.Method == http.MethodPost || request.Method == http.MethodPut
	return writes && strings.HasPrefix(request.URL.Path, "/apis/coordination.k8s.io/")
}
