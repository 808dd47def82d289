package main

import (
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/sk1-services/distributed-cache/pkg/cacheclient"
	"github.com/sk1-services/distributed-cache/pkg/ring"
)

// A reset under a request is counted, also where the transport hides it by sending it anew, as it
// does on a connection that was used before.
func TestResetsAreCounted(t *testing.T) {
	var requests atomic.Int32
	// The second request meets one and goes through on a new connection, the third meets one on
	// each of two.
	reset := map[int32]bool{2: true, 4: true, 5: true}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if !reset[requests.Add(1)] {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_ = conn.(*net.TCPConn).SetLinger(0) // so that the close is a reset
		_ = conn.Close()
	}))
	defer server.Close()
	r := &result{}
	client, err := cacheclient.New(cacheclient.Options{
		Source:  cacheclient.Fixed{Ring: ring.Document{Version: 1, Members: []string{"a-0"}}},
		Address: func(string) string { return server.Listener.Addr().String() },
		Hooks:   cacheclient.Hooks{Request: r.ended},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if err := client.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		r.answered(request(client, 1))
	}
	if r.Requests != 3 || r.Resets != 3 || r.Unreachable != 1 {
		t.Errorf("%d resets and %d unreachable in %d requests, want 3 and 1 in 3", r.Resets, r.Unreachable, r.Requests)
	}
}
