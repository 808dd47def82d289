//go:build integration

package faults

import (
	"slices"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/sk1-services/distributed-cache/test/faults/proxy"
)

// age is which data is old after a restart. The operator's informers know nothing of each other:
// what the one has is not what the other has.
type age struct {
	name      string
	resources []string
	// late says that the operator had acted on what happened before it was killed: the old data is
	// of before its own writes, too.
	late bool
}

var (
	cachesOnly = []string{"distributedcaches"}
	objects    = []string{"configmaps", "pods", "services", "statefulsets"}
	everything = slices.Sorted(slices.Values(slices.Concat(cachesOnly, objects)))
)

var ages = []age{
	{"all data is of before what happened", everything, false},
	{"all data is of before what was done", everything, true},
	{"the caches are of before what happened", cachesOnly, false},
	{"the caches are of before what was done", cachesOnly, true},
	{"the objects are of before what happened", objects, false},
	{"the objects are of before what was done", objects, true},
}

// serveOldLists is P4: an operator is killed, and started again on lists of before a scale-down,
// before a change of mind and before a deletion. It stays blind until the drain that it still sees
// is over.
func (l *lab) serveOldLists(t *testing.T) {
	happenings := []workload{shrink, change, removal}
	tenants := map[string][]tenant{}
	for _, w := range happenings {
		l.reference(t, w)
		tenants[w.name] = l.prepare(t, w, len(ages))
	}
	for i, a := range ages {
		t.Run(a.name, func(t *testing.T) {
			smaller, changed, deleted := tenants[shrink.name][i], tenants[change.name][i], tenants[removal.name][i]
			var armed []*proxy.Armed
			for _, c := range []tenant{smaller, changed, deleted} {
				at := l.proxy.Arm(c.Namespace, proxy.Rule{})
				defer l.proxy.Disarm(at)
				armed = append(armed, at)
			}
			l.scale(t, changed, 3)
			l.awaitDrain(t, changed, 3, 2)
			before := l.revision(t)
			l.scale(t, smaller, 3)
			l.scale(t, changed, 5)
			l.delete(t, deleted)
			if a.late {
				l.expectMembers(t, smaller, 3)
				l.expectMembers(t, changed, 5)
				l.expectMembers(t, deleted, 0)
			}
			l.restartBlind(t, before, a.resources)
			for j, c := range []tenant{smaller, changed, deleted} {
				l.expect(t, c, l.reference(t, happenings[j]), armed[j])
			}
		})
	}
	l.tally.add(row{workload: "P4 old lists", runs: len(ages) * len(happenings)})
}

// restartBlind kills the operator and gives the next one data of a revision only, for longer than
// any grace that it can see there.
func (l *lab) restartBlind(t *testing.T, revision string, resources []string) {
	t.Helper()
	blind := time.Duration(change.grace)*time.Second + 500*time.Millisecond
	l.operator.kill()
	age := l.proxy.Age(revision, resources...)
	defer l.proxy.Renew(age)
	l.operator.start()
	NewWithT(t).Eventually(age.Served).Should(Equal(resources), "voided run: these lists were asked for")
	time.Sleep(blind)
}

// revision is that of the last write anywhere.
func (l *lab) revision(t *testing.T) string {
	t.Helper()
	list := &corev1.ConfigMapList{}
	check(t, l.k8s.List(t.Context(), list))
	return list.ResourceVersion
}

func (l *lab) expectMembers(t *testing.T, c tenant, members int) {
	t.Helper()
	NewWithT(t).Eventually(func() int { return len(l.ring(t, c).Members) }).Should(Equal(members), "the ring of %s", c)
}
