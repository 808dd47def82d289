package apiwatch_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/sk1-services/distributed-cache/pkg/cacheclient"
	"github.com/sk1-services/distributed-cache/pkg/cacheclient/apiwatch"
	"github.com/sk1-services/distributed-cache/pkg/cacheclient/internal/pipes"
)

// interference, if it gives true, has answered a request in the server's place.
type interference func(w http.ResponseWriter, r *http.Request) bool

// apiServer speaks the API server's language about one ConfigMap.
type apiServer struct {
	interfere interference

	mu              sync.Mutex
	version         int
	ring            *corev1.ConfigMap
	changed         chan struct{}
	lists, watches  int
	wrong           []string
	eventOfDeletion bool
}

func newAPIServer() *apiServer { return &apiServer{changed: make(chan struct{}), version: 1} }

// write stores the ring, or deletes it if it is nil, and tells the watches.
func (s *apiServer) write(m *corev1.ConfigMap) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	if s.eventOfDeletion = m == nil; !s.eventOfDeletion {
		s.ring = m.DeepCopy()
		s.ring.ResourceVersion = strconv.Itoa(s.version)
	}
	close(s.changed)
	s.changed = make(chan struct{})
}

// asked is how often lists and watches were asked for.
func (s *apiServer) asked() (lists, watches int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lists, s.watches
}

func isWatch(r *http.Request) bool { return r.URL.Query().Get("watch") == "true" }

func (s *apiServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	if isWatch(r) {
		s.watches++
	} else {
		s.lists++
	}
	if q := r.URL.Query(); r.URL.Path != "/api/v1/namespaces/shop/configmaps" || q.Get("fieldSelector") != "metadata.name=orders-cache-ring" {
		s.wrong = append(s.wrong, r.URL.String())
	}
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	switch {
	case s.interfere != nil && s.interfere(w, r):
	case isWatch(r):
		s.watch(w, r)
	default:
		s.mu.Lock()
		defer s.mu.Unlock()
		list := corev1.ConfigMapList{TypeMeta: metav1.TypeMeta{Kind: "ConfigMapList", APIVersion: "v1"}}
		list.ResourceVersion = strconv.Itoa(s.version)
		if s.ring != nil && !s.eventOfDeletion {
			list.Items = append(list.Items, *s.ring)
		}
		_ = json.NewEncoder(w).Encode(list)
	}
}

// watch streams from the version that is asked for on.
func (s *apiServer) watch(w http.ResponseWriter, r *http.Request) {
	seen, _ := strconv.Atoi(r.URL.Query().Get("resourceVersion"))
	_ = http.NewResponseController(w).Flush()
	for {
		s.mu.Lock()
		version, object, kind, changed := s.version, s.ring, "MODIFIED", s.changed
		if s.eventOfDeletion {
			kind = "DELETED"
		}
		s.mu.Unlock()
		if version > seen && object != nil {
			seen = version
			sendEvent(w, kind, object)
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}

func sendEvent(w http.ResponseWriter, kind string, object any) {
	if m, ok := object.(*corev1.ConfigMap); ok {
		m = m.DeepCopy()
		m.Kind, m.APIVersion = "ConfigMap", "v1"
		object = m
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"type": kind, "object": object})
	_ = http.NewResponseController(w).Flush()
}

func sendStatus(w http.ResponseWriter, code int, reason metav1.StatusReason) {
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(status(code, reason))
}

func status(code int, reason metav1.StatusReason) metav1.Status {
	return metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusFailure, Code: int32(code), Reason: reason, Message: "this is " + strings.ToLower(string(reason)),
	}
}

// bubble is a source before a server in a network and a time of its own.
type bubble struct {
	*apiServer
	pipes.Network
	source   apiwatch.Source
	mu       sync.Mutex
	rings    []string
	troubles []string
}

func newBubble(t *testing.T, refresh time.Duration, interfere interference) *bubble {
	t.Helper()
	b := &bubble{apiServer: newAPIServer()}
	b.interfere = interfere
	b.write(newRing("uid", one))
	b.Serve("api", b.apiServer)
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return b.Dial(ctx, "api") }}
	client, err := kubernetes.NewForConfigAndClient(&rest.Config{Host: "http://api", QPS: -1}, &http.Client{Transport: transport})
	if err != nil {
		t.Fatal(err)
	}
	b.source = apiwatch.Source{Client: client, Namespace: "shop", Cache: "orders-cache", Refresh: refresh, Trouble: b.trouble}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- b.source.Run(ctx, b.published) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
		transport.CloseIdleConnections()
		b.Stop("api")
		b.apiServer.mu.Lock()
		defer b.apiServer.mu.Unlock()
		if len(b.wrong) > 0 {
			t.Errorf("asked for %v", b.wrong)
		}
	})
	return b
}

func (b *bubble) trouble(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.troubles = append(b.troubles, err.Error())
}

func (b *bubble) published(s cacheclient.Snapshot) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if text := fmt.Sprint(s.Owner, s.Ring.Version); len(b.rings) == 0 || b.rings[len(b.rings)-1] != text {
		b.rings = append(b.rings, text)
	}
}

// within waits for a ring, and fails the test if it takes too long.
func (b *bubble) within(t *testing.T, most time.Duration, want string) {
	t.Helper()
	for begun := time.Now(); ; time.Sleep(time.Millisecond) {
		rings := b.seen()
		if n := len(rings); n > 0 && rings[n-1] == want {
			return
		}
		if time.Since(begun) > most {
			t.Fatalf("%s is not there within %s, only %v", want, most, rings)
		}
	}
}

// seen are the rings so far.
func (b *bubble) seen() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.rings)
}

// troubled is how many troubles there were, all of which must hold text; they are forgotten.
func (b *bubble) troubled(t *testing.T, text string) int {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	n := len(b.troubles)
	for _, trouble := range b.troubles {
		if !strings.Contains(trouble, text) || !strings.Contains(trouble, "ConfigMap shop/orders-cache-ring") {
			t.Errorf("trouble %q, want %q", trouble, text)
		}
	}
	b.troubles = nil
	return n
}
