package cacheserver

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/sk1-services/distributed-cache/pkg/cache"
)

// After the stop signal the server goes on for as long as the drain says, then
// tells clients to leave, and is gone within the shutdown time.
func TestStopIsPolite(t *testing.T) {
	drain := make(hold)
	s := start(t, cache.Options{}, Options{Drain: drain, ShutdownTimeout: 4 * time.Second})
	old, idle, silent := s.dial(t), s.dial(t), s.dial(t)
	old.do("PUT", "/v1/cache/k", "", "v").want(t, "PUT", 204)
	idle.do("GET", "/v1/cache/k", "", "").want(t, "GET", 200)

	s.stop()
	eventually(t, "draining", 10*time.Second, s.draining.Load)
	for name, c := range map[string]*client{"an old connection": old, "a new one": s.dial(t)} {
		a := c.do("GET", "/v1/cache/k", "", "")
		a.want(t, "GET while draining on "+name, 200)
		if a.Close {
			t.Errorf("%s is told to close while the drain lasts", name)
		}
	}
	if a := old.do("GET", "/readyz", "", ""); a.StatusCode != http.StatusOK || !strings.Contains(string(a.body), "draining") {
		t.Errorf("readyz while draining: %d %s", a.StatusCode, a.body)
	}
	select {
	case err := <-s.ended:
		t.Fatalf("Serve returned during the drain: %v", err)
	default:
	}

	close(drain)
	closed := time.Now()
	eventually(t, "closing", 10*time.Second, s.closing.Load)
	a := old.do("GET", "/v1/cache/k", "", "")
	a.want(t, "GET while closing", 200)
	if !a.Close || string(a.body) != "v" {
		t.Errorf("while closing: %q, Connection: close %v", a.body, a.Close)
	}
	if err := <-s.ended; err != nil {
		t.Errorf("Serve: %v", err)
	}
	// The bound is 4 s; the rest is for a busy machine.
	if took := time.Since(closed); took > 8*time.Second {
		t.Errorf("the shutdown took %v", took)
	}
	for name, c := range map[string]*client{"idle": idle, "silent": silent} {
		if a, err := c.tryRead("GET"); err == nil {
			t.Errorf("%s connection got an answer it had not asked for: %v", name, a.Response)
		}
	}
	if c, err := net.Dial("tcp", s.addr); err == nil {
		_ = c.Close()
		t.Error("the listener is still open")
	}
}

// A server without clients stops at once.
func TestStopWithoutClients(t *testing.T) {
	s := start(t, cache.Options{}, Options{Drain: DrainGrace(0), ShutdownTimeout: time.Hour})
	s.dial(t).do("GET", "/v1/cache/k", "Connection: close\r\n", "").want(t, "GET", 404)
	s.stop()
	select {
	case err := <-s.ended:
		if err != nil {
			t.Errorf("Serve: %v", err)
		}
	case <-time.After(30 * time.Second):
		t.Error("the stop takes the whole shutdown time without clients")
	}
}

func TestAbortEndsTheDrain(t *testing.T) {
	s := start(t, cache.Options{}, Options{Drain: DrainGrace(time.Hour), ShutdownTimeout: time.Hour})
	s.dial(t).do("GET", "/v1/cache/k", "", "").want(t, "GET", 404)
	s.stop()
	eventually(t, "draining", 10*time.Second, s.draining.Load)
	s.Abort()
	select {
	case err := <-s.ended:
		if err != nil {
			t.Errorf("Serve: %v", err)
		}
	case <-time.After(30 * time.Second):
		t.Error("Abort did not end Serve")
	}
}

func TestDrainGrace(_ *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	DrainGrace(time.Hour).ServeOn(ctx) // must return
	DrainGrace(time.Millisecond).ServeOn(context.Background())
}

func TestServeReportsAFailingListener(t *testing.T) {
	engine, err := cache.New(cache.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(Options{Cache: engine})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Serve(t.Context(), brokenListener{}); err == nil || !strings.Contains(err.Error(), "serve on") {
		t.Errorf("Serve: %v, want an error that names the address", err)
	}
}

type brokenListener struct{}

func (brokenListener) Accept() (net.Conn, error) { return nil, http.ErrAbortHandler }
func (brokenListener) Close() error              { return nil }
func (brokenListener) Addr() net.Addr            { return &net.TCPAddr{} }
