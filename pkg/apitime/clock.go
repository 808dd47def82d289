// Package apitime tells the API server's time.
//
// Its law: the time it tells has come at the API server; it may be late and is never early. All
// times that a grace is counted from are the API server's (a deletion, the last write of an
// object), so they must be judged by its clock: the clocks of two operators differ, and one that
// runs ahead would cut a grace short.
package apitime

import (
	"net/http"
	"sync"
	"time"
)

// Clock tells the API server's time from the Date header of its answers. A Date is a time before
// the answer arrived, with the fraction of a second cut off, so the latest of all, each carried on
// by the time that has passed here since, is the best that is known. Between answers only this
// machine's monotonic clock counts: setting its wall clock changes nothing.
type Clock struct {
	mu       sync.Mutex
	date     time.Time
	received time.Time
	local    func() time.Time
}

// New makes a clock that knows nothing yet and tells this machine's time until an answer comes.
func New() *Clock { return &Clock{local: time.Now} }

// leap is how far a Date may lie behind before it is taken for a clock that was set back rather
// than an answer that took long.
const leap = 3 * time.Second

// Now is the API server's time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at(c.local())
}

// Since is the time that has passed at the API server.
func (c *Clock) Since(t time.Time) time.Duration { return c.Now().Sub(t) }

func (c *Clock) at(local time.Time) time.Time {
	if c.date.IsZero() {
		return local.Round(0)
	}
	return c.date.Add(local.Sub(c.received))
}

func (c *Clock) observe(date time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	received := c.local()
	known := c.at(received)
	if c.date.IsZero() || date.After(known) || known.Sub(date) > leap {
		c.date, c.received = date, received
	}
}

// Wrap lets the clock see the answers of a transport, as rest.Config.Wrap takes it.
func (c *Clock) Wrap(next http.RoundTripper) http.RoundTripper { return transport{c, next} }

type transport struct {
	clock *Clock
	next  http.RoundTripper
}

// RoundTrip hands the request on and notes the answer's Date.
func (t transport) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := t.next.RoundTrip(request)
	if err == nil {
		if date, err := http.ParseTime(response.Header.Get("Date")); err == nil {
			t.clock.observe(date)
		}
	}
	return response, err
}
