package cacheclient_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sk1-services/distributed-cache/pkg/cacheclient"
	"github.com/sk1-services/distributed-cache/pkg/ring"
)

func snapshot(owner string, version int64, ordinals ...int) cacheclient.Snapshot {
	s := cacheclient.Snapshot{Owner: owner, Ring: ring.Document{Version: version, Members: []string{}}}
	for _, i := range ordinals {
		s.Ring.Members = append(s.Ring.Members, fmt.Sprintf("a-%d", i))
	}
	return s
}

// member stands for a cache pod: it keeps values by the path as it was sent, and notes requests.
type member struct {
	*httptest.Server
	mu     sync.Mutex
	values map[string]string
	lines  []string
	answer http.HandlerFunc
}

func newMember(t *testing.T) *member {
	t.Helper()
	m := &member{values: map[string]string{}}
	m.Server = httptest.NewServer(m)
	t.Cleanup(m.Close)
	return m
}

func (m *member) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path, _, _ := strings.Cut(r.RequestURI, "?")
	body, err := io.ReadAll(r.Body)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lines = append(m.lines, r.Method+" "+r.RequestURI)
	if _, sent := r.Header["Idempotency-Key"]; sent || err != nil {
		http.Error(w, "an empty header was sent", http.StatusBadRequest)
		return
	}
	value, found := m.values[path]
	switch {
	case m.answer != nil:
		r.Body = io.NopCloser(bytes.NewReader(body))
		m.answer(w, r)
	case r.Method == http.MethodPut:
		m.values[path] = string(body)
		w.WriteHeader(http.StatusNoContent)
	case !found:
		http.Error(w, "not found", http.StatusNotFound)
	case r.Method == http.MethodDelete:
		delete(m.values, path)
		w.WriteHeader(http.StatusNoContent)
	default:
		fmt.Fprint(w, value)
	}
}

// requests are the requests so far.
func (m *member) requests() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]string(nil), m.lines...)
}

// forget makes the member cold again.
func (m *member) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.values)
}

// newClient is a client of a ring of the members.
func newClient(t *testing.T, members ...*member) *cacheclient.Client {
	t.Helper()
	hosts, s := map[string]string{}, snapshot("uid", 1)
	for i, m := range members {
		name := fmt.Sprintf("a-%d", i)
		hosts[name] = m.Listener.Addr().String()
		s.Ring.Members = append(s.Ring.Members, name)
	}
	return start(t, cacheclient.Options{
		Source:  cacheclient.Fixed(s),
		Address: func(name string) string { return hosts[name] },
		Timeout: time.Minute, DialTimeout: time.Minute,
	})
}

func start(tb testing.TB, options cacheclient.Options) *cacheclient.Client {
	tb.Helper()
	c, err := cacheclient.New(options)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := c.Close(); err != nil {
			tb.Errorf("Close: %v", err)
		}
	})
	ctx, cancel := context.WithTimeout(tb.Context(), time.Minute)
	defer cancel()
	if err := c.Wait(ctx); err != nil {
		tb.Fatal(err)
	}
	return c
}

// handed is a source that hands its publish function to the test.
type handed chan func(cacheclient.Snapshot)

func (h handed) Run(ctx context.Context, publish func(cacheclient.Snapshot)) error {
	h <- publish
	<-ctx.Done()
	return nil
}
