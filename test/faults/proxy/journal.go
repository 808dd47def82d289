//go:build integration

package proxy

import (
	"slices"
	"sync"
	"time"
)

// journal numbers the writes of each namespace and keeps them.
type journal struct {
	mu     sync.Mutex
	writes map[string][]Write
}

// enter numbers a write and gives it with its numbers.
func (j *journal) enter(w Write) Write {
	j.mu.Lock()
	defer j.mu.Unlock()
	w.At, w.Number, w.Turn = time.Now(), len(j.writes[w.Namespace])+1, 1
	for _, earlier := range j.writes[w.Namespace] {
		if earlier.Site == w.Site {
			w.Turn++
		}
	}
	j.writes[w.Namespace] = append(j.writes[w.Namespace], w)
	return w
}

// answered notes the API server's answer. A write of before a reset is no longer kept.
func (j *journal) answered(w Write) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for i, kept := range j.writes[w.Namespace] {
		if kept.Number == w.Number && kept.At.Equal(w.At) {
			j.writes[w.Namespace][i].Code = w.Code
		}
	}
}

func (j *journal) of(namespace string) []Write {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.writes[namespace])
}

func (j *journal) reset(namespace string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.writes, namespace)
}
