//go:build integration

package faults

import (
	"slices"
	"testing"
	"time"

	"github.com/sk1-services/distributed-cache/test/faults/proxy"
)

const (
	// informers are the operator's: caches, what they own, what fences a cell, and namespaces.
	informers = 10
	// cuts is how often all watches are cut off, and often how soon again: a watch is back, after
	// a pause and a list, in a second or two.
	cuts  = 3
	often = 1500 * time.Millisecond
)

// cutWatches closes all watches in the middle of a drain, and again, so that what happened between
// is never told, only found by a new list.
func (l *lab) cutWatches(t *testing.T) {
	var tenants []tenant
	var armed []*proxy.Armed
	for _, w := range workloads {
		l.reference(t, w)
		tenants = append(tenants, l.prepare(t, w, 1)...)
	}
	told := l.proxy.Expired()
	for i, w := range workloads {
		armed = append(armed, l.proxy.Arm(tenants[i].Namespace, proxy.Rule{}))
		defer l.proxy.Disarm(armed[i])
		w.act(t, l, tenants[i])
	}
	l.expectMembers(t, tenants[slices.IndexFunc(workloads, func(w workload) bool { return w.name == shrink.name })], 3)
	closed := 0
	for range cuts {
		closed += l.proxy.CutWatches()
		time.Sleep(often)
	}
	for i, w := range workloads {
		t.Run(w.name, func(t *testing.T) { l.expect(t, tenants[i], l.reference(t, w), armed[i]) })
	}
	if told = l.proxy.Expired() - told; closed <= informers || told < informers {
		t.Errorf("voided run: %d watches were cut and %d told that they are too old", closed, told)
	}
	l.tally.add(row{workload: "watches cut", runs: len(workloads)})
}
