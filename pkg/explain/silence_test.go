package explain_test

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/explain"
)

// The operator is not called silent while it may still be on its way, or says itself what keeps it.
func TestSilence(t *testing.T) {
	for name, tc := range map[string]struct {
		scene  func() *scene
		silent bool
	}{
		"behind for long": {func() *scene { return scenes["operator behind"].scene() }, true},
		"behind for a moment": {func() *scene {
			s := scenes["operator behind"].scene()
			s.cache.ManagedFields[1].Time = new(ago(30 * time.Second))
			return s
		}, false},
		"behind, and nobody knows since when": {func() *scene { s := scenes["operator behind"].scene(); s.cache.ManagedFields = nil; return s }, false},
		"a stale member":                      {func() *scene { return scenes["operator leaves the ring stale"].scene() }, true},
		"a stale member, for a moment":        {func() *scene { s := healthy(3); s.World.Pods[1] = pod(1, unready(10*time.Second)); return s }, false},
		"a stale member, and the ring was just edited": {func() *scene {
			s := scenes["operator leaves the ring stale"].scene()
			s.World.Ring.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "kubectl-edit", Time: new(ago(time.Second))}}
			return s
		}, false},
		"the ring is refused": {func() *scene {
			s := scenes["operator leaves the ring stale"].scene()
			s.says(v1alpha1.Degraded, "True", v1alpha1.ReasonRingReconcileFailed, "admission webhook denied the request")
			return s
		}, false},
		"a pod is long gone from its node": {func() *scene { s := healthy(3); s.World.Pods[1] = pod(1, terminating(20*time.Second)); return s }, true},
		"a pod that could join": {func() *scene {
			s := healthy(3)
			s.ring(5, "orders-cache-0", "orders-cache-1")
			return s
		}, true},
		"a pod that could just join": {func() *scene {
			s := healthy(3)
			s.World.Pods[2] = pod(2, ready(12*time.Second))
			s.ring(5, "orders-cache-0", "orders-cache-1")
			return s
		}, false},
		"drained for long": {func() *scene {
			s := scenes["draining"].scene()
			s.drains(map[int]time.Duration{3: time.Minute, 4: time.Minute})
			return s
		}, true},
		"just drained": {func() *scene {
			s := scenes["draining"].scene()
			s.drains(map[int]time.Duration{3: 35 * time.Second, 4: 35 * time.Second})
			return s
		}, false},
		"the ring is lost": {func() *scene { s := healthy(3); s.World.Ring = nil; return s }, false},
		"healthy":          {func() *scene { return healthy(3) }, false},
		"paused":           {func() *scene { return scenes["paused"].scene() }, false},
	} {
		t.Run(name, func(t *testing.T) {
			e := explain.Explain(tc.scene().Facts, epoch, explain.Options{})
			silent := len(e.Hints) > 0 && strings.HasPrefix(e.Hints[0].Problem, "The operator seems not to be running")
			if silent != tc.silent {
				t.Errorf("silent: %t, hints: %v, next: %+v", silent, e.Hints, e.Next)
			}
		})
	}
}
