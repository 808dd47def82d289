package cacheclient

import (
	"context"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// idleTimeout is below the 120 s after which tiny-cache closes idle connections, so that a request
// is seldom sent into a closing one.
const idleTimeout = 30 * time.Second

// member is one member of the ring: its connections, its turns and its health. It lives as long as
// the member stays in the ring.
type member struct {
	name string
	// base is the URL of its root. The name is the host; the dialer makes an address of it.
	base      string
	transport *http.Transport
	// turns holds a token for every request under way.
	turns chan struct{}
	// running is held, for reading, by every request that uses a connection.
	running sync.RWMutex
	health  health
	// full is until when, in nanoseconds since it was made, the member takes no further connection.
	full       atomic.Int64
	made       time.Time
	maxBackoff time.Duration
	retired    atomic.Bool
	// noBatches says that it knows no batches: it is older than they are.
	noBatches atomic.Bool
}

func newMember(name string, d *dialer, o Options) *member {
	m := &member{
		name:       name,
		base:       "http://" + name + "/",
		turns:      make(chan struct{}, o.MaxConnsPerMember),
		health:     health{first: o.MinBackoff, most: o.MaxBackoff, patience: o.Timeout},
		made:       time.Now(),
		maxBackoff: o.MaxBackoff,
	}
	m.transport = &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			if int64(time.Since(m.made)) < m.full.Load() {
				return nil, errFull
			}
			return d.dial(ctx, name)
		},
		MaxConnsPerHost:     o.MaxConnsPerMember,
		MaxIdleConnsPerHost: o.MaxIdlePerMember,
		IdleConnTimeout:     idleTimeout,
		DisableCompression:  true,
	}
	return m
}

// retire closes the connections of a member that left the ring, when no request runs there.
func (m *member) retire() {
	m.retired.Store(true)
	m.closeRetired()
}

// closeRetired is called when a member is retired and whenever a request has ended: who chose the
// member just before it left the ring leaves an idle connection behind. While requests run it does
// nothing, since a transport counts a connection as idle a moment before it hands over the answer.
func (m *member) closeRetired() {
	if m.retired.Load() && m.running.TryLock() {
		m.transport.CloseIdleConnections()
		m.running.Unlock()
	}
}

// takeTurn waits until fewer requests are under way than may be, and gives false if ctx or life
// ends before, or if the member dies meanwhile. The probe of a dead one goes all the same.
func (m *member) takeTurn(ctx, life context.Context, probe bool) bool {
	select {
	case m.turns <- struct{}{}:
		return true
	default:
	}
	select {
	case m.turns <- struct{}{}:
		if probe || !m.health.dead() {
			return true
		}
		<-m.turns
	case <-ctx.Done():
	case <-life.Done():
	}
	return false
}

// endTurn is called when a request has ended.
func (m *member) endTurn() {
	<-m.turns
	m.closeRetired()
}

// overflow notes that a connection was refused because the member has too many. Those that it has
// serve on; only further ones wait, for as long as it asks, within the limit of a pause.
func (m *member) overflow(response *http.Response) {
	wait := time.Second
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil && seconds >= 0 {
		wait = time.Duration(min(seconds, 3600)) * time.Second
	}
	m.full.Store(int64(time.Since(m.made) + min(wait, m.maxBackoff)))
}
