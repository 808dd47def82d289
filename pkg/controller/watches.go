package controller

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"
)

// Watches knows which kinds the operator has lost sight of. A watch that is refused ends no
// process: what it would have brought is just not seen any more.
type Watches struct {
	Clock clock.PassiveClock

	mu      sync.Mutex
	refused map[string]refusal
}

// refusal is a row of refusals of one kind.
type refusal struct {
	first, last time.Time
	err         error
}

const (
	// blindness is how long a kind may be refused before the operator is not ready.
	blindness = 30 * time.Second
	// sight is how long after the last refusal a kind counts as seen again: longer than an informer
	// waits between two attempts.
	sight = 90 * time.Second
)

// Failed takes note of an error of an informer; it is what cache.Options calls.
func (w *Watches) Failed(ctx context.Context, reflector *toolscache.Reflector, err error) {
	toolscache.DefaultWatchErrorHandler(ctx, reflector, err)
	w.note(reflector.TypeDescription(), err)
}

// note keeps what the API server refuses, and no mere loss of the connection.
func (w *Watches) note(kind string, err error) {
	if !apierrors.IsForbidden(err) && !apierrors.IsUnauthorized(err) && !apierrors.IsNotFound(err) {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.Clock.Now()
	row, known := w.refused[kind]
	if !known || now.Sub(row.last) > sight {
		row.first = now
	}
	row.last, row.err = now, err
	if w.refused == nil {
		w.refused = map[string]refusal{}
	}
	w.refused[kind] = row
}

// Check fails while a kind has been refused for long; the server's message names verb and kind.
func (w *Watches) Check(*http.Request) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.Clock.Now()
	var blind []error
	for _, kind := range slices.Sorted(maps.Keys(w.refused)) {
		if row := w.refused[kind]; now.Sub(row.last) < sight && now.Sub(row.first) >= blindness {
			blind = append(blind, fmt.Errorf("the operator does not see %s: %w", kind, row.err))
		}
	}
	return errors.Join(blind...)
}
