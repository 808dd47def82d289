package explain_test

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/sk1-services/distributed-cache/pkg/explain"
	"github.com/sk1-services/distributed-cache/pkg/observe"
	"github.com/sk1-services/distributed-cache/pkg/plan"
)

// deletedInCell is a cache that was deleted two minutes ago, its grace over, in a cell of its own.
func deletedInCell() *scene {
	s := healthy(2)
	s.isolate(2)
	s.cache.DeletionTimestamp, s.cache.Generation, s.cache.Status.ObservedGeneration = new(ago(2*time.Minute)), 4, 4
	s.ring(5)
	s.drains(map[int]time.Duration{0: 110 * time.Second, 1: 110 * time.Second})
	return s
}

// Every step of the state machine, and each of its forms, in a sentence.
func TestSteps(t *testing.T) {
	seen := map[plan.Step]bool{}
	for name, tc := range map[string]struct {
		step  plan.Step
		says  string
		scene func() *scene
	}{
		"not held": {plan.StepDelete, "Kubernetes removes what is left", func() *scene {
			s := scenes["deleting"].scene()
			s.cache.Finalizers = nil
			return s
		}},
		"emptying": {plan.StepRetire, "The operator publishes an empty ring", func() *scene { return scenes["deleting without an operator"].scene() }},
		"retiring": {plan.StepRetire, "21s more, and lets the cache go", func() *scene { return scenes["deleting"].scene() }},
		"retiring in a cell": {plan.StepRetire, "21s more, and deletes namespace cache-orders-cache", func() *scene {
			s := deletedInCell()
			s.drains(map[int]time.Duration{0: 9 * time.Second, 1: 9 * time.Second})
			return s
		}},
		"ring lost": {plan.StepRetire, "21s more, and lets the cache go", func() *scene { s := scenes["deleting"].scene(); s.World.Ring = nil; return s }},
		"releasing": {plan.StepRelease, "The operator takes its finalizer off", func() *scene {
			s := deletedInCell()
			s.cache.Spec.Tenant.Isolate, s.World.Cell = false, nil
			return s
		}},
		"ending pods": {plan.StepDissolve, "The operator ends the pods", deletedInCell},
		"pods end": {plan.StepDissolve, "waits until the pods have ended", func() *scene {
			s := deletedInCell()
			s.hold(0)
			return s
		}},
		"razing": {plan.StepDissolve, "The operator deletes namespace cache-orders-cache", func() *scene {
			s := deletedInCell()
			s.hold(0)
			s.World.Pods = nil
			return s
		}},
		"cell goes": {plan.StepDissolve, "waits until namespace cache-orders-cache is gone", func() *scene {
			s := deletedInCell()
			s.World.Cell.Namespace.DeletionTimestamp = new(ago(time.Second))
			return s
		}},
		"paused":  {plan.StepPause, "until spec.paused is false", func() *scene { return scenes["paused"].scene() }},
		"refused": {plan.StepRefuse, "until the name of namespace cache-orders-cache is free", func() *scene { return scenes["cell conflict"].scene() }},
		"rebuilding": {plan.StepRebuild, "which somebody deleted", func() *scene {
			s := healthy(2)
			s.isolate(2)
			s.World.Cell.Namespace.DeletionTimestamp = new(ago(time.Minute))
			return s
		}},
		"growing quota": {plan.StepFence, "6 pods and 800Mi of memory; in force are 4 pods and 480Mi", func() *scene { return scenes["waiting for the quota"].scene() }},
		"no quota": {plan.StepBootstrap, "3 pods and 320Mi of memory; none is in force yet", func() *scene {
			s := healthy(2)
			s.isolate(2)
			s.cache.Status.RingVersion = 0
			s.World.Cell.Quota, s.World.Ring, s.World.StatefulSet, s.World.Pods = nil, nil, nil, nil
			return s
		}},
		"recording":    {plan.StepRecord, "records ring version 4", func() *scene { s := healthy(2); s.cache.Status.RingVersion = 3; return s }},
		"making":       {plan.StepBootstrap, "The operator puts its finalizer on the cache first. The operator makes the Service", func() *scene { return scenes["just created"].scene() }},
		"first ring":   {plan.StepBootstrap, "in 48s without those that are not", func() *scene { return scenes["ring never published"].scene() }},
		"nobody ready": {plan.StepBootstrap, "waits until orders-cache-0 and orders-cache-1 are Ready, to publish a ring", func() *scene { return scenes["image pull"].scene() }},
		"in and out": {plan.StepPublish, "ring version 5, which takes in orders-cache-2 and takes out orders-cache-1", func() *scene {
			s := healthy(3)
			s.ring(4, "orders-cache-0", "orders-cache-1")
			s.World.Pods[1] = pod(1, unready(time.Second))
			return s
		}},
		"older than recorded": {plan.StepPublish, "The operator publishes ring version 10.", func() *scene { s := healthy(3); s.cache.Status.RingVersion = 9; return s }},
		"ledger alone": {plan.StepPublish, "brings its ledger of drains up to date", func() *scene {
			s := healthy(3)
			s.drains(map[int]time.Duration{3: time.Hour})
			return s
		}},
		"shrinking": {plan.StepShrink, "shrinks the StatefulSet from 5 to 3 pods", func() *scene {
			s := scenes["draining"].scene()
			s.drains(map[int]time.Duration{3: time.Minute, 4: time.Minute})
			return s
		}},
		"draining": {plan.StepDrain, "grace of orders-cache-3 and orders-cache-4, 12s more", func() *scene { return scenes["draining"].scene() }},
		"nobody may go": {plan.StepDrain, "waits until another pod serves", func() *scene {
			s := healthy(5)
			s.cache.Spec.Replicas = new(int32(3))
			for i := range s.World.Pods {
				s.World.Pods[i] = pod(i, unready(time.Second))
			}
			return s
		}},
		"joining": {plan.StepJoin, "takes orders-cache-3 into the ring in 2s", func() *scene { return scenes["growing"].scene() }},
		"waiting": {plan.StepGrow, "waits until orders-cache-1 is Ready", func() *scene { return scenes["crash loop"].scene() }},
		"rolling": {plan.StepGrow, "The StatefulSet is replacing its pods", func() *scene { return scenes["rolling"].scene() }},
		"gate open": {plan.StepSettle, "The StatefulSet replaces its pods, one at a time", func() *scene {
			s := healthy(3)
			s.World.StatefulSet.Status.CurrentRevision, s.World.StatefulSet.Status.UpdateRevision = "a", "b"
			return s
		}},
		"gate closed": {plan.StepSettle, "when all but one member are available", func() *scene {
			s := healthy(3)
			s.World.StatefulSet.Status.CurrentRevision, s.World.StatefulSet.Status.UpdateRevision = "a", "b"
			s.World.Pods[1], s.World.Pods[2] = pod(1, ready(4*time.Second)), pod(2, ready(4*time.Second))
			return s
		}},
		"settled": {plan.StepSettle, "Nothing: all is as wanted.", func() *scene { return healthy(3) }},
	} {
		t.Run(name, func(t *testing.T) {
			next := explain.Explain(tc.scene().Facts, epoch, explain.Options{}).Next
			if next == nil || next.Step != tc.step || !strings.Contains(next.Meaning, tc.says) {
				t.Errorf("got %+v, want %s that says %q", next, tc.step, tc.says)
			}
		})
		seen[tc.step] = true
	}
	for _, step := range []plan.Step{
		plan.StepDelete, plan.StepRetire, plan.StepRelease, plan.StepDissolve, plan.StepPause, plan.StepRefuse, plan.StepRebuild, plan.StepFence,
		plan.StepRecord, plan.StepBootstrap, plan.StepPublish, plan.StepShrink, plan.StepDrain, plan.StepJoin, plan.StepGrow, plan.StepSettle,
	} {
		if !seen[step] {
			t.Errorf("%s is not tried", step)
		}
	}
}

// Whatever is missing, or may not be read: an answer comes.
func TestAnyGap(t *testing.T) {
	gaps := map[string]func(*observe.World){
		"Pod":           func(w *observe.World) { w.Pods = nil },
		"StatefulSet":   func(w *observe.World) { w.StatefulSet = nil },
		"ConfigMap":     func(w *observe.World) { w.Ring = nil },
		"Service":       func(w *observe.World) { w.Service = nil },
		"ResourceQuota": func(w *observe.World) { w.Cell = withQuota(w.Cell, nil) },
		"Namespace": func(w *observe.World) {
			if w.Cell != nil {
				w.Cell = &observe.Cell{}
			}
		},
	}
	for name, tc := range scenes {
		for first := range gaps {
			for second := range gaps {
				for _, unread := range []bool{false, true} {
					s := tc.scene()
					for _, kind := range []string{first, second} {
						gaps[kind](s.World)
						if unread {
							s.Unread = append(s.Unread, explain.Unreadable{Kind: kind})
						}
					}
					e := explain.Explain(s.Facts, epoch, explain.Options{})
					if e.Summary == "" || e.Verdict == "" || explain.Text(&strings.Builder{}, e, explain.TextOptions{Color: true}) != nil {
						t.Errorf("%s without %s and %s: %+v", name, first, second, e)
					}
				}
			}
		}
	}
}

func withQuota(cell *observe.Cell, quota *corev1.ResourceQuota) *observe.Cell {
	if cell == nil {
		return nil
	}
	changed := *cell
	changed.Quota = quota
	return &changed
}
