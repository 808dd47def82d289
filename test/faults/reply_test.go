//go:build integration

package faults

import (
	"bytes"
	"net/http"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/sk1-services/distributed-cache/test/faults/proxy"
)

func ringWrite(w proxy.Write) bool { return w.Resource == "configmaps" }

// shrinkWrite is that of the StatefulSet at the end of a drain from five to three.
func shrinkWrite(w proxy.Write) bool {
	return w.Resource == "statefulsets" && bytes.Contains(w.Body, []byte(`"replicas":3`))
}

// refuse answers the two writes of a drain that matter with errors, or not at all.
func (l *lab) refuse(t *testing.T, w workload, r reference) {
	t.Helper()
	ring, size := ringWrite, shrinkWrite
	cases := []struct {
		name string
		rule proxy.Rule
	}{
		{"the ring with 409", proxy.Rule{Match: ring, Times: 1, Code: http.StatusConflict}},
		{"the ring with 500, twice", proxy.Rule{Match: ring, Times: 2, Code: http.StatusInternalServerError}},
		{"the ring with 503", proxy.Rule{Match: ring, Times: 1, Code: http.StatusServiceUnavailable}},
		{"the ring, written, with nothing", proxy.Rule{Match: ring, Times: 1, Drop: proxy.Late}},
		{"the shrink with 409", proxy.Rule{Match: size, Times: 1, Code: http.StatusConflict}},
		{"the shrink with 500, twice", proxy.Rule{Match: size, Times: 2, Code: http.StatusInternalServerError}},
		{"the shrink with 503", proxy.Rule{Match: size, Times: 1, Code: http.StatusServiceUnavailable}},
		{"the shrink, written, with nothing", proxy.Rule{Match: size, Times: 1, Drop: proxy.Late}},
	}
	// The operator lives, and a rule is for one namespace: these runs do not disturb each other.
	tenants := l.prepare(t, w, len(cases))
	armed := make([]*proxy.Armed, len(cases))
	for i, tc := range cases {
		armed[i] = l.proxy.Arm(tenants[i].Namespace, tc.rule)
		w.act(t, l, tenants[i])
	}
	for i, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			defer l.proxy.Disarm(armed[i])
			l.expect(t, tenants[i], r, armed[i])
			if armed[i].Hits() != tc.rule.Times {
				t.Errorf("voided run: %d of %d writes came", armed[i].Hits(), tc.rule.Times)
			}
		})
	}
	l.tally.add(row{workload: w.name + " refused", runs: len(cases)})
}

// freeze makes the operator blind for longer than the grace.
func (l *lab) freeze(t *testing.T, w workload, r reference) {
	t.Helper()
	const blind = 3 * time.Second
	tenants := l.prepare(t, w, 3)
	t.Run("from the beginning", func(t *testing.T) {
		armed := l.proxy.Arm(tenants[0].Namespace, proxy.Rule{})
		defer l.proxy.Disarm(armed)
		open := l.proxy.FreezeWatches()
		defer open()
		w.act(t, l, tenants[0])
		time.Sleep(blind)
		open()
		l.expect(t, tenants[0], r, armed)
	})
	t.Run("from the ring on", func(t *testing.T) {
		armed := l.proxy.Arm(tenants[1].Namespace, proxy.Rule{})
		defer l.proxy.Disarm(armed)
		w.act(t, l, tenants[1])
		l.awaitDrain(t, tenants[1], 3, 2)
		open := l.proxy.FreezeWatches()
		defer open()
		time.Sleep(blind)
		open()
		l.expect(t, tenants[1], r, armed)
	})
	// The operator cannot see that the drain was cancelled when its grace ends.
	t.Run("for a change of mind", func(t *testing.T) {
		c := tenants[2]
		l.proxy.Arm(c.Namespace, proxy.Rule{})
		w.act(t, l, c)
		l.awaitDrain(t, c, 3, 2)
		open := l.proxy.FreezeWatches()
		defer open()
		l.scale(t, c, 5)
		time.Sleep(blind)
		open()
		l.expectReady(t, c)
		NewWithT(t).Expect(l.ring(t, c).Members).To(HaveLen(5))
		l.judge(t, c)
	})
	l.tally.add(row{workload: w.name + " frozen", runs: len(tenants)})
}
