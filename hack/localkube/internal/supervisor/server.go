package supervisor

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// server is the supervisor's side of the protocol.
type server struct {
	children *children
	network  func(Network) error

	// used is closed by the first start: a supervisor that nobody uses ends by itself.
	used     chan struct{}
	useOnce  sync.Once
	quit     chan struct{}
	quitOnce sync.Once
}

func newServer(c *children, network func(Network) error) *server {
	return &server{children: c, network: network, used: make(chan struct{}), quit: make(chan struct{})}
}

func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc(pathStatus, func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(s.children.list())
	})
	mux.HandleFunc(pathNetwork, answer(func(_ context.Context, n Network) error { return s.network(n) }))
	mux.HandleFunc(pathStart, answer(func(_ context.Context, spec Spec) error {
		s.useOnce.Do(func() { close(s.used) })
		return s.children.start(spec)
	}))
	mux.HandleFunc(pathStop, answer(func(ctx context.Context, r StopRequest) error {
		return s.children.stop(ctx, r.Name, time.Duration(r.GraceSeconds)*time.Second)
	}))
	mux.HandleFunc(pathShutdown, func(http.ResponseWriter, *http.Request) {
		s.quitOnce.Do(func() { close(s.quit) })
	})
	return mux
}

func answer[T any](do func(context.Context, T) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var in T
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			http.Error(w, fmt.Sprintf("read the request: %v", err), http.StatusBadRequest)
			return
		}
		if err := do(r.Context(), in); err != nil {
			http.Error(w, err.Error(), http.StatusConflict)
		}
	}
}
