package cacheserver

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/sk1-services/distributed-cache/pkg/cache"
)

// running is a server on a real socket.
type running struct {
	*Server
	addr string
	stop context.CancelFunc
	// ended yields Serve's result.
	ended <-chan error
}

// hold is a Drainer that serves on until released.
type hold chan struct{}

func (h hold) ServeOn(ctx context.Context) {
	select {
	case <-h:
	case <-ctx.Done():
	}
}

func start(tb testing.TB, c cache.Options, o Options) *running {
	tb.Helper()
	engine, err := cache.New(c)
	if err != nil {
		tb.Fatal(err)
	}
	o.Cache = engine
	s, err := New(o)
	if err != nil {
		tb.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, ln) }()
	tb.Cleanup(func() {
		cancel()
		s.Abort()
	})
	return &running{Server: s, addr: ln.Addr().String(), stop: cancel, ended: ended}
}

// client is one client connection that sends what it is told, byte for byte.
type client struct {
	net.Conn
	tb testing.TB
	r  *bufio.Reader
}

func (s *running) dial(tb testing.TB) *client {
	tb.Helper()
	c, err := net.Dial("tcp", s.addr)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(60 * time.Second))
	return &client{Conn: c, tb: tb, r: bufio.NewReader(c)}
}

type answer struct {
	*http.Response
	body []byte
}

func (c *client) do(method, target, header, body string) answer {
	c.tb.Helper()
	if method == http.MethodPut && header == "" {
		header = fmt.Sprintf("Content-Length: %d\r\n", len(body))
	}
	if _, err := fmt.Fprintf(c, "%s %s HTTP/1.1\r\nHost: x\r\n%s\r\n%s", method, target, header, body); err != nil {
		c.tb.Fatalf("%s %s: %v", method, target, err)
	}
	return c.read(method)
}

func (c *client) read(method string) answer {
	c.tb.Helper()
	a, err := c.tryRead(method)
	if err != nil {
		c.tb.Fatalf("read answer to %s: %v", method, err)
	}
	return a
}

func (c *client) tryRead(method string) (answer, error) {
	req, _ := http.NewRequest(method, "/", nil)
	res, err := http.ReadResponse(c.r, req)
	if err != nil {
		return answer{}, err
	}
	body, err := io.ReadAll(res.Body)
	return answer{res, body}, err
}

func (a answer) want(tb testing.TB, what string, status int) {
	tb.Helper()
	if a.StatusCode != status {
		tb.Fatalf("%s: status %d, want %d; body %q", what, a.StatusCode, status, a.body)
	}
	isError := a.Header.Get("Content-Type") == "application/json" && bytes.HasPrefix(a.body, []byte(`{"error":"`))
	if status >= 400 && a.Request.Method != http.MethodHead && !isError {
		tb.Fatalf("%s: the error's body is %q of type %q, want {\"error\": ...}", what, a.body, a.Header.Get("Content-Type"))
	}
}

// eventually waits for what other goroutines bring about.
func eventually(tb testing.TB, what string, within time.Duration, ok func() bool) {
	tb.Helper()
	for end := time.Now().Add(within); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			tb.Fatalf("%s: not within %v", what, within)
		}
	}
}

func pattern(size int) string {
	b := make([]byte, size)
	x := uint32(size)*2654435761 + 1
	for i := range b {
		x = x*1664525 + 1013904223
		b[i] = byte(x >> 24)
	}
	return string(b)
}

// newFuzzed is a server that no network leads to, of a cache with a clock; nil is
// the usual one.
func newFuzzed(f *testing.F, clock func() time.Duration) (*cache.Cache, *Server) {
	f.Helper()
	engine, err := cache.New(cache.Options{Clock: clock})
	if err != nil {
		f.Fatal(err)
	}
	s, err := New(Options{Cache: engine})
	if err != nil {
		f.Fatal(err)
	}
	return engine, s
}
