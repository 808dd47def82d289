package cacheserver

import (
	"io"
	"net"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sk1-services/distributed-cache/pkg/cache"
)

// J16: 500 clients that send a byte now and then, half of them within the
// header. Each is cut off in time, others are served meanwhile, and afterwards
// nothing of them is left. With LONG_TESTS=1 as the case has it: the shipped
// time limits, a byte per second, for a minute, and others' p99 below 50 ms.
func TestJ16SlowSendersAreCutOff(t *testing.T) {
	o, crowd := Options{ReadTimeout: time.Second}, slowCrowd{pause: 100 * time.Millisecond, most: time.Minute}
	long := os.Getenv("LONG_TESTS") != ""
	if long {
		o, crowd = Options{}, slowCrowd{pause: time.Second, most: 10 * time.Second, again: time.Minute}
	}
	s := start(t, cache.Options{}, o)
	s.dial(t).do("GET", "/v1/cache/other", "Connection: close\r\n", "").want(t, "GET before", 404)
	runtime.GC()
	goroutines, memory := runtime.NumGoroutine(), heap()

	gone := crowd.come(t, s, 500)
	var took []time.Duration
	c := s.dial(t)
	_ = c.SetDeadline(time.Now().Add(3 * time.Minute))
	for busy := true; busy; {
		select {
		case <-gone:
			busy = false
		default:
			begin := time.Now()
			c.do("PUT", "/v1/cache/other", "", "v").want(t, "PUT beside slow senders", 204)
			took = append(took, time.Since(begin))
			time.Sleep(time.Millisecond)
		}
	}
	slices.Sort(took)
	p99 := took[len(took)*99/100]
	t.Logf("%d requests beside 500 slow connections: p50 %v, p99 %v", len(took), took[len(took)/2], p99)
	if long && p99 > 50*time.Millisecond {
		t.Errorf("p99 of the others is %v", p99)
	}
	_ = c.Close()
	eventually(t, "connections gone", 10*time.Second, func() bool { open, _ := s.connections.count(); return open == 0 })
	eventually(t, "goroutines back", 40*time.Second, func() bool { return runtime.NumGoroutine() <= goroutines+5 })
	eventually(t, "memory back", 40*time.Second, func() bool {
		runtime.GC() // what lies in pools goes with the second one
		return heap() < memory+4<<20
	})
	if _, ok := s.cache.Peek([]byte("k")); ok {
		t.Error("half a body was stored")
	}
}

// slowCrowd sends a byte per pause on each connection, expects to be cut off
// within most, and comes again until that time is over.
type slowCrowd struct{ pause, most, again time.Duration }

func (s slowCrowd) come(t *testing.T, to *running, clients int) (gone <-chan struct{}) {
	t.Helper()
	end := time.Now().Add(s.again)
	var wg sync.WaitGroup
	for i := range clients {
		wg.Go(func() {
			s.send(t, to.addr, i)
			for time.Now().Before(end) {
				s.send(t, to.addr, i)
			}
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	return done
}

func (s slowCrowd) send(t *testing.T, addr string, i int) {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Errorf("slow sender %d: %v", i, err)
		return
	}
	defer func() { _ = c.Close() }()
	request := "PUT /v1/cache/k HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n" + strings.Repeat("x", 9000)
	if i%2 == 0 { // half of them do not get past the header
		request = request[:20]
	}
	_, _ = io.WriteString(c, request)
	// The writing notices the end one pause late.
	for begin := time.Now(); time.Since(begin) < s.most+2*s.pause; time.Sleep(s.pause) {
		if _, err := io.WriteString(c, "x"); err != nil {
			return
		}
	}
	t.Errorf("slow sender %d was not cut off within %v", i, s.most)
}

// Who asks for much and takes none of it is cut off, and what was borrowed for
// the answer comes back.
func TestSlowReaderIsCutOff(t *testing.T) {
	s := start(t, cache.Options{}, Options{WriteTimeout: time.Second, PayloadBytes: 4 << 20})
	s.dial(t).do("PUT", "/v1/cache/k", "Connection: close\r\nContent-Length: 1000000\r\n", pattern(1_000_000)).want(t, "PUT", 204)
	eventually(t, "the writer gone", 10*time.Second, func() bool { open, _ := s.connections.count(); return open == 0 })
	c := s.dial(t)
	_, _ = io.WriteString(c, strings.Repeat("GET /v1/cache/k HTTP/1.1\r\nHost: x\r\n\r\n", 50)) // far more than the sockets hold
	eventually(t, "the reader's connection", 10*time.Second, func() bool { open, _ := s.connections.count(); return open == 1 })
	eventually(t, "the connection cut", 30*time.Second, func() bool { open, _ := s.connections.count(); return open == 0 })
	if !s.payloads.budget.TryAcquire(4 << 20) {
		t.Error("the answer's memory was not given back")
	}
}
