package cacheserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/sk1-services/distributed-cache/pkg/cache"
)

// FuzzRequest sends any bytes over a connection. Whatever they are, the server
// answers in valid HTTP with a status that is documented, redirects nowhere,
// and ends the connection.
func FuzzRequest(f *testing.F) {
	for _, seed := range []string{
		"GET /v1/cache/k HTTP/1.1\r\nHost: x\r\n\r\n",
		"PUT /v1/cache/a//b?ttl=5 HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nvGET /v1/cache/a//b HTTP/1.1\r\nHost: x\r\n\r\n",
		"PUT /v1/cache/k HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
		"PUT /v1/cache/k HTTP/1.1\r\nHost: x\r\nCache-TTL: -1\r\nContent-Length: 9\r\n\r\nx",
		"PUT /v1/cache/k HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nhi",
		"POST /v1/batch HTTP/1.1\r\nHost: x\r\nContent-Type: application/vnd.tiny-cache.batch\r\nContent-Length: 12\r\n\r\n\x01\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00k",
		"DELETE http://x/v1/cache/%2F%zz HTTP/1.0\r\n\r\n",
		"GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
		"HEAD /v1/stats HTTP/1.1\r\n\r\n\r\n\r\n",
	} {
		f.Add([]byte(seed))
	}
	_, s := newFuzzed(f)
	f.Fuzz(func(t *testing.T, sent []byte) {
		c := &scriptedConn{in: bytes.NewReader(sent), closed: make(chan struct{})}
		_ = s.http.ServeConn(c)
		select {
		case <-c.closed: // a refused body's answer comes from a goroutine of its own
		case <-time.After(30 * time.Second):
			t.Fatal("the connection was not ended")
		}
		checkAnswers(t, c.written())
	})
}

var documentedStatuses = []int{200, 204, 400, 404, 405, 408, 413, 415, 431, 503}

func checkAnswers(t *testing.T, got []byte) {
	t.Helper()
	// HEAD's answers have a length and no body, and only the fuzzer knows
	// which these are: so the answers are read as far as they are certain.
	for r := bufio.NewReader(bytes.NewReader(got)); ; {
		if _, err := r.Peek(1); err != nil {
			return
		}
		a, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatalf("no HTTP: %v in %q", err, got)
		}
		if a.StatusCode == http.StatusContinue {
			continue
		}
		if !slices.Contains(documentedStatuses, a.StatusCode) {
			t.Fatalf("status %d in %q", a.StatusCode, got)
		}
		start, _ := r.Peek(5)
		body, err := io.ReadAll(a.Body)
		if errors.Is(err, io.ErrUnexpectedEOF) || string(start) == "HTTP/" {
			return // it was HEAD
		}
		var message struct{ Error string }
		if a.StatusCode >= http.StatusBadRequest && (json.Unmarshal(body, &message) != nil || message.Error == "") {
			t.Fatalf("status %d with the body %q", a.StatusCode, body)
		}
	}
}

// scriptedConn is a client that has sent all it will, and reads everything.
type scriptedConn struct {
	in     *bytes.Reader
	closed chan struct{}
	once   sync.Once

	mu  sync.Mutex
	out bytes.Buffer
}

func (c *scriptedConn) Read(b []byte) (int, error) { return c.in.Read(b) }

func (c *scriptedConn) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.out.Write(b)
}

func (c *scriptedConn) written() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return bytes.Clone(c.out.Bytes())
}

func (c *scriptedConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return nil
}

func (*scriptedConn) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (*scriptedConn) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (*scriptedConn) SetDeadline(time.Time) error      { return nil }
func (*scriptedConn) SetReadDeadline(time.Time) error  { return nil }
func (*scriptedConn) SetWriteDeadline(time.Time) error { return nil }

// newFuzzed is a server that no network leads to.
func newFuzzed(f *testing.F) (*cache.Cache, *Server) {
	f.Helper()
	engine, err := cache.New(cache.Options{})
	if err != nil {
		f.Fatal(err)
	}
	s, err := New(Options{Cache: engine})
	if err != nil {
		f.Fatal(err)
	}
	return engine, s
}
