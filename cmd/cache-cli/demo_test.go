package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/sk1-services/distributed-cache/pkg/cacheclient"
	"github.com/sk1-services/distributed-cache/pkg/ring"
)

// newMembers serves a ring of two; each member keeps what it is given unless it forgets.
func newMembers(t *testing.T, forgets bool) *cacheclient.Client {
	t.Helper()
	hosts, members := map[string]string{}, []string{"orders-cache-0", "orders-cache-1"}
	for _, name := range members {
		var values sync.Map
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			path, _, _ := strings.Cut(r.RequestURI, "?")
			if r.Method == http.MethodPut {
				value, _ := io.ReadAll(r.Body)
				values.Store(path, value)
				w.WriteHeader(http.StatusNoContent)
				return
			}
			if value, found := values.Load(path); found && !forgets {
				_, _ = w.Write(value.([]byte))
				return
			}
			w.WriteHeader(http.StatusNotFound)
		}))
		t.Cleanup(server.Close)
		hosts[name] = server.Listener.Addr().String()
	}
	client, err := cacheclient.New(cacheclient.Options{
		Source:  cacheclient.Fixed{Owner: "uid", Ring: ring.Document{Version: 1, Members: members}},
		Address: func(member string) string { return hosts[member] },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	if err := client.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	return client
}

func TestRoundTrips(t *testing.T) {
	client := newMembers(t, false)
	var out bytes.Buffer
	if err := roundTrips(t.Context(), client, &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 1+len(sampleKeys) || !strings.HasPrefix(lines[0], "KEY ") {
		t.Fatalf("got\n%s", &out)
	}
	for i, key := range sampleKeys {
		owner, err := client.Owner([]byte(key))
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprint([]string{key, owner, "true", "true"}); fmt.Sprint(strings.Fields(lines[i+1])) != want {
			t.Errorf("got %q, want %s", lines[i+1], want)
		}
	}
}

// A value that does not come back is a failure, told after the whole table.
func TestRoundTripsFail(t *testing.T) {
	var out bytes.Buffer
	err := roundTrips(t.Context(), newMembers(t, true), &out)
	for _, key := range sampleKeys {
		if err == nil || !strings.Contains(err.Error(), key+" was not read back from orders-cache-") {
			t.Errorf("%s: got %v", key, err)
		}
	}
	if n := strings.Count(out.String(), "true"); n != len(sampleKeys) || strings.Count(out.String(), "false") != n {
		t.Errorf("got\n%s", &out)
	}
}
