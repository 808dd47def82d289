//go:build integration

package faults

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

// workload is something that a user does with a cache.
type workload struct {
	name string
	// size is that of the cache before, none that there is no cache yet.
	size  int32
	grace int32
	// act is what the user does.
	act func(*testing.T, *lab, tenant)
	// gone says that nothing is left in the end.
	gone bool
	// isolated says that the cache has a cell.
	isolated bool
	// flickers says that pods are away so briefly that the operator may not see it: how many
	// versions the ring then has is chance.
	flickers bool
}

// moments are those of a write at which the operator is killed, late and not.
func (w workload) moments() []bool {
	if w.isolated {
		return []bool{true}
	}
	return []bool{false, true}
}

// none stands for a cache that is not there yet.
const none = -1

var (
	creation = workload{name: "create 3", size: none, grace: 2, act: func(t *testing.T, l *lab, c tenant) {
		t.Helper()
		l.create(t, c, 3, 2)
	}}
	growth = workload{name: "3 to 5", size: 3, grace: 2, act: func(t *testing.T, l *lab, c tenant) {
		t.Helper()
		l.scale(t, c, 5)
	}}
	shrink = workload{name: "5 to 3", size: 5, grace: 1, act: func(t *testing.T, l *lab, c tenant) {
		t.Helper()
		l.scale(t, c, 3)
	}}
	// The grace is long: the change of mind is to come before its end, also after a restart.
	change = workload{name: "5 to 3 to 5", size: 5, grace: 5, act: func(t *testing.T, l *lab, c tenant) {
		t.Helper()
		l.scale(t, c, 3)
		l.awaitDrain(t, c, 3, 2)
		l.scale(t, c, 5)
	}}
	removal = workload{name: "delete", size: 3, grace: 1, gone: true, act: func(t *testing.T, l *lab, c tenant) {
		t.Helper()
		l.delete(t, c)
	}}
)

var workloads = []workload{creation, growth, shrink, change, removal}

// cells are the same with a cell; what is between is no different.
var cells = []workload{
	{name: "create 3 isolated", size: none, grace: 2, isolated: true, act: creation.act},
	{name: "delete isolated", size: 2, grace: 0, gone: true, isolated: true, act: removal.act},
}

// awaitDrain waits until a ring of some members stands and others are told that they drain.
func (l *lab) awaitDrain(t *testing.T, c tenant, members, draining int) {
	t.Helper()
	NewWithT(t).Eventually(func(g Gomega) {
		g.Expect(l.ring(t, c).Members).To(HaveLen(members))
		g.Expect(l.marked(t, c)).To(Equal(draining))
		g.Expect(l.get(t, c).Status.Drain).NotTo(BeNil())
	}).Should(Succeed(), "no drain begins")
}

// joinDelay is the operator's, and a little: after it a pod is back in the ring at once.
const joinDelay = 1200 * time.Millisecond

// prepare makes the caches that some runs of a workload begin with.
func (l *lab) prepare(t *testing.T, w workload, runs int) []tenant {
	t.Helper()
	var tenants []tenant
	for range runs {
		namespace := l.namespace(t)
		c := tenant{Namespace: namespace, Name: "orders"}
		if w.isolated {
			c.Name = namespace
		}
		tenants = append(tenants, c)
		if w.size != none {
			l.create(t, c, w.size, w.grace)
		}
	}
	for _, c := range tenants {
		if w.size != none {
			l.expectReady(t, c)
		}
	}
	if w.size != none {
		time.Sleep(joinDelay)
	}
	return tenants
}

// quiet is how long the operator must have written nothing to be taken for done.
const quiet = 1500 * time.Millisecond

// settle waits until a workload is done and the operator silent.
func (l *lab) settle(t *testing.T, w workload, c tenant) {
	t.Helper()
	if w.gone {
		l.expectNothing(t, c, 40*time.Second)
	} else {
		l.expectReady(t, c)
	}
	NewWithT(t).Eventually(func() time.Duration { return l.silence(c) }).Should(BeNumerically(">", quiet), "the operator goes on writing")
}

// silence is how long the operator has written nothing in a namespace.
func (l *lab) silence(c tenant) time.Duration {
	writes := l.writes(c)
	if len(writes) == 0 {
		return time.Hour
	}
	return time.Since(writes[len(writes)-1].At)
}
