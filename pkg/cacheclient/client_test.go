package cacheclient_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sk1-services/distributed-cache/pkg/cacheclient"
	"github.com/sk1-services/distributed-cache/pkg/ring"
)

func nowhere(string) string { return "" }

func TestNewNeedsASourceAndAddresses(t *testing.T) {
	for name, options := range map[string]cacheclient.Options{
		"nothing":      {},
		"no source":    {Address: nowhere},
		"no addresses": {Source: cacheclient.Fixed{}},
	} {
		if c, err := cacheclient.New(options); err == nil || c != nil {
			t.Errorf("%s: got %v, %v", name, c, err)
		}
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
	source := make(handed, 1)
	c, err := cacheclient.New(cacheclient.Options{Source: source, Address: nowhere})
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

// Before the first ring, and with an empty one, nobody owns a key; that is not a miss.
func TestNoRing(t *testing.T) {
	c, publish := handOver(t)
	if s, ok := c.Ring(); ok {
		t.Errorf("the ring before the first is %v", s)
	}
	want := []string{cacheclient.ErrNoRing.Error(), cacheclient.ErrNoRing.Error(), cacheclient.ErrNoRing.Error()}
	for _, when := range []string{"before the first ring", "with an empty ring"} {
		if owner, err := c.Owner([]byte("k")); owner != "" || !errors.Is(err, cacheclient.ErrNoRing) {
			t.Errorf("%s: %q, %v", when, owner, err)
		}
		if diff := cmp.Diff(want, outcome(t.Context(), c)); diff != "" {
			t.Errorf("%s: get, set, delete: -want +got:\n%s", when, diff)
		}
		publish(snapshot("uid", 1))
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
