package load

import (
	"bufio"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/sk1-services/distributed-cache/test/bench/wire"
)

// fakeServer answers each line of a memcached get with what answer writes.
func fakeServer(t *testing.T, answer func(w io.Writer)) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = conn.Close() }()
				for lines := bufio.NewScanner(conn); lines.Scan(); {
					answer(conn)
				}
			}()
		}
	}()
	return l.Addr().(*net.TCPAddr).Port
}

type gets struct{ n int }

func (g *gets) Next(dst []byte) ([]byte, wire.Op) {
	g.n++
	return wire.Memcached{}.AppendGet(dst, []byte("k")), wire.Get
}

const hit = "VALUE k 0 3\r\nabc\r\nEND\r\n"

// inPieces writes a hit such that readers see it torn.
func inPieces(w io.Writer) {
	_, _ = io.WriteString(w, hit[:9])
	time.Sleep(time.Millisecond)
	_, _ = io.WriteString(w, hit[9:])
}

func connect(t *testing.T, answer func(io.Writer)) *Pool {
	t.Helper()
	p, err := Connect(fakeServer(t, answer), 3, 16, wire.Memcached{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

func TestClosedLoop(t *testing.T) {
	p, source := connect(t, inPieces), &gets{}
	r, err := p.Closed(source, 50*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if n := uint64(source.n); n < 3 || r.Requests != n || r.Reads != n || r.Hits != n || r.Latency.Count() != n {
		t.Errorf("%d sent, %d answered, %d hits", n, r.Requests, r.Hits)
	}
	if r.Latency.Quantile(0) < time.Millisecond || r.Elapsed < 50*time.Millisecond {
		t.Errorf("fastest %v, in all %v: faster than the server", r.Latency.Quantile(0), r.Elapsed)
	}
}

// A server that needs 1 ms on each of 3 connections and is asked 6000 times a second falls behind,
// and the time from when requests were due shows it.
func TestOpenLoopCountsFromWhenDue(t *testing.T) {
	p := connect(t, inPieces)
	r, err := p.Open(&gets{}, 6000, 100*time.Millisecond, 1)
	if err != nil {
		t.Fatal(err)
	}
	if r.Requests < 400 || r.Requests > 800 {
		t.Errorf("%d requests, want about 600", r.Requests)
	}
	if last := r.Latency.Quantile(1); last < 50*time.Millisecond {
		t.Errorf("slowest %v: requests that waited were forgiven", last)
	}
}

func TestFaultsAreTold(t *testing.T) {
	for want, answer := range map[string]func(io.Writer){
		"unexpected reply": func(w io.Writer) { _, _ = io.WriteString(w, "ERROR\r\n") },
		"nobody asked":     func(w io.Writer) { _, _ = io.WriteString(w, hit+"x") },
		"closed":           func(w io.Writer) { _ = w.(net.Conn).Close() },
	} {
		if _, err := connect(t, answer).Closed(&gets{}, time.Second); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestPipe(t *testing.T) {
	n := 0
	port := fakeServer(t, func(w io.Writer) {
		if n++; n%2 == 0 {
			_, _ = io.WriteString(w, "END\r\n")
			return
		}
		inPieces(w)
	})
	p, err := OpenPipe(t.Context(), port, wire.Memcached{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.Close() }()
	hits := make([]bool, 4)
	key := []byte("k")
	if err := p.Get([][]byte{key, key, key, key}, hits); err != nil {
		t.Fatal(err)
	}
	if !hits[0] || hits[1] || !hits[2] || hits[3] {
		t.Errorf("hits %v, want every second", hits)
	}
}
