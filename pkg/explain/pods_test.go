package explain_test

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/explain"
)

// of gives the second of three pods some state, and takes it out of the ring.
func of(changes ...func(*corev1.Pod)) func() *scene {
	return func() *scene {
		s := healthy(3)
		s.World.Pods[1] = pod(1, changes...)
		s.ring(5, "orders-cache-0", "orders-cache-2")
		return s
	}
}

func ended(reason string, code int32) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		unready(time.Second)(p)
		p.Status.ContainerStatuses[0].State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: reason, ExitCode: code}}
	}
}

func endedBefore(at time.Duration) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		t := &corev1.ContainerStateTerminated{Reason: "Error", ExitCode: 2}
		if at > 0 {
			t.FinishedAt = ago(at)
		}
		p.Status.ContainerStatuses[0].LastTerminationState.Terminated = t
	}
}

// Why a wanted pod does not serve.
func TestPods(t *testing.T) {
	for name, tc := range map[string]struct {
		state explain.PodState
		why   string
		scene func() *scene
	}{
		"is Ready for long":          {explain.PodJoining, "is Ready, for 50m; the operator has yet to take it into the ring", of()},
		"is Ready for a moment":      {explain.PodJoining, "joins soon: is Ready for 2 of 3 s", of(ready(2 * time.Second))},
		"waits for the window":       {explain.PodJoining, "joins soon: waits for others to join with it", of(ready(3500 * time.Millisecond))},
		"is not Ready":               {explain.PodStarting, "runs, not Ready for 20s", of(unready(20 * time.Second))},
		"is not Ready for long":      {explain.PodNotReady, "running but not Ready for more than 1m0s; not Ready for 5m", of(unready(5 * time.Minute))},
		"ended before":               {explain.PodStarting, "runs, not Ready for 20s; it ended last 30s ago (Error, exit code 2)", of(unready(20*time.Second), endedBefore(30*time.Second))},
		"ended some time":            {explain.PodStarting, "runs, not Ready for 20s; it ended before (Error, exit code 2)", of(unready(20*time.Second), endedBefore(0))},
		"has just ended":             {explain.PodStarting, "container tiny-cache ended (Error, exit code 1) and is started again", of(ended("Error", 1))},
		"cannot be configured":       {explain.PodFailing, `container tiny-cache cannot be started: secret "s" not found`, of(waiting("CreateContainerConfigError", `secret "s" not found`))},
		"is created, with a message": {explain.PodStarting, "container tiny-cache: ContainerCreating: mounting volumes", of(waiting("ContainerCreating", "mounting volumes"))},
		"has no node for a moment":   {explain.PodPending, "no node yet: 0/3 nodes are available", of(unscheduled(5*time.Second, "0/3 nodes are available"))},
		"was not looked at":          {explain.PodPending, "no node yet", of(unscheduled(5*time.Second, ""))},
		"is told to end":             {explain.PodTerminating, "was told to end, and has 50s for it", of(terminating(10 * time.Second))},
		"was told to end long ago":   {explain.PodStuck, "should have ended by 2026-01-01T11:55:00Z; its node may be dead, or a finalizer holds it", of(terminating(6 * time.Minute))},
		"is refused":                 {explain.PodRefused, "is refused: denied by policy", func() *scene { s := gone(); s.World.Refusal = "denied by policy"; return s }},
		"is not there":               {explain.PodMissing, "its StatefulSet has not made it yet", gone},
		"is above the StatefulSet":   {explain.PodMissing, "the StatefulSet still has size 1", func() *scene { s := gone(); s.hold(1); return s }},
		"has no StatefulSet":         {explain.PodMissing, "there is no StatefulSet yet", func() *scene { s := gone(); s.World.StatefulSet = nil; return s }},
		"has perhaps a StatefulSet": {explain.PodMissing, "does not exist", func() *scene {
			s := gone()
			s.World.StatefulSet, s.Unread = nil, []explain.Unreadable{{Kind: "StatefulSet"}}
			return s
		}},
		"is paused": {explain.PodJoining, "is Ready; spec.paused is true, and the ring stands still", func() *scene { s := of()(); s.cache.Spec.Paused = true; return s }},
		"has no ring": {explain.PodJoining, "is Ready, for 50m; there is no valid ring yet", func() *scene {
			s := of()()
			s.World.Ring = nil
			return s
		}},
	} {
		t.Run(name, func(t *testing.T) {
			e := explain.Explain(tc.scene().Facts, epoch, explain.Options{})
			if p := e.Pods[1]; p.Name != "orders-cache-1" || p.State != tc.state || p.Why != tc.why {
				t.Errorf("got %s: %s, want %s: %s", p.State, p.Why, tc.state, tc.why)
			}
		})
	}
}

// gone is a cache whose second pod does not exist.
func gone() *scene {
	s := of()()
	s.World.Pods = append(s.World.Pods[:1], s.World.Pods[2])
	return s
}

// Pods that are not wanted any more.
func TestDoomedPods(t *testing.T) {
	shrinking := func(change func(*scene)) func() *scene {
		return func() *scene {
			s := healthy(4)
			s.cache.Spec.Replicas = new(int32(3))
			change(s)
			return s
		}
	}
	out := func(s *scene) { s.ring(5, "orders-cache-0", "orders-cache-1", "orders-cache-2") }
	for why, scene := range map[string]func() *scene{
		"is not wanted any more; leaves the ring next":                           shrinking(func(*scene) {}),
		"is not wanted any more; spec.paused is true, and the ring stands still": shrinking(func(s *scene) { s.cache.Spec.Paused = true }),
		"is not wanted any more; its grace begins":                               shrinking(out),
		"is not wanted any more":                                                 shrinking(func(s *scene) { s.World.Ring = nil }),
		"left the ring, and serves on for 20s":                                   shrinking(func(s *scene) { out(s); s.drains(map[int]time.Duration{3: 10 * time.Second}) }),
		"left the ring, and its grace is over: goes next":                        shrinking(func(s *scene) { out(s); s.drains(map[int]time.Duration{3: 40 * time.Second}) }),
		"goes with the cache; leaves the ring next":                              shrinking(func(s *scene) { s.cache.DeletionTimestamp = new(ago(time.Second)) }),
	} {
		e := explain.Explain(scene().Facts, epoch, explain.Options{})
		if p := e.Pods[3]; p.State != explain.PodDraining || p.Why != why {
			t.Errorf("got %s: %s, want %s", p.State, p.Why, why)
		}
	}
}

// Whose the name of the cell is, and what holds one that is to go.
func TestCells(t *testing.T) {
	cell := func(change func(*corev1.Namespace)) func() *scene {
		return func() *scene {
			s := healthy(2)
			s.isolate(2)
			change(s.World.Cell.Namespace)
			return s
		}
	}
	for says, scene := range map[string]func() *scene{
		"was not made for this cache":                      cell(func(n *corev1.Namespace) { n.Labels = nil }),
		"is the cell of DistributedCache web/orders-cache": cell(func(n *corev1.Namespace) { n.Labels[v1alpha1.OwnerNamespaceLabel] = "web" }),
		"was made for a former cache of this name":         cell(func(n *corev1.Namespace) { n.Labels[v1alpha1.OwnerUIDLabel] = "another" }),
		"does not go: finalizers of the namespace: example.com/backup": cell(func(n *corev1.Namespace) {
			n.DeletionTimestamp, n.Finalizers = new(ago(time.Minute)), []string{"example.com/backup"}
		}),
	} {
		e := explain.Explain(scene().Facts, epoch, explain.Options{})
		if len(e.Hints) == 0 || !strings.Contains(e.Cell.Why, says) || !strings.Contains(e.Hints[0].Problem, says) || e.Hints[0].Action == "" {
			t.Errorf("got %+v and hints %+v, want %q", e.Cell, e.Hints, says)
		}
	}
}

// Without a word of the operator, what is wrong is told from the objects.
func TestTroubleFromObjects(t *testing.T) {
	for says, scene := range map[string]func() *scene{
		"keeps crashing: Error, exit code 1":  of(crashing("Error", 1)),
		"Pods are refused: denied by policy.": func() *scene { s := gone(); s.World.Refusal = "denied by policy"; return s },
	} {
		e := explain.Explain(scene().Facts, epoch, explain.Options{})
		if e.Verdict != explain.Degraded || !strings.Contains(e.Summary, says) {
			t.Errorf("%s: %s", e.Verdict, e.Summary)
		}
	}
}
