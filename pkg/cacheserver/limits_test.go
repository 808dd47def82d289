package cacheserver

import (
	"fmt"
	"io"
	"net/http"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sk1-services/distributed-cache/pkg/cache"
)

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

// J17: bodies of ten times the limit, chunked, end with 413 and do not gather in
// memory: one takes less than twice the limit, eight at once no more than the
// budget for payloads. And a PUT that breaks off stores nothing.
func TestJ17LargeBodiesAreRefusedWhileRead(t *testing.T) {
	const limit = 1 << 20
	s := start(t, cache.Options{MaxValueSize: limit}, Options{PayloadBytes: 4 * limit, PayloadWait: 30 * time.Second})
	for senders, most := range map[int]int64{1: 2 * limit, 8: 4*limit + 2*limit} {
		if grown := heapGrowth(func() { sendTooMuch(t, s, senders, limit) }); grown > most {
			t.Errorf("%d bodies of %d MiB made the heap grow by %d KiB, want at most %d", senders, 10*limit>>20, grown>>10, most>>10)
		}
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

// sendTooMuch sends bodies of ten times the limit at once.
func sendTooMuch(t *testing.T, s *running, senders, limit int) {
	t.Helper()
	chunk := fmt.Appendf(nil, "%x\r\n%s\r\n", 64<<10, strings.Repeat("y", 64<<10))
	var wg sync.WaitGroup
	for range senders {
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
	wg.Wait()
}

// heapGrowth returns by how much the heap in use grows at most during do, with as
// little garbage in it as the program leaves.
func heapGrowth(do func()) int64 {
	defer debug.SetGCPercent(debug.SetGCPercent(cache.GarbagePercent))
	runtime.GC()
	base := heap()
	peak := base
	done := make(chan struct{})
	go func() { do(); close(done) }()
	for {
		select {
		case <-done:
			return int64(max(peak, heap()) - base)
		case <-time.After(5 * time.Millisecond):
			peak = max(peak, heap())
		}
	}
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse
}

func TestTooManyConnections(t *testing.T) {
	s := start(t, cache.Options{}, Options{MaxConnections: 3})
	var held []*client
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
		p, refused := s.payloads.borrow(1<<20, patient)
		if refused != nil {
			t.Fatal(refused.message)
		}
		held = append(held, p)
	}
	c.do("GET", "/v1/cache/large", "", "").want(t, "GET large without budget", 503)
	c.do("GET", "/v1/cache/small", "", "").want(t, "GET small without budget", 200)
	c.do("PUT", "/v1/cache/small", "", pattern(smallValue)).want(t, "PUT small without budget", 204)
	for _, p := range held {
		_ = p.Close()
	}
	for range 100 { // every response must give back what it borrowed
		c.do("GET", "/v1/cache/large", "", "").want(t, "GET large", 200)
	}
	// The last response is given back after the client has it.
	eventually(t, "the whole budget is given back", 10*time.Second, func() bool { return s.payloads.budget.TryAcquire(4 << 20) })
}
