package cacheclient_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sk1-services/distributed-cache/pkg/cacheclient"
	"github.com/sk1-services/distributed-cache/pkg/cacheclient/internal/pipes"
)

// alone is a client of one member, a-0, in a network and, in a bubble, a time of its own.
func alone(t *testing.T) (*pipes.Network, *cacheclient.Client) {
	t.Helper()
	t.Cleanup(func() { time.Sleep(2 * time.Minute) }) // until the last handler has ended
	n := &pipes.Network{}
	c := start(t, cacheclient.Options{Source: cacheclient.Fixed(snapshot("uid", 1, 0)), Dial: n.Dial})
	t.Cleanup(func() { n.Stop("a-0") })
	return n, c
}

// found answers every request.
var found = http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})

// get is how long a Get took, and what it gave; errors fail the test.
func get(t *testing.T, c *cacheclient.Client) (bool, time.Duration) {
	t.Helper()
	begun := time.Now()
	_, hit, err := c.Get(t.Context(), []byte("k"))
	if err != nil {
		t.Error(err)
	}
	return hit, time.Since(begun)
}

// A member that accepts and never answers costs one request the timeout per pause, and the others
// nothing; nor is it connected to more often than that.
func TestASilentMemberCostsATimeoutPerProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, c := alone(t)
		n.Serve("a-0", nil)
		begun, slow := time.Now(), 0
		for time.Since(begun) < 20*time.Second {
			switch hit, took := get(t, c); {
			case hit:
				t.Fatal("found")
			case took == 500*time.Millisecond:
				slow++
			case took != 0:
				t.Fatalf("took %s", took)
			}
			time.Sleep(time.Millisecond)
		}
		// The pauses begin with 0.1, 0.2, 0.4, 0.8, 1.6 s and are 2 s or a quarter less from then on.
		if slow < 10 || slow > 13 || n.Dials("a-0") != slow {
			t.Errorf("%d slow requests and %d connects in 20 s", slow, n.Dials("a-0"))
		}
		n.Serve("a-0", found)
		for back := time.Now(); ; time.Sleep(time.Millisecond) {
			if hit, _ := get(t, c); hit {
				break
			} else if time.Since(back) > 2*time.Second {
				t.Fatal("it is back for two seconds")
			}
		}
	})
}

// The same with many callers at a time.
func TestOneOfManyCallersIsTheProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, c := alone(t)
		n.Serve("a-0", nil)
		for round := range 5 {
			var slow atomic.Int32
			var callers sync.WaitGroup
			for range 100 {
				callers.Go(func() {
					if hit, took := get(t, c); hit || took > 500*time.Millisecond {
						t.Errorf("found %t after %s", hit, took)
					} else if took > 0 {
						slow.Add(1)
					}
				})
			}
			callers.Wait()
			if n := slow.Load(); round > 0 && n != 1 {
				t.Errorf("%d callers waited", n)
			}
			time.Sleep(2 * time.Second)
		}
	})
}

// Who refuses connections is asked again at once when the pause is over, and found.
func TestAMemberComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, c := alone(t)
		for range 3 {
			if hit, took := get(t, c); hit || took > 0 {
				t.Errorf("found %t after %s", hit, took)
			}
		}
		if dials := n.Dials("a-0"); dials != 1 {
			t.Errorf("%d connects within the pause", dials)
		}
		n.Serve("a-0", found)
		time.Sleep(100 * time.Millisecond)
		if hit, _ := get(t, c); !hit {
			t.Error("not found after the pause")
		}
	})
}

// The member dies when its callers, each in a hurry, have waited for the timeout together; it is
// not asked then, and lives again with its first answer.
func TestASilentMemberOfCallersInAHurry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, c := alone(t)
		n.Serve("a-0", nil)
		hasty := func() (bool, error) {
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			_, hit, err := c.Get(ctx, []byte("k"))
			return hit, err
		}
		for i := range 10 {
			if hit, err := hasty(); hit || !errors.Is(err, context.DeadlineExceeded) {
				t.Fatalf("caller %d: %t, %v", i, hit, err)
			}
		}
		if hit, err := hasty(); hit || err != nil || n.Dials("a-0") != 10 {
			t.Errorf("after half a second of silence: %t, %v, %d connects", hit, err, n.Dials("a-0"))
		}
		n.Serve("a-0", found)
		time.Sleep(100 * time.Millisecond)
		if hit, err := hasty(); !hit || err != nil {
			t.Errorf("when it is back: %t, %v", hit, err)
		}
	})
}

// A caller that gave up says nothing about the member.
func TestACallerWhoGaveUpIsNotTheMembersFault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, c := alone(t)
		var slow atomic.Bool
		n.Serve("a-0", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			if slow.Load() {
				time.Sleep(400 * time.Millisecond)
			}
		}))
		for i := range 20 {
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			slow.Store(true)
			if _, _, err := c.Get(ctx, []byte("k")); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("round %d: %v", i, err)
			}
			cancel()
			slow.Store(false)
			if hit, took := get(t, c); !hit || took > 0 {
				t.Errorf("round %d: found %t after %s", i, hit, took)
			}
		}
	})
}

// One request that takes too long among others that are answered does not make the member dead.
func TestASlowRequestAmongOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, c := alone(t)
		n.Serve("a-0", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodDelete {
				time.Sleep(time.Minute)
			}
		}))
		var slow sync.WaitGroup
		for range 3 {
			slow.Go(func() { _, _ = c.Delete(t.Context(), []byte("k")) })
		}
		for range 100 {
			if hit, took := get(t, c); !hit || took > 0 {
				t.Fatalf("found %t after %s", hit, took)
			}
			time.Sleep(10 * time.Millisecond)
		}
		slow.Wait()
	})
}

// An answer that stops in the middle, with its connection open, is none.
func TestHalfAnAnswer(t *testing.T) {
	for name, head := range map[string]string{
		"of known length":   "Content-Length: 10\r\n\r\nabc",
		"in chunks":         "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
		"a very large one":  "Content-Length: 99999999\r\n\r\nabc",
		"without its head":  "Content-Le",
		"that never closes": "\r\nabc",
	} {
		synctest.Test(t, func(t *testing.T) {
			n, c := alone(t)
			n.Serve("a-0", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				connection, buffer, err := http.NewResponseController(w).Hijack()
				if err != nil {
					t.Error(err)
					return
				}
				defer connection.Close()
				fmt.Fprint(buffer, "HTTP/1.1 200 OK\r\n", head)
				_ = buffer.Flush()
				time.Sleep(time.Minute)
			}))
			if hit, took := get(t, c); hit || took != 500*time.Millisecond {
				t.Errorf("%s: found %t after %s", name, hit, took)
			}
			if hit, took := get(t, c); hit || took > 0 {
				t.Errorf("%s, the next: found %t after %s", name, hit, took)
			}
			time.Sleep(time.Minute)
		})
	}
}
