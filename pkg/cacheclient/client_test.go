package cacheclient_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sk1-services/distributed-cache/pkg/cacheclient"
	"github.com/sk1-services/distributed-cache/pkg/ring"
)

func nowhere(string) string { return "" }

func TestNewRefuses(t *testing.T) {
	source := cacheclient.Fixed{}
	dial := func(context.Context, string) (net.Conn, error) { return nil, errors.New("nowhere") }
	for want, options := range map[string]cacheclient.Options{
		"Options.Source is required":                                   {Address: nowhere},
		"exactly one of Options.Address and Options.Dial is required":  {Source: source},
		"exactly one of Options.Address and Options.Dial":              {Source: source, Address: nowhere, Dial: dial},
		"Timeout is negative: -1ns":                                    {Source: source, Dial: dial, Timeout: -1},
		"DialTimeout is negative: -1s":                                 {Source: source, Dial: dial, DialTimeout: -time.Second},
		"MaxConnsPerMember -1 and MaxIdlePerMember 16: neither may be": {Source: source, Dial: dial, MaxConnsPerMember: -1},
		"MinBackoff 2s is above MaxBackoff 1s":                         {Source: source, Dial: dial, MinBackoff: 2 * time.Second, MaxBackoff: time.Second},
		"MinBackoff is negative: -1ns":                                 {Source: source, Dial: dial, MinBackoff: -1},
	} {
		if c, err := cacheclient.New(options); c != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, %v", want, c, err)
		}
	}
}

func TestInCluster(t *testing.T) {
	if got, want := cacheclient.InCluster("orders-cache", "shop")("orders-cache-0"), "orders-cache-0.orders-cache.shop.svc.cluster.local:8080"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A ring is taken over unless it is malformed or not newer than the present one of its owner.
func TestRingsReplaceEachOther(t *testing.T) {
	disorder := cacheclient.Snapshot{Owner: "uid", Ring: ring.Document{Version: 9, Members: []string{"a-1", "a-0"}}}
	nameless := cacheclient.Snapshot{Owner: "uid", Ring: ring.Document{Version: 9, Members: []string{"a"}}}
	for _, tc := range []struct {
		name  string
		given []cacheclient.Snapshot
		want  cacheclient.Snapshot
	}{
		{"the first", []cacheclient.Snapshot{snapshot("uid", 4, 0)}, snapshot("uid", 4, 0)},
		{"a newer one", []cacheclient.Snapshot{snapshot("uid", 4, 0), snapshot("uid", 6, 0, 1)}, snapshot("uid", 6, 0, 1)},
		{"an older one", []cacheclient.Snapshot{snapshot("uid", 4, 0), snapshot("uid", 3, 0, 1)}, snapshot("uid", 4, 0)},
		{"another one of the same version", []cacheclient.Snapshot{snapshot("uid", 4, 0), snapshot("uid", 4, 0, 1)}, snapshot("uid", 4, 0)},
		{"another owner's older one", []cacheclient.Snapshot{snapshot("uid", 4, 0), snapshot("new", 1, 0, 1)}, snapshot("new", 1, 0, 1)},
		{"members out of order", []cacheclient.Snapshot{snapshot("uid", 4, 0), disorder}, snapshot("uid", 4, 0)},
		{"a member without an ordinal", []cacheclient.Snapshot{snapshot("uid", 4, 0), nameless}, snapshot("uid", 4, 0)},
		{"a newer empty one", []cacheclient.Snapshot{snapshot("uid", 4, 0), snapshot("uid", 5)}, snapshot("uid", 5)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, publish := handOver(t)
			for _, s := range tc.given {
				publish(s)
			}
			got, ok := c.Ring()
			if diff := cmp.Diff(tc.want, got); diff != "" || !ok {
				t.Errorf("%t, -want +got:\n%s", ok, diff)
			}
		})
	}
}

// handOver is a client whose source is the test.
func handOver(t *testing.T) (*cacheclient.Client, func(cacheclient.Snapshot)) {
	t.Helper()
	return handOverTo(t, cacheclient.Options{Address: nowhere})
}

func handOverTo(t *testing.T, options cacheclient.Options) (*cacheclient.Client, func(cacheclient.Snapshot)) {
	t.Helper()
	source := make(handed, 1)
	options.Source = source
	c, err := cacheclient.New(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return c, <-source
}

// Hooks are told of every ring, but not of one that is seen once more.
func TestRingHooks(t *testing.T) {
	var told []string
	_, publish := handOverTo(t, cacheclient.Options{Address: nowhere, Hooks: cacheclient.Hooks{
		RingTaken: func(s cacheclient.Snapshot) {
			told = append(told, fmt.Sprintf("took %d of %s", s.Ring.Version, s.Owner))
		},
		RingPassedOver: func(_ cacheclient.Snapshot, err error) { told = append(told, err.Error()) },
	}})
	for _, s := range []cacheclient.Snapshot{
		snapshot("uid", 4, 0), snapshot("uid", 4, 0), snapshot("uid", 4, 1), snapshot("uid", 3, 0), snapshot("uid", 5, 1, 0), {Owner: "uid"}, snapshot("new", 1),
	} {
		publish(s)
	}
	if diff := cmp.Diff([]string{
		"took 4 of uid",
		"version 4 of the ring is not above the present 4: it stays",
		"version 3 of the ring is not above the present 4: it stays",
		`malformed ring document: member "a-0" does not come in numeric order behind ordinal 1`,
		"version 0 of the ring is not above the present 4: it stays",
		"took 1 of new",
	}, told); diff != "" {
		t.Errorf("-want +told:\n%s", diff)
	}
}

// What a client gives away or was given is not its own ring.
func TestRingsAreCopies(t *testing.T) {
	c, publish := handOver(t)
	given := snapshot("uid", 1, 0, 1)
	publish(given)
	given.Ring.Members[0] = "spoilt"
	got, _ := c.Ring()
	got.Ring.Members[1] = "spoilt"
	if got, _ := c.Ring(); !cmp.Equal(got, snapshot("uid", 1, 0, 1)) {
		t.Errorf("got %v", got)
	}
}

// Nobody owns a key before the first ring and with an empty one, which a typed error tells; the
// cache is then a miss. It heals with the next ring.
func TestC11NoRing(t *testing.T) {
	m := newMember(t)
	var told []cacheclient.Event
	c, publish := handOverTo(t, cacheclient.Options{
		Address: func(string) string { return m.Listener.Addr().String() },
		Hooks:   cacheclient.Hooks{Request: func(e cacheclient.Event) { told = append(told, e) }},
	})
	if s, ok := c.Ring(); ok {
		t.Errorf("the ring before the first is %v", s)
	}
	for i, when := range []string{"before the first ring", "with an empty ring", "with an empty ring after a full one"} {
		if owner, err := c.Owner([]byte("k")); owner != "" || !errors.Is(err, cacheclient.ErrNoRing) {
			t.Errorf("%s: %q, %v", when, owner, err)
		}
		if diff := cmp.Diff(misses, outcome(t.Context(), c)); diff != "" {
			t.Errorf("%s: get, set, delete: -want +got:\n%s", when, diff)
		}
		if i == 1 {
			publish(snapshot("uid", 2, 0))
			if stored, err := c.Set(t.Context(), []byte("k"), nil, 0); !stored || err != nil {
				t.Errorf("with a ring: %t, %v", stored, err)
			}
		}
		publish(snapshot("uid", int64(1+2*i)))
	}
	skipped := 0
	for _, e := range told {
		if e.Outcome == cacheclient.Skipped && e.Member == "" {
			skipped++
		}
	}
	if skipped != 9 || len(told) != 10 {
		t.Errorf("told of %v", told)
	}
}

func TestWaitEndsWithTheFirstRing(t *testing.T) {
	c, publish := handOver(t)
	ended := make(chan error, 1)
	go func() { ended <- c.Wait(t.Context()) }()
	publish(snapshot("uid", 1, 0))
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := c.Wait(t.Context()); err != nil {
		t.Errorf("a second time: %v", err)
	}
}

func TestWaitIgnoresAMalformedRing(t *testing.T) {
	c, publish := handOver(t)
	publish(cacheclient.Snapshot{Ring: ring.Document{Version: 1, Members: []string{"a"}}})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Wait(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

type broken struct{ err error }

func (b broken) Run(context.Context, func(cacheclient.Snapshot)) error { return b.err }

// A source that cannot work ends every Wait, and Close tells it too.
func TestABrokenSource(t *testing.T) {
	source := broken{errors.New("no rights")}
	c, err := cacheclient.New(cacheclient.Options{Source: source, Address: nowhere})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := c.Wait(t.Context()); !errors.Is(err, source.err) {
			t.Errorf("Wait: %v", err)
		}
	}
	if err := c.Close(); !errors.Is(err, source.err) {
		t.Errorf("Close: %v", err)
	}
}
