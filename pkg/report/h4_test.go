package report

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/apply"
	"github.com/sk1-services/distributed-cache/pkg/plan"
)

// drifts are the changes that befall the world of a cache; the plan and the results follow.
var drifts = []func(*rand.Rand, *Outcome){
	func(r *rand.Rand, o *Outcome) {
		if n := len(o.World.Pods); n > 0 {
			setReady(&o.World.Pods[r.IntN(n)], r.IntN(3) > 0, o.Now)
		}
	},
	func(r *rand.Rand, o *Outcome) {
		if n := len(o.World.Pods); n > 0 {
			o.World.Pods[r.IntN(n)].DeletionTimestamp = new(metav1.NewTime(o.Now))
		}
	},
	func(r *rand.Rand, o *Outcome) {
		if n := len(o.World.Pods); n > 0 {
			i := r.IntN(n)
			o.World.Pods[i] = newPod(i, false)
			waiting := &corev1.ContainerStateWaiting{Reason: []string{"ErrImagePull", "CrashLoopBackOff"}[r.IntN(2)]}
			o.World.Pods[i].Status.ContainerStatuses = []corev1.ContainerStatus{{State: corev1.ContainerState{Waiting: waiting}}}
		}
	},
	func(r *rand.Rand, o *Outcome) {
		o.World.Cache.Spec.Replicas = new(int32(r.IntN(5)))
		o.World.Cache.Generation++
	},
	func(_ *rand.Rand, o *Outcome) {
		o.World.Cache.Spec.Paused = !o.World.Cache.Spec.Paused
		o.World.Cache.Generation++
	},
	func(r *rand.Rand, o *Outcome) {
		o.World.Cell = nil
		if o.World.Cache.Spec.Tenant.Isolate = r.IntN(4) == 0; o.World.Cache.Spec.Tenant.Isolate {
			o.World.Cell = newCell()
			cellChanges[r.IntN(len(cellChanges))](o.World.Cell)
		}
	},
	func(r *rand.Rand, o *Outcome) { o.World.StatefulSet.Generation += int64(r.IntN(2)) },
	func(_ *rand.Rand, o *Outcome) { o.World.StatefulSet.Status.UpdateRevision += "x" },
	func(r *rand.Rand, o *Outcome) { o.World.Refusal = []string{"", "exceeded quota"}[r.IntN(2)] },
	func(_ *rand.Rand, o *Outcome) { o.World.Ring = nil },
	func(*rand.Rand, *Outcome) {},
}

// heal lets the StatefulSet's controller do its work, so that the world is not only ever worse.
func heal(o *Outcome) {
	set := o.World.StatefulSet
	if leavesAlone(o.Plan) {
		return
	}
	o.World.Pods = o.World.Pods[:0]
	for i := range o.Plan.Replicas {
		o.World.Pods = append(o.World.Pods, newPod(i, true))
	}
	*set = *newSet(o.Plan.Replicas)
	if o.Plan.Ring != nil {
		o.World.Ring = newRing(o.Plan.Ring)
	}
}

func leavesAlone(p plan.Plan) bool {
	return slices.Contains([]plan.Step{plan.StepRetire, plan.StepRelease, plan.StepPause, plan.StepRefuse, plan.StepRebuild, plan.StepDissolve}, p.Step)
}

var refusals = []func() error{
	func() error { return nil }, func() error { return nil }, func() error { return nil },
	forbidden, stale, doomed,
	func() error { return invalid(field.Forbidden(field.NewPath("spec"), "forbidden")) },
	func() error { return invalid(field.Invalid(field.NewPath("spec"), 1, "bad")) },
	func() error { return &apply.ConflictError{Object: "Service shop/orders-cache"} },
	func() error {
		return &apply.ConflictError{Object: "Service shop/orders-cache", Holder: "DistributedCache orders-cache", Former: true}
	},
}

// conclude gives the pass its plan and its results.
func conclude(r *rand.Rand, o *Outcome) {
	o.Plan, o.Results, o.Err = plan.Next(o.World.State(o.Now), plan.DefaultTiming), nil, nil
	switch {
	case r.IntN(12) == 0:
		o.Err = errors.New("forbidden")
	case !leavesAlone(o.Plan):
		o.Results = unchanged()
		if o.Plan.Ring == nil {
			o.Results = o.Results[:2]
		}
		if !o.Plan.Workload {
			o.Results = o.Results[2:]
		}
		if o.Plan.Fence != nil {
			o.Results = append(fenceUnchanged(), o.Results...)
		}
		for i := range o.Results {
			o.Results[i].Action = []apply.Action{apply.Unchanged, apply.Updated}[r.IntN(2)]
			if err := refusals[r.IntN(len(refusals))](); err != nil {
				o.Results[i].Action, o.Results[i].Err = "", err
			}
		}
	}
}

// H4: the conditions are well-formed at every instant, whatever happens to the cache until its
// end, and their transition times move with their status alone.
func TestH4ConditionsStayWellFormed(t *testing.T) {
	const transitions = 200
	for seed := range uint64(5) {
		r := rand.New(rand.NewPCG(seed, 4))
		o, s := settledOutcome(3), &scribe{}
		o.World.Cache.Finalizers = []string{v1alpha1.Finalizer}
		seen := map[string]bool{}
		for i := range transitions {
			if i == transitions-10 {
				o.World.Cache.DeletionTimestamp = new(metav1.NewTime(o.Now))
			}
			o.Now = o.Now.Add(time.Duration(r.IntN(20000)) * time.Millisecond)
			drifts[r.IntN(len(drifts))](r, &o)
			conclude(r, &o)
			before := *o.World.Cache.Status.DeepCopy()
			after := Status(o)
			checkLaws(t, o, after)
			checkTransitionTimes(t, o, before.Conditions, after.Conditions)
			checkReport(t, s, o, before, after)
			if t.Failed() {
				t.Fatalf("seed %d: %+v\nwas %v\nis  %v", seed, o.Plan, byType(t, before.Conditions), byType(t, after.Conditions))
			}
			for kind, shown := range byType(t, after.Conditions) {
				seen[kind+" "+shown] = true
			}
			o.World.Cache.Status = after
			if r.IntN(4) == 0 {
				heal(&o)
			}
		}
		if len(seen) < 25 {
			t.Errorf("seed %d: only %d kinds of conditions came up: %v", seed, len(seen), seen)
		}
	}
}

func checkTransitionTimes(t *testing.T, o Outcome, before, after []metav1.Condition) {
	t.Helper()
	for _, is := range after {
		want := metav1.NewTime(o.Now.Truncate(time.Second))
		if was := meta.FindStatusCondition(before, is.Type); was != nil && was.Status == is.Status {
			want = was.LastTransitionTime
		}
		if !is.LastTransitionTime.Equal(&want) {
			t.Errorf("%s=%s turned at %v, want %v", is.Type, is.Status, is.LastTransitionTime, want)
		}
	}
}

// checkReport holds that there is one write exactly if the status differs, and no event without
// a condition that turned.
func checkReport(t *testing.T, s *scribe, o Outcome, before, after v1alpha1.DistributedCacheStatus) {
	t.Helper()
	*s = scribe{}
	if err := s.reporter().Report(t.Context(), o); err != nil {
		t.Error(err)
	}
	differs := !equality.Semantic.DeepEqual(before, after) && !o.Plan.Release
	if differs != (len(s.writes) == 1) || !differs && len(s.told) > 0 || differs && s.told[0] != "write" {
		t.Errorf("differs: %t, told %q", differs, s.told)
	}
	turned := 0
	was, is := byType(t, before.Conditions), byType(t, after.Conditions)
	for _, kind := range announced {
		if was[kind] != is[kind] {
			turned++
		}
	}
	if len(s.told) > 1+turned {
		t.Errorf("%d conditions turned, told %q", turned, s.told)
	}
}
