package cacheclient_test

import (
	"bytes"
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/sk1-services/distributed-cache/pkg/cache"
	"github.com/sk1-services/distributed-cache/pkg/cacheclient"
	"github.com/sk1-services/distributed-cache/pkg/cacheserver"
)

// serve is a real server at an address, which drains and ends, without pause for the clients, when
// stop is called.
func serve(tb testing.TB, address string, options cacheserver.Options) (listener net.Listener, stop func()) {
	tb.Helper()
	engine, err := cache.New(cache.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	options.Cache = engine
	server, err := cacheserver.New(options)
	if err != nil {
		tb.Fatal(err)
	}
	listener, err = net.Listen("tcp", address)
	if err != nil {
		tb.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, listener) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			tb.Errorf("Serve: %v", err)
		}
	})
	tb.Cleanup(func() { server.Abort(); stop() })
	return listener, stop
}

// The client and the real server are of one mind about keys, values and times to live.
func TestAgainstTheServer(t *testing.T) {
	listener, _ := serve(t, "127.0.0.1:0", cacheserver.Options{})
	c := start(t, cacheclient.Options{
		Source:  cacheclient.Fixed(snapshot("uid", 1, 0)),
		Address: func(string) string { return listener.Addr().String() },
		Timeout: 30 * time.Second,
	})
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	for _, key := range []string{"k", ".", "..", "../..", "a/b", "a//b", "a?ttl=1", "#", "%41", "%", " ", "+", "é", string(every)} {
		value := []byte("value of " + key)
		if stored, err := c.Set(t.Context(), []byte(key), value, time.Hour); !stored || err != nil {
			t.Errorf("set %q: %t, %v", key, stored, err)
		}
		if got, found, err := c.Get(t.Context(), []byte(key)); !bytes.Equal(got, value) || !found || err != nil {
			t.Errorf("get %q: %q, %t, %v", key, got, found, err)
		}
		if removed, err := c.Delete(t.Context(), []byte(key)); !removed || err != nil {
			t.Errorf("delete %q: %t, %v", key, removed, err)
		}
		if _, found, err := c.Get(t.Context(), []byte(key)); found || err != nil {
			t.Errorf("get %q after the deletion: %t, %v", key, found, err)
		}
	}
}

// A server that drains is used to its end, and found again when it is back.
func TestTheServerDrainsAndReturns(t *testing.T) {
	listener, stop := serve(t, "127.0.0.1:0", cacheserver.Options{Drain: cacheserver.DrainGrace(200 * time.Millisecond)})
	c := start(t, cacheclient.Options{
		Source:  cacheclient.Fixed(snapshot("uid", 1, 0)),
		Address: func(string) string { return listener.Addr().String() },
		Timeout: 30 * time.Second,
	})
	stopped := make(chan struct{})
	go func() { stop(); close(stopped) }()
	stored, running := 0, true
	for running {
		ok, err := c.Set(t.Context(), []byte("k"), []byte("v"), 0)
		if err != nil {
			t.Fatal(err)
		}
		if ok {
			stored++
		}
		select {
		case <-stopped:
			running = false
		case <-time.After(time.Millisecond):
		}
	}
	if stored == 0 {
		t.Error("nothing was stored in the drain")
	}
	serve(t, listener.Addr().String(), cacheserver.Options{})
	eventually(t, "found again", stores(c))
}

// A server that has no connection left refuses further ones with 503. That is a miss; the
// connections that it has serve on, and for a while no further one is tried.
func TestTheServerIsOutOfConnections(t *testing.T) {
	listener, _ := serve(t, "127.0.0.1:0", cacheserver.Options{MaxConnections: 2})
	var mu sync.Mutex
	var events []cacheclient.Event
	dials := 0
	c := start(t, cacheclient.Options{
		Source:  cacheclient.Fixed(snapshot("uid", 1, 0)),
		Timeout: 30 * time.Second, DialTimeout: 30 * time.Second, MaxBackoff: time.Hour,
		Dial: func(ctx context.Context, _ string) (net.Conn, error) {
			mu.Lock()
			defer mu.Unlock()
			dials++
			return (&net.Dialer{}).DialContext(ctx, "tcp", listener.Addr().String())
		},
		Hooks: cacheclient.Hooks{Request: func(e cacheclient.Event) {
			mu.Lock()
			defer mu.Unlock()
			events = append(events, e)
		}},
	})
	if !stores(c)() {
		t.Fatal("not stored")
	}
	stranger, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer stranger.Close()
	if _, err := stranger.Write([]byte("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := stranger.Read(make([]byte, 1)); err != nil { // it holds the last connection now
		t.Fatal(err)
	}
	begun := time.Now()
	for range 5 {
		var callers sync.WaitGroup
		for range 8 {
			callers.Go(func() {
				if _, err := c.Set(t.Context(), []byte("k"), make([]byte, 64<<10), 0); err != nil {
					t.Error(err)
				}
			})
		}
		callers.Wait()
		eventually(t, "stored through the connection that there is", stores(c))
	}
	mu.Lock()
	busy := 0
	for _, e := range events {
		if e.Outcome == cacheclient.Busy {
			busy++
		}
	}
	// Each burst may connect eight times; the server asks for a second between two.
	if bursts := 1 + int(time.Since(begun)/time.Second); busy == 0 || dials > 1+8*bursts {
		t.Errorf("%d busy in %d connects after %s", busy, dials, time.Since(begun))
	}
	before := dials
	mu.Unlock()
	_ = stranger.Close()
	eventually(t, "another connect", func() bool {
		var callers sync.WaitGroup
		for range 8 {
			callers.Go(func() { stores(c)() })
		}
		callers.Wait()
		mu.Lock()
		defer mu.Unlock()
		return dials > before
	})
}
