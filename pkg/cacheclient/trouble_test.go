package cacheclient_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sk1-services/distributed-cache/pkg/cacheclient"
)

var misses = []string{"false", "false", "false"}

// cut promises a body and closes the connection within it.
func cut(w http.ResponseWriter, _ *http.Request) {
	connection, buffer, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	_, _ = buffer.WriteString("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
	_ = buffer.Flush()
	_ = connection.Close()
}

// What a dead member held is a miss, and a write to it is dropped.
func TestADeadMemberIsAMiss(t *testing.T) {
	dead := newMember(t)
	deadClient := newClient(t, dead)
	dead.Close()
	half := newMember(t)
	half.answer = cut
	for name, c := range map[string]*cacheclient.Client{"it is gone": deadClient, "it dies while it answers": newClient(t, half)} {
		if diff := cmp.Diff(misses, outcome(t.Context(), c)); diff != "" {
			t.Errorf("%s: get, set, delete: -want +got:\n%s", name, diff)
		}
	}
}

func TestASlowMemberIsAMiss(t *testing.T) {
	end := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-end }))
	t.Cleanup(func() { close(end); slow.Close() })
	c := start(t, cacheclient.Options{
		Source:  cacheclient.Fixed(snapshot("uid", 1, 0)),
		Address: func(string) string { return slow.Listener.Addr().String() },
		Timeout: 10 * time.Millisecond,
	})
	if diff := cmp.Diff(misses, outcome(t.Context(), c)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// A caller who gave up is told so, rather than that the key is not cached.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	end := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		cancel()
		<-end
	}))
	t.Cleanup(func() { close(end); server.Close() })
	c := start(t, cacheclient.Options{
		Source:  cacheclient.Fixed(snapshot("uid", 1, 0)),
		Address: func(string) string { return server.Listener.Addr().String() },
		Timeout: time.Hour,
	})
	for _, when := range []string{"while the member works", "before the request"} {
		if _, found, err := c.Get(ctx, []byte("k")); found || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %t, %v", when, found, err)
		}
	}
	if _, err := c.Set(ctx, []byte("k"), nil, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("set: %v", err)
	}
	if _, err := c.Delete(ctx, []byte("k")); !errors.Is(err, context.Canceled) {
		t.Errorf("delete: %v", err)
	}
}

// A connection that the member closed while it was idle costs no request.
func TestIdleConnectionsMayBeClosed(t *testing.T) {
	m := newMember(t)
	c := newClient(t, m)
	for range 20 {
		if stored, err := c.Set(t.Context(), []byte("k"), []byte("v"), 0); !stored || err != nil {
			t.Fatalf("%t, %v", stored, err)
		}
		m.CloseClientConnections()
	}
}
