package controller

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/sk1-services/distributed-cache/pkg/observe"
	"github.com/sk1-services/distributed-cache/pkg/plan"
	"github.com/sk1-services/distributed-cache/pkg/ring"
)

// The steady state needs no live read; what creates or takes away does.
func TestGrave(t *testing.T) {
	whole := observe.World{Service: &corev1.Service{}, StatefulSet: &appsv1.StatefulSet{}, Ring: &corev1.ConfigMap{}}
	without := func(change func(*observe.World)) observe.World {
		w := whole
		change(&w)
		return w
	}
	document := &ring.Document{Version: 1}
	settled := plan.Plan{Workload: true, Ring: document}
	for _, tc := range []struct {
		name  string
		world observe.World
		plan  plan.Plan
		want  bool
	}{
		{"all stands", whole, settled, false},
		{"nothing stands and nothing is to", observe.World{}, plan.Plan{}, false},
		{"no ring yet", without(func(w *observe.World) { w.Ring = nil }), plan.Plan{Workload: true}, false},
		{"the plan asks for it", whole, plan.Plan{Confirm: true}, true},
		{"the finalizer goes on", whole, plan.Plan{Claim: true}, true},
		{"the finalizer goes off", whole, plan.Plan{Release: true}, true},
		{"a Service is created", without(func(w *observe.World) { w.Service = nil }), settled, true},
		{"a StatefulSet is created", without(func(w *observe.World) { w.StatefulSet = nil }), settled, true},
		{"a ring is created", without(func(w *observe.World) { w.Ring = nil }), settled, true},
	} {
		if got := grave(&tc.world, tc.plan); got != tc.want {
			t.Errorf("%s: got %t, want %t", tc.name, got, tc.want)
		}
	}
}
