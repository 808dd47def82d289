package cacheclient_test

import (
	"context"
	"errors"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sk1-services/distributed-cache/pkg/cacheclient"
	"github.com/sk1-services/distributed-cache/pkg/ring"
)

// moving is the address of a member that moves.
type moving struct {
	mu    sync.Mutex
	where string
	asked int
}

func (a *moving) move(to string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.where = to
}

func (a *moving) address(string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked++
	return a.where
}

// eventually tries until it gets true, for much longer than it should take.
func eventually(t *testing.T, what string, try func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !try(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not within 30 seconds", what)
		}
	}
}

func stores(c *cacheclient.Client) func() bool {
	return func() bool {
		stored, err := c.Set(context.Background(), []byte("k"), []byte("v"), 0)
		return stored && err == nil
	}
}

// A member that restarts at another address is found there after the first pause: its address is
// asked for on every connect.
func TestC14ARestartedMemberIsFoundAtItsNewAddress(t *testing.T) {
	was, is := newMember(t), newMember(t)
	at := &moving{where: was.Listener.Addr().String()}
	c := start(t, cacheclient.Options{Source: cacheclient.Fixed(snapshot("uid", 1, 0)), Address: at.address})
	if !stores(c)() {
		t.Fatal("not stored")
	}
	was.Close()
	at.move(is.Listener.Addr().String())
	eventually(t, "found at the new address", stores(c))
	if n := len(is.requests()); n != 1 {
		t.Errorf("%d requests at the new address", n)
	}
	at.mu.Lock()
	defer at.mu.Unlock()
	if at.asked < 2 || at.asked > 10 {
		t.Errorf("asked for the address %d times", at.asked)
	}
}

// The same where the old address swallows what is sent there: connections kept to it must not be
// what the member is tried by.
func TestC14TheOldAddressIsSilent(t *testing.T) {
	was, is := newMember(t), newMember(t)
	at := &moving{where: was.Listener.Addr().String()}
	c := start(t, cacheclient.Options{
		Source: cacheclient.Fixed(snapshot("uid", 1, 0)), Address: at.address, Timeout: 100 * time.Millisecond,
	})
	var several sync.WaitGroup
	for range 16 {
		several.Go(func() { _ = stores(c)() })
	}
	several.Wait()
	was.mu.Lock() // every handler waits for it
	at.move(is.Listener.Addr().String())
	before := time.Now()
	eventually(t, "found at the new address", stores(c))
	t.Logf("after %s", time.Since(before))
	was.mu.Unlock()
}

// A new address changes nothing about the ring: every key keeps its owner, and one whose member
// stood still keeps its value.
func TestC13AnotherAddressIsTheSameRing(t *testing.T) {
	stays, was, is := newMember(t), newMember(t), newMember(t)
	at := &moving{where: was.Listener.Addr().String()}
	c := start(t, cacheclient.Options{
		Source: cacheclient.Fixed(snapshot("uid", 7, 0, 1)),
		Address: func(member string) string {
			if member == "a-0" {
				return stays.Listener.Addr().String()
			}
			return at.address(member)
		},
	})
	owners := func() (names []string) {
		for i := range 100 {
			name, err := c.Owner([]byte{byte(i)})
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, name)
		}
		return names
	}
	before := owners()
	for i := range 100 {
		if stored, err := c.Set(t.Context(), []byte{byte(i)}, nil, 0); !stored || err != nil {
			t.Fatalf("set %d: %t, %v", i, stored, err)
		}
	}
	was.Close()
	at.move(is.Listener.Addr().String())
	for i := range 100 {
		key := []byte{byte(i)}
		eventually(t, "found, or stored anew", func() bool {
			_, found, err := c.Get(t.Context(), key)
			if err != nil || !found && before[i] == "a-0" {
				t.Fatalf("key %d: %t, %v", i, found, err)
			}
			if !found {
				_, _ = c.Set(t.Context(), key, nil, 0)
			}
			return found
		})
	}
	if diff := cmp.Diff(before, owners()); diff != "" {
		t.Errorf("owners: -before +after:\n%s", diff)
	}
	if s, _ := c.Ring(); !cmp.Equal(s, snapshot("uid", 7, 0, 1)) {
		t.Errorf("the ring is %v", s)
	}
}

// While the name of a member cannot be resolved it is a miss, and found when it can.
func TestDNSFailsForAWhile(t *testing.T) {
	m := newMember(t)
	at := &moving{where: "a-0.no-such-cache.invalid:8080"}
	c := start(t, cacheclient.Options{Source: cacheclient.Fixed(snapshot("uid", 1, 0)), Address: at.address})
	for range 20 {
		if diff := cmp.Diff(misses, outcome(t.Context(), c)); diff != "" {
			t.Fatalf("get, set, delete: -want +got:\n%s", diff)
		}
		time.Sleep(time.Millisecond)
	}
	at.move(m.Listener.Addr().String())
	eventually(t, "found when the name resolves", stores(c))
}

// An address that is none at all, and a way of its own that leads nowhere, are misses too.
func TestAddressesThatLeadNowhere(t *testing.T) {
	for name, options := range map[string]cacheclient.Options{
		"empty":     {Address: nowhere},
		"no port":   {Address: func(string) string { return "127.0.0.1" }},
		"not a way": {Dial: func(context.Context, string) (net.Conn, error) { return nil, net.ErrClosed }},
	} {
		options.Source = cacheclient.Fixed(snapshot("uid", 1, 0))
		if diff := cmp.Diff(misses, outcome(t.Context(), start(t, options))); diff != "" {
			t.Errorf("%s: get, set, delete: -want +got:\n%s", name, diff)
		}
	}
}

// Whatever a ring may call a member, it is a miss at the worst.
// A member's name becomes part of an address: one that is no DNS label must never get that far.
func TestMembersWithStrangeNames(t *testing.T) {
	for _, name := range []string{"a b-0", "a/b-0", "a?b-0", "[-0", "%-0", "\x00-0", "é-0", "a:b-0", "@-0"} {
		fixed := cacheclient.Fixed{Owner: "uid", Ring: ring.Document{Version: 1, Members: []string{name}}}
		c, err := cacheclient.New(cacheclient.Options{Source: fixed, Address: nowhere})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Wait(t.Context()); !errors.Is(err, ring.ErrMalformed) {
			t.Errorf("%q: %v, want an error that wraps ring.ErrMalformed", name, err)
		}
		if diff := cmp.Diff(misses, outcome(t.Context(), c)); diff != "" {
			t.Errorf("%q: get, set, delete: -want +got:\n%s", name, diff)
		}
		if err := c.Close(); !errors.Is(err, ring.ErrMalformed) {
			t.Errorf("%q: Close gives %v, want the source's error", name, err)
		}
	}
}
