package cacheclient_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sk1-services/distributed-cache/pkg/cacheclient"
	"github.com/sk1-services/distributed-cache/pkg/cacheclient/internal/pipes"
)

// tracked is a server that counts its connections.
type tracked struct {
	*httptest.Server
	opened, open atomic.Int32
}

func newTracked(t *testing.T, handler http.Handler) *tracked {
	t.Helper()
	s := &tracked{Server: httptest.NewUnstartedServer(handler)}
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			s.opened.Add(1)
			s.open.Add(1)
		case http.StateClosed, http.StateHijacked:
			s.open.Add(-1)
		default:
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	return s
}

func (s *tracked) address(string) string { return s.Listener.Addr().String() }

// Requests share connections, and Close leaves none behind.
func TestCloseLeavesNoConnection(t *testing.T) {
	server := newTracked(t, found)
	c, err := cacheclient.New(cacheclient.Options{Source: cacheclient.Fixed(snapshot("uid", 1, 0)), Address: server.address})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, found, err := c.Get(t.Context(), []byte("k")); !found || err != nil {
			t.Fatalf("%t, %v", found, err)
		}
	}
	if n := server.opened.Load(); n != 1 {
		t.Errorf("%d connections for three requests, want one", n)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	eventually(t, "no connection is open", func() bool { return server.open.Load() == 0 })
}

// Over many changes of the ring no connection stays to who left, though requests run all the time;
// well before the 30 s after which an idle one would be closed anyway.
func TestWhoLeftTheRingHasNoConnections(t *testing.T) {
	servers := []*tracked{newTracked(t, found), newTracked(t, found), newTracked(t, found)}
	c, publish := handOverTo(t, cacheclient.Options{
		Address: func(member string) string { return servers[member[2]-'0'].address(member) },
		Timeout: time.Minute, DialTimeout: time.Minute,
		Hooks: cacheclient.Hooks{Request: func(e cacheclient.Event) {
			if e.Outcome != cacheclient.Hit {
				t.Errorf("%+v", e)
			}
		}},
	})
	publish(snapshot("uid", 1, 0, 1, 2))
	var callers sync.WaitGroup
	end := make(chan struct{})
	for i := range 4 {
		callers.Go(func() {
			for j := 0; ; j++ {
				select {
				case <-end:
					return
				default:
				}
				_, _, _ = c.Get(context.Background(), []byte{byte(i), byte(j)})
			}
		})
	}
	for version := int64(2); version < 200; version++ {
		publish(snapshot("uid", version, [][]int{{0}, {0, 1, 2}, {1, 2}, {0, 1, 2}}[version%4]...))
		time.Sleep(time.Millisecond)
	}
	publish(snapshot("uid", 200, 0))
	close(end)
	callers.Wait()
	_, _, _ = c.Get(t.Context(), nil)
	eventually(t, "no connections to those that left", func() bool {
		return servers[1].open.Load() == 0 && servers[2].open.Load() == 0
	})
	if servers[0].open.Load() == 0 {
		t.Error("no connection to the one that stays")
	}
	if n := servers[1].opened.Load(); n < 2 {
		t.Errorf("%d connections were opened to member 1", n)
	}
	publish(snapshot("new", 1, 0))
	eventually(t, "no connection to the pod of the former owner", func() bool { return servers[0].open.Load() == 0 })
}

// A request that runs while its member leaves the ring is answered, and its connection closed.
func TestARequestOutlivesItsMembersPlaceInTheRing(t *testing.T) {
	arrived, goOn := make(chan struct{}), make(chan struct{})
	server := newTracked(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		close(arrived)
		<-goOn
	}))
	c, publish := handOverTo(t, cacheclient.Options{Address: server.address, Timeout: time.Minute})
	publish(snapshot("uid", 1, 0))
	ended := make(chan error, 1)
	go func() {
		_, found, err := c.Get(context.Background(), []byte("k"))
		if err == nil && !found {
			err = errors.New("not found")
		}
		ended <- err
	}()
	<-arrived
	publish(snapshot("uid", 2, 1))
	close(goOn)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	eventually(t, "its connection is closed", func() bool { return server.open.Load() == 0 })
}

// A member that left and came back is not the dead one that left.
func TestAMemberThatReturnsIsAskedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &pipes.Network{}
		c, publish := handOverTo(t, cacheclient.Options{Dial: n.Dial})
		t.Cleanup(func() { n.Stop("a-0") })
		publish(snapshot("uid", 1, 0))
		if hit, _ := get(t, c); hit {
			t.Error("found where nobody is")
		}
		n.Serve("a-0", found)
		if hit, _ := get(t, c); hit {
			t.Error("asked within the pause")
		}
		publish(snapshot("uid", 2, 1))
		publish(snapshot("uid", 3, 0))
		if hit, _ := get(t, c); !hit {
			t.Error("not asked after it returned")
		}
	})
}

// More requests than connections wait for their turn, or are misses that say nothing about the
// member when it does not come.
func TestConnectionsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &pipes.Network{}
		var running, most atomic.Int32
		n.Serve("a-0", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			most.Store(max(most.Load(), running.Add(1)))
			time.Sleep(200 * time.Millisecond)
			running.Add(-1)
		}))
		t.Cleanup(func() { n.Stop("a-0") })
		outcomes := make(chan cacheclient.Outcome, 100)
		c := start(t, cacheclient.Options{
			Source: cacheclient.Fixed(snapshot("uid", 1, 0)), Dial: n.Dial, MaxConnsPerMember: 3,
			Hooks: cacheclient.Hooks{Request: func(e cacheclient.Event) { outcomes <- e.Outcome }},
		})
		var callers sync.WaitGroup
		for range 10 {
			callers.Go(func() { get(t, c) })
		}
		callers.Wait()
		counts := map[cacheclient.Outcome]int{}
		for range 10 {
			counts[<-outcomes]++
		}
		// Two rounds of three are answered within the 500 ms, the third is cut short.
		if counts[cacheclient.Hit] != 6 || counts[cacheclient.Unreachable] != 3 || counts[cacheclient.Skipped] != 1 {
			t.Errorf("%v", counts)
		}
		if most.Load() != 3 {
			t.Errorf("%d requests at a time", most.Load())
		}
		time.Sleep(time.Second)
		if hit, _ := get(t, c); !hit {
			t.Error("the member counts as dead")
		}
	})
}
