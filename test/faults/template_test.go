//go:build integration

package faults

import (
	"bytes"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sk1-services/distributed-cache/test/faults/proxy"
)

// template is a rolling change: each pod is replaced by one with more memory. A pod that kwok plays
// is back in less than a tenth of a second.
var template = workload{name: "template", size: 3, grace: 1, flickers: true, act: func(t *testing.T, l *lab, c tenant) {
	t.Helper()
	object := l.get(t, c)
	base := object.DeepCopy()
	object.Spec.MemoryPerPod = new(resource.MustParse("192Mi"))
	check(t, l.k8s.Patch(t.Context(), object, client.MergeFrom(base)))
}}

// stroke is a kill at a step of a rollout. How often the StatefulSet is written, refusals included,
// is not the same in all rollouts, so a step is told by what is written.
type stroke struct {
	name  string
	match func(proxy.Write) bool
	late  bool

	struck atomic.Bool
}

func strokes() []*stroke {
	opens := func(w proxy.Write) bool {
		return w.Resource == "statefulsets" && bytes.Contains(w.Body, []byte(`"partition":0`))
	}
	closes := func() func(proxy.Write) bool {
		var open atomic.Bool
		return func(w proxy.Write) bool {
			if opens(w) {
				open.Store(true)
				return false
			}
			return w.Resource == "statefulsets" && open.Load()
		}
	}
	changes := func(w proxy.Write) bool { return w.Resource == "statefulsets" }
	return []*stroke{
		{name: "before the new template", match: changes},
		{name: "after the new template", match: changes, late: true},
		{name: "before the gate opens", match: opens},
		{name: "after the gate has opened", match: opens, late: true},
		{name: "before the gate closes", match: closes()},
		{name: "after the gate has closed", match: closes(), late: true},
	}
}

// rule kills the operator once. A write that was refused is no step.
func (s *stroke) rule(o *operator) proxy.Rule {
	crash := sync.OnceFunc(func() { s.struck.Store(true); o.crash() })
	if !s.late {
		return proxy.Rule{Match: s.match, Times: 1, Drop: proxy.Early, Before: func(proxy.Write) { crash() }}
	}
	return proxy.Rule{Match: s.match, After: func(w proxy.Write) {
		if w.Code == http.StatusOK {
			crash()
		}
	}}
}

// apart is how long after another a run begins that is to be killed alone: what is killed soon
// after its beginning is struck, and the operator up again, before the next one begins.
const apart = 2 * time.Second

// killRollout is B2: killed before or after it wrote the new template, opened the gate or closed
// it, the operator makes the same rollout. A rollout takes its time, which the runs share: what
// kills one of them restarts the operator of all.
func (l *lab) killRollout(t *testing.T) {
	r, list := l.reference(t, template), strokes()
	tenants := l.prepare(t, template, len(list))
	armed := make([]*proxy.Armed, len(list))
	for i, s := range list {
		armed[i] = l.proxy.Arm(tenants[i].Namespace, s.rule(l.operator))
		defer l.proxy.Disarm(armed[i])
		template.act(t, l, tenants[i])
		time.Sleep(apart)
	}
	for i, s := range list {
		t.Run(s.name, func(t *testing.T) {
			l.expect(t, tenants[i], r, armed[i])
			if !s.struck.Load() {
				t.Errorf("voided run: the write did not come\n%s", l.tell(tenants[i]))
			}
		})
	}
	l.tally.add(row{workload: template.name, places: len(list) / 2, runs: len(list)})
}
