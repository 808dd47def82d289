package cacheclient_test

import (
	"bytes"
	"net"
	"testing"
	"time"

	"github.com/sk1-services/distributed-cache/pkg/cache"
	"github.com/sk1-services/distributed-cache/pkg/cacheclient"
	"github.com/sk1-services/distributed-cache/pkg/cacheserver"
)

// The client and the real server are of one mind about keys, values and times to live.
func TestAgainstTheServer(t *testing.T) {
	engine, err := cache.New(cache.Options{})
	if err != nil {
		t.Fatal(err)
	}
	server, err := cacheserver.New(cacheserver.Options{Cache: engine})
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(t.Context(), listener) }()
	t.Cleanup(func() {
		server.Abort()
		if err := <-ended; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
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
