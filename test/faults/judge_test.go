//go:build integration

package faults

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/test/faults/proxy"
	"github.com/sk1-services/distributed-cache/test/history"
)

// ended is when a cache was seen to be gone, zero if it was not.
func (l *lab) ended(c tenant) time.Time {
	for _, e := range l.observer.Of(c) {
		if _, ok := e.Object.(*v1alpha1.DistributedCache); ok && e.Gone {
			return e.Seen
		}
	}
	return time.Time{}
}

// judge fails a run that broke a law, and tells its whole history.
func (l *lab) judge(t *testing.T, c tenant) {
	t.Helper()
	broken := history.Check(l.observer.Of(c))
	end := l.ended(c)
	for _, w := range l.writes(c) {
		if !end.IsZero() && w.At.After(end) && w.Code >= 200 && w.Code < 300 {
			broken = append(broken, fmt.Sprintf("S7 a write for a cache that is gone: %s", w))
		}
	}
	if len(broken) > 0 {
		t.Errorf("laws broken:\n%s\n\n%s", strings.Join(broken, "\n"), l.tell(c))
	}
}

// writes are those of all operators in a run, in order.
func (l *lab) writes(c tenant) []proxy.Write {
	writes := l.proxy.Writes(c.Namespace)
	for _, o := range l.others {
		writes = append(writes, o.Writes(c.Namespace)...)
	}
	slices.SortFunc(writes, func(a, b proxy.Write) int { return a.At.Compare(b.At) })
	return writes
}

// tell is all that is known of a run.
func (l *lab) tell(c tenant) string {
	lines := []string{history.Tell(l.observer.Of(c))}
	for _, o := range append([]*operator{l.operator}, l.others...) {
		lines = append(lines, "", "writes of the "+o.name+" since the fault was armed:")
		for _, w := range o.Writes(c.Namespace) {
			lines = append(lines, w.String())
		}
		lines = append(lines, "", "end of its log:", o.tail())
	}
	return "history of " + c.String() + ":\n" + strings.Join(lines, "\n")
}
