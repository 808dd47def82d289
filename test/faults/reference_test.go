//go:build integration

package faults

import (
	"regexp"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sk1-services/distributed-cache/test/faults/proxy"
)

// place is where a workload writes: the n-th time that the operator writes at a site.
type place struct {
	proxy.Site
	turn int
}

// reference is a workload without a fault.
type reference struct {
	// places are those of every undisturbed run. Chances are those of some only: how often the
	// operator reports on the way depends on when it looks.
	places, chances []place
	end             string
	took            time.Duration
	flickers        bool
}

// undisturbed is how many runs make a reference.
const undisturbed = 3

// reference runs a workload without a fault, the first time that it is asked for, and several
// times to see what such runs have in common.
func (l *lab) reference(t *testing.T, w workload) reference {
	t.Helper()
	if r, known := l.references[w.name]; known {
		return r
	}
	r := reference{flickers: w.flickers}
	var all []place
	seen := map[place]int{}
	tenants := l.prepare(t, w, undisturbed)
	began := time.Now()
	for _, c := range tenants {
		armed := l.proxy.Arm(c.Namespace, proxy.Rule{})
		defer l.proxy.Disarm(armed)
		w.act(t, l, c)
	}
	for i, c := range tenants {
		l.settle(t, w, c)
		l.judge(t, c)
		for _, write := range l.proxy.Writes(c.Namespace) {
			at := place{write.Site, write.Turn}
			if seen[at]++; seen[at] == 1 {
				all = append(all, at)
			}
		}
		if i == 0 {
			r.end, r.took = r.view(l.snapshot(t, c)), time.Since(began)
		}
		l.compare(t, c, r)
	}
	if t.Failed() {
		t.Fatal("undisturbed runs must be lawful and end alike")
	}
	for _, at := range all {
		if seen[at] == undisturbed {
			r.places = append(r.places, at)
		} else {
			r.chances = append(r.chances, at)
		}
	}
	l.references[w.name] = r
	return r
}

var ringVersion = regexp.MustCompile(`(version\\":|"ringVersion": |ring version )\d+`)

// view is a snapshot as far as every run of the workload ends in it.
func (r reference) view(snapshot string) string {
	if r.flickers {
		return ringVersion.ReplaceAllString(snapshot, "${1}N")
	}
	return snapshot
}

// expect waits until a run has ended like the reference, and judges it.
func (l *lab) expect(t *testing.T, c tenant, r reference, armed *proxy.Armed) {
	t.Helper()
	const spare = 20 * time.Second
	for deadline := time.Now().Add(r.took + spare); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		silence := l.silence(c)
		pause := armed.Hits() > 0 && silence > quiet/5 || silence > quiet
		if pause && r.view(l.snapshot(t, c)) == r.end {
			break
		}
	}
	l.compare(t, c, r)
	l.judge(t, c)
}

// compare tells how the end of a run differs from the reference's.
func (l *lab) compare(t *testing.T, c tenant, r reference) {
	t.Helper()
	if diff := cmp.Diff(r.end, r.view(l.snapshot(t, c))); diff != "" {
		t.Errorf("ends differently, -reference +run:\n%s\n%s", diff, l.tell(c))
	}
}
