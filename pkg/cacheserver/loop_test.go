package cacheserver

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/sk1-services/distributed-cache/pkg/cache"
)

// resting waits until loops have all connections, and returns how many they have.
func (s *running) resting(t *testing.T) int {
	t.Helper()
	eventually(t, "fasthttp has no connection", 10*time.Second, func() bool { return s.connections.handed.Load() == 0 })
	open, _ := s.connections.count()
	return open
}

// A connection goes to fasthttp for what is not quick, and comes back.
func TestConnectionsRestInLoops(t *testing.T) {
	s := start(t, cache.Options{}, Options{})
	c := s.dial(t)
	for round := range 3 {
		for _, size := range []int{0, 100, smallValue, smallValue + 1, 1 << 20} {
			value := pattern(size)
			c.do("PUT", "/v1/cache/k", "", value).want(t, "PUT", 204)
			a := c.do("GET", "/v1/cache/k", "", "")
			if a.want(t, "GET", 200); string(a.body) != value {
				t.Fatalf("round %d: a value of %d bytes came back as %d", round, size, len(a.body))
			}
			if open := s.resting(t); open != 1 {
				t.Fatalf("round %d, %d bytes: %d connections rest in loops, want 1", round, size, open)
			}
		}
		c.do("GET", "/metrics", "", "").want(t, "GET /metrics", 200)
		c.do("PUT", "/v1/cache/k", "Transfer-Encoding: chunked\r\n", "2\r\nhi\r\n0\r\n\r\n").want(t, "PUT in chunks", 204)
		c.do("PUT", "/v1/cache/k?ttl=x", "", "v").want(t, "PUT with a wrong ttl", 400)
	}
	if open := s.resting(t); open != 1 {
		t.Errorf("%d connections are open, want 1", open)
	}
}

// A request may come in any pieces, and many at once: each is answered once, in
// order, whoever answers it.
func TestRequestsInPiecesAndAtOnce(t *testing.T) {
	s := start(t, cache.Options{}, Options{})
	c := s.dial(t)
	large := pattern(50_000)
	c.do("PUT", "/v1/cache/large", "", large).want(t, "PUT large", 204)
	c.do("PUT", "/v1/cache/small", "", "v").want(t, "PUT small", 204)
	const small = "GET /v1/cache/small HTTP/1.1\r\nHost: x\r\n\r\n"
	for cut := 1; cut < len(small); cut += 7 {
		_, _ = io.WriteString(c, small+small[:cut])
		c.read("GET").want(t, "GET before a piece", 200)
		_, _ = io.WriteString(c, small[cut:]+small)
		c.read("GET").want(t, "GET in pieces", 200)
		c.read("GET").want(t, "GET after pieces", 200)
	}
	kinds := []struct {
		request string
		status  int
		body    string
	}{
		{small, 200, "v"},
		{"GET /v1/cache/large HTTP/1.1\r\nHost: x\r\n\r\n", 200, large},
		{"GET /v1/cache/none HTTP/1.1\r\nHost: x\r\n\r\n", 404, ""},
		{"PUT /v1/cache/new HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nnew", 204, ""},
		{"GET /v1/cache/small?x HTTP/1.1\r\nHost: x\r\n\r\n", 400, ""},
		{"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", 200, ""},
		{"GET /v1/cache/small HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n", 200, "v"},
	}
	var all strings.Builder
	const requests = 500
	for i := range requests {
		all.WriteString(kinds[i*i%len(kinds)].request)
	}
	go func() { _, _ = io.WriteString(c, all.String()) }()
	for i := range requests {
		want := kinds[i*i%len(kinds)]
		a := c.read("GET")
		a.want(t, fmt.Sprintf("request %d", i), want.status)
		if want.body != "" && string(a.body) != want.body {
			t.Fatalf("request %d: the answer has %d bytes, want %d", i, len(a.body), len(want.body))
		}
	}
	s.resting(t)
}

func TestRestingConnectionsEnd(t *testing.T) {
	s := start(t, cache.Options{}, Options{ReadTimeout: time.Second, IdleTimeout: 2 * time.Second})
	silent, idle := s.dial(t), s.dial(t)
	idle.do("GET", "/healthz", "", "").want(t, "GET", 200)
	idle.do("GET", "/v1/cache/k", "", "").want(t, "GET", 404)
	if a := silent.read("GET"); a.StatusCode != http.StatusRequestTimeout || !a.Close {
		t.Errorf("a client that says nothing is told %d, Connection: close %v; want 408", a.StatusCode, a.Close)
	}
	if a, err := idle.tryRead("GET"); err == nil {
		t.Errorf("an idle client is told %d, want nothing", a.StatusCode)
	}
	if open := s.resting(t); open != 0 {
		t.Errorf("%d connections are open after their time", open)
	}
}

// Who asks for many small values and takes none is cut off, and others of the same
// loop do not wait for it.
func TestSlowReaderOfSmallValues(t *testing.T) {
	s := start(t, cache.Options{}, Options{WriteTimeout: time.Second})
	other := s.dial(t)
	other.do("PUT", "/v1/cache/k", "", pattern(smallValue)).want(t, "PUT", 204)
	slow := s.dial(t)
	eventually(t, "two connections", 10*time.Second, func() bool { open, _ := s.connections.count(); return open == 2 })
	// 800 MB to come: more than any buffers hold.
	go func() {
		_, _ = io.WriteString(slow, strings.Repeat("GET /v1/cache/k HTTP/1.1\r\nHost: x\r\n\r\n", 100_000))
	}()
	eventually(t, "the slow reader cut off", 30*time.Second, func() bool {
		other.do("GET", "/v1/cache/k", "", "").want(t, "GET beside a slow reader", 200)
		open, _ := s.connections.count()
		return open == 1
	})
	if open := s.resting(t); open != 1 {
		t.Errorf("%d connections rest, want 1", open)
	}
}

// Whatever a client that disappears was about to do, nothing is left of it.
func TestClientsDisappear(t *testing.T) {
	s := start(t, cache.Options{}, Options{})
	s.dial(t).do("PUT", "/v1/cache/k", "Connection: close\r\nContent-Length: 100000\r\n", pattern(100_000)).want(t, "PUT", 204)
	for i, sent := range []string{
		"", "GET", "GET /v1/cache/k HTTP/1.1\r\nHost: x\r\n\r\n", "PUT /v1/cache/n HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\nx",
		strings.Repeat("GET /v1/cache/k HTTP/1.1\r\nHost: x\r\n\r\n", 100),
	} {
		for range 20 {
			c := s.dial(t)
			_, _ = io.WriteString(c, sent)
			if i%2 == 0 {
				_ = c.Conn.(interface{ SetLinger(sec int) error }).SetLinger(0) // a reset
			}
			_ = c.Close()
		}
	}
	eventually(t, "all gone", 20*time.Second, func() bool { open, _ := s.connections.count(); return open == 0 })
	if s.connections.handed.Load() != 0 {
		t.Errorf("%d connections are still counted as handed over", s.connections.handed.Load())
	}
	s.dial(t).do("GET", "/v1/cache/k", "", "").want(t, "GET", 200)
}

// A loop never waits for memory: who needs it waits elsewhere.
func TestLoopDoesNotWaitForPayloads(t *testing.T) {
	s := start(t, cache.Options{}, Options{PayloadBytes: 4 << 20, PayloadWait: 30 * time.Second})
	var held []*payload
	for range 4 {
		p, refused := s.payloads.borrow(1<<20, patient)
		if refused != nil {
			t.Fatal(refused.message)
		}
		held = append(held, p)
	}
	waiting, other := s.dial(t), s.dial(t)
	body := strings.Repeat("\x01\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00k", 20) // needs more than 8 KiB for its answer
	_, _ = fmt.Fprintf(waiting, "POST /v1/batch HTTP/1.1\r\nHost: x\r\nContent-Type: application/vnd.tiny-cache.batch\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	eventually(t, "the batch waits", 10*time.Second, func() bool { return s.connections.handed.Load() == 1 })
	for range 10 {
		other.do("GET", "/v1/cache/k", "", "").want(t, "GET beside a batch that waits", 404)
	}
	for _, p := range held {
		_ = p.Close()
	}
	waiting.read("POST").want(t, "the batch", 200)
	s.resting(t)
}
