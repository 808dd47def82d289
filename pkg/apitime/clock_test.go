package apitime

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// second is an event: at a local second an answer with a Date arrives.
type event struct {
	local float64
	date  float64
}

func at(seconds float64) time.Time { return epoch.Add(time.Duration(seconds * float64(time.Second))) }

func TestClock(t *testing.T) {
	for _, tc := range []struct {
		name   string
		events []event
		local  float64
		want   float64
	}{
		{"carries a Date on by the time that passed here", []event{{100, 7}}, 102.5, 9.5},
		{"keeps the latest of two answers in a second", []event{{100, 7}, {100.9, 7}}, 101, 8},
		{"takes a Date that is ahead", []event{{100, 7}, {100.2, 8}}, 101, 8.8},
		{"does not fall back for an answer that took a second", []event{{100, 7}, {102, 8}}, 102, 9},
		{"falls back when the server's clock was set back", []event{{100, 3600}, {101, 7}}, 102, 8},
		{"falls back for an answer that took long, which is late and not early", []event{{100, 7}, {111, 8}}, 111, 8},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var local float64
			c := &Clock{local: func() time.Time { return at(local) }}
			for _, e := range tc.events {
				local = e.local
				c.observe(at(e.date))
			}
			local = tc.local
			if got := c.Now(); !got.Equal(at(tc.want)) {
				t.Errorf("got %s, want %s", got.Sub(epoch), at(tc.want).Sub(epoch))
			}
		})
	}
}

// Whatever this machine's wall clock says, the clock is never ahead of the server that answered.
func TestClockFollowsTheServer(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Date", time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat))
	}))
	defer server.Close()
	c := New()
	client := &http.Client{Transport: c.Wrap(http.DefaultTransport)}
	response, err := client.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if ahead := c.Now().Sub(time.Now().Add(-time.Hour)); ahead > 0 {
		t.Errorf("ahead by %s", ahead)
	}
}
