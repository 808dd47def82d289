//go:build linux

package cacheserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/sk1-services/distributed-cache/pkg/cacheserver/epoll"
)

// FuzzRequest sends any bytes to two servers, one with loops and one without.
// Whatever they are, both answer the same, in valid HTTP with a status that is
// documented, redirect nowhere, end the connection, and hold the same entries
// afterwards.
func FuzzRequest(f *testing.F) {
	const get, put = "GET /v1/cache/k HTTP/1.1\r\nHost: x:8080\r\n\r\n", "PUT /v1/cache/k HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nv"
	for _, seed := range []string{
		get, put + get, get + "GET / HTTP/1.1\r\n\r\n" + get, put[:len(put)-1], get + get[:9],
		"PUT /v1/cache/k?ttl=9 HTTP/1.1\r\nHost: x\r\nCache-TTL: 5\r\nContent-Length: 2\r\n\r\nhi" + get,
		"PUT /v1/cache/a//b?ttl=5 HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nvGET /v1/cache/a//b HTTP/1.1\r\nHost: x\r\n\r\n",
		"PUT /v1/cache/k HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n" + get,
		"PUT /v1/cache/k HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nhi" + get,
		"PUT /v1/cache/k HTTP/1.1\r\nHost: x\r\nCache-TTL: -1\r\nContent-Length: 9\r\n\r\nx",
		"HEAD /v1/cache/k HTTP/1.1\r\nHost: X\r\nContent-Length: 3\r\n\r\nabc" + get, "GET /v1/cache/\x01 HTTP/1.1\r\nHost: x\r\n\r\n" + get,
		"GET /v1/cache/k HTTP/1.0\r\nConnection: keep-alive\r\n\r\n" + get, "DELETE /v1/cache/k HTTP/1.1\r\nHost: a b\r\n\r\n" + get,
		"GET http://x/v1/cache/k HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" + get, "POST /v1/cache/k HTTP/1.1\r\nHost: x\r\n\r\n" + get,
		"DELETE http://x/v1/cache/%2F%zz HTTP/1.0\r\n\r\n", "HEAD /readyz HTTP/1.1\r\n\r\n\r\n\r\n", "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n",
		"POST /v1/batch HTTP/1.1\r\nHost: x\r\nContent-Type: application/vnd.tiny-cache.batch\r\nContent-Length: 12\r\n\r\n\x01\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00k" + get,
	} {
		f.Add([]byte(seed))
	}
	still := func() time.Duration { return time.Hour }
	_, looped := newFuzzed(f, still)
	_, plain := newFuzzed(f, still)
	front := startFront(f, looped)
	f.Fuzz(func(t *testing.T, sent []byte) {
		one := talk(t, sent, front.welcome)
		other := talk(t, sent, func(s epoll.Socket) { serveAlone(t, plain, s) })
		checkAnswers(t, one)
		if bytes.Contains(sent, []byte("/metrics")) || bytes.Contains(sent, []byte("/v1/stats")) {
			return // numbers that differ
		}
		if !bytes.Equal(one, other) {
			t.Fatalf("with loops  %q\nwithout     %q", one, other)
		}
		for _, key := range []string{"k", "a//b"} {
			a, _, foundA := looped.cache.Get(nil, []byte(key))
			b, _, foundB := plain.cache.Get(nil, []byte(key))
			if foundA != foundB || !bytes.Equal(a, b) {
				t.Fatalf("entry %s: with loops %q %v, without %q %v", key, a, foundA, b, foundB)
			}
		}
	})
}

// serveAlone has fasthttp serve a connection that no loop knows.
func serveAlone(t *testing.T, s *Server, socket epoll.Socket) {
	t.Helper()
	s.connections.enter()
	c := &conn{socket: socket, all: s.connections}
	if err := c.handOver(nil); err != nil {
		t.Fatal(err)
	}
	go func() { _ = s.http.ServeConn(c) }()
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

// startFront runs a server's front, on a listener that nobody connects to.
func startFront(tb testing.TB, s *Server) *front {
	tb.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	front, err := newFront(s, ln)
	if err != nil {
		tb.Fatal(err)
	}
	if len(front.loops) == 0 {
		tb.Fatal("there are no loops")
	}
	go func() { _ = front.run() }()
	tb.Cleanup(front.close)
	return front
}

var date = regexp.MustCompile(`\r\nDate: [^\r\n]*`)

// talk sends bytes over a socket that serve is given the other end of, and
// returns all answers, without their dates.
func talk(t *testing.T, sent []byte, serve func(epoll.Socket)) []byte {
	t.Helper()
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	file := os.NewFile(uintptr(pair[0]), "client")
	c, err := net.FileConn(file)
	_ = file.Close()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	_ = c.SetDeadline(time.Now().Add(30 * time.Second))
	if _, err := c.Write(sent); err != nil {
		t.Fatal(err)
	}
	if err := c.(*net.UnixConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	serve(epoll.Socket(pair[1]))
	got, err := io.ReadAll(c)
	if err != nil {
		t.Fatalf("after %q: %v", got, err)
	}
	return date.ReplaceAll(got, nil)
}
