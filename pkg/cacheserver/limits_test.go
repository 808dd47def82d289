package cacheserver

import (
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sk1-services/distributed-cache/pkg/cache"
)

// J16, scaled down: senders of one byte now and then are cut off, and others
// are served meanwhile. The time limits are short here so that the test is.
func TestJ16SlowSendersAreCutOff(t *testing.T) {
	s := start(t, cache.Options{}, Options{ReadTimeout: time.Second})
	before := runtime.NumGoroutine()
	const slow = 100
	var wg sync.WaitGroup
	for i := range slow {
		c := s.dial(t)
		wg.Go(func() {
			request := "PUT /v1/cache/k HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n" + strings.Repeat("x", 9000)
			if i%2 == 0 { // half of them do not get past the header
				request = request[:20]
			}
			_, _ = io.WriteString(c, request)
			for range 300 {
				if _, err := io.WriteString(c, "x"); err != nil {
					return
				}
				time.Sleep(100 * time.Millisecond)
			}
			t.Errorf("slow sender %d was not cut off in 30 s", i)
		})
	}
	c := s.dial(t)
	for range 200 {
		c.do("PUT", "/v1/cache/other", "", "v").want(t, "PUT beside slow senders", 204)
	}
	wg.Wait()
	_ = c.Close()
	eventually(t, "connections gone", 10*time.Second, func() bool { open, _ := s.connections.count(); return open == 0 })
	eventually(t, "goroutines back", 40*time.Second, func() bool { return runtime.NumGoroutine() <= before+5 })
	if _, ok := s.cache.Peek([]byte("k")); ok {
		t.Error("half a body was stored")
	}
}

func TestSlowBodyGets408(t *testing.T) {
	s := start(t, cache.Options{}, Options{ReadTimeout: 200 * time.Millisecond})
	for name, sent := range map[string]string{
		"header": "GET /v1/cac",
		"body":   "PUT /v1/cache/k HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf",
		"large":  "PUT /v1/cache/k HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n" + strings.Repeat("x", 9000),
		"chunks": "PUT /v1/cache/k HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhalf",
	} {
		c := s.dial(t)
		_, _ = io.WriteString(c, sent)
		a := c.read("PUT")
		a.want(t, name, 408)
		if !a.Close {
			t.Errorf("%s: the connection is left open", name)
		}
	}
}

// J17: bodies of ten times the limit, chunked, eight at once, end with 413 and
// do not gather in memory. And a PUT that breaks off stores nothing.
func TestJ17LargeBodiesAreRefusedWhileRead(t *testing.T) {
	const limit = 1 << 20
	s := start(t, cache.Options{MaxValueSize: limit}, Options{PayloadBytes: 4 * limit, PayloadWait: 30 * time.Second})
	chunk := fmt.Appendf(nil, "%x\r\n%s\r\n", 64<<10, strings.Repeat("y", 64<<10))
	var peak uint64
	var wg sync.WaitGroup
	runtime.GC()
	base := heap()
	for range 8 {
		c := s.dial(t)
		wg.Go(func() {
			go func() {
				_, _ = io.WriteString(c, "PUT /v1/cache/k HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
				for range 10 * limit / (64 << 10) {
					if _, err := c.Write(chunk); err != nil {
						return
					}
				}
			}()
			a, err := c.tryRead("PUT")
			if err != nil || a.StatusCode != http.StatusRequestEntityTooLarge {
				t.Errorf("ten times the limit: %v, %v; want 413", a.Response, err)
			}
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	for running := true; running; {
		select {
		case <-done:
			running = false
		case <-time.After(5 * time.Millisecond):
		}
		peak = max(peak, heap())
	}
	// The budget and the test's own buffers; 80 MiB were sent.
	if grown := int64(peak) - int64(base); grown > 2*4*limit {
		t.Errorf("the heap grew by %d MiB", grown>>20)
	}
	for name, sent := range map[string]string{
		"length":  "PUT /v1/cache/k HTTP/1.1\r\nHost: x\r\nContent-Length: 20000\r\n\r\n" + strings.Repeat("x", 10000),
		"chunked": "PUT /v1/cache/k HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
	} {
		c := s.dial(t)
		_, _ = io.WriteString(c, sent)
		_ = c.Conn.(interface{ CloseWrite() error }).CloseWrite()
		c.read("PUT").want(t, "broken off by "+name, 400)
	}
	if _, ok := s.cache.Peek([]byte("k")); ok {
		t.Error("a broken-off PUT stored something")
	}
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse
}

func TestTooManyConnections(t *testing.T) {
	s := start(t, cache.Options{}, Options{MaxConnections: 3})
	var held []*conn
	for range 3 {
		c := s.dial(t)
		c.do("GET", "/healthz", "", "").want(t, "within the limit", 200)
		held = append(held, c)
	}
	a := s.dial(t).read("GET")
	a.want(t, "beyond the limit", 503)
	if !a.Close || a.Header.Get("Retry-After") == "" {
		t.Errorf("503: header %v", a.Header)
	}
	_ = held[0].Close()
	eventually(t, "a place is free again", 10*time.Second, func() bool {
		c := s.dial(t)
		defer func() { _ = c.Close() }()
		_, _ = io.WriteString(c, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
		a, err := c.tryRead("GET")
		return err == nil && a.StatusCode == http.StatusOK
	})
}

func TestHeaderTooLarge(t *testing.T) {
	s := start(t, cache.Options{}, Options{})
	s.dial(t).do("GET", "/v1/cache/k", "X: "+strings.Repeat("x", 9000)+"\r\n", "").want(t, "header of 9000 bytes", 431)
	s.dial(t).do("GET", "/v1/cache/k y", "", "").want(t, "no HTTP", 400)
}

// Large values wait for the budget and are refused when it does not come free;
// small ones do not care.
func TestPayloadBudget(t *testing.T) {
	s := start(t, cache.Options{}, Options{PayloadBytes: 4 << 20, PayloadWait: 50 * time.Millisecond})
	c := s.dial(t)
	c.do("PUT", "/v1/cache/large", "", pattern(100_000)).want(t, "PUT", 204)
	c.do("PUT", "/v1/cache/small", "", "v").want(t, "PUT", 204)
	var held []*payload
	for range 4 {
		p, refused := s.payloads.borrow(1 << 20)
		if refused != nil {
			t.Fatal(refused.message)
		}
		held = append(held, p)
	}
	c.do("GET", "/v1/cache/large", "", "").want(t, "GET large without budget", 503)
	c.do("GET", "/v1/cache/small", "", "").want(t, "GET small without budget", 200)
	for _, p := range held {
		_ = p.Close()
	}
	for range 100 { // every response must give back what it borrowed
		c.do("GET", "/v1/cache/large", "", "").want(t, "GET large", 200)
	}
	// The last response is given back after the client has it.
	eventually(t, "the whole budget is given back", 10*time.Second, func() bool { return s.payloads.budget.TryAcquire(4 << 20) })
}
