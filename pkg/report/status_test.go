package report

import (
	"errors"
	"maps"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kstatus "sigs.k8s.io/cli-utils/pkg/kstatus/status"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/apply"
	"github.com/sk1-services/distributed-cache/pkg/plan"
	"github.com/sk1-services/distributed-cache/pkg/ring"
)

// statusCase is a settled cache of three, changed, and the conditions that differ from a settled
// one's, as type → "status reason"; an empty text says that there is none.
type statusCase struct {
	name    string
	change  func(*Outcome)
	differs map[string]string
	kstatus kstatus.Status
}

var settledConditions = map[string]string{
	"Available": "True Reconciled", "Progressing": "False Reconciled", "Degraded": "False Reconciled",
	"TenantIsolated": "False NotRequested", "Ready": "True Reconciled",
}

func runStatusCases(t *testing.T, cases []statusCase) {
	t.Helper()
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			o := settledOutcome(3)
			tc.change(&o)
			status := Status(o)
			want := maps.Clone(settledConditions)
			maps.Copy(want, tc.differs)
			if diff := cmp.Diff(want, byType(t, status.Conditions)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if got := computeKstatus(t, o.World.Cache, status); got != tc.kstatus {
				t.Errorf("kstatus is %s, want %s", got, tc.kstatus)
			}
			checkLaws(t, o, status)
		})
	}
}

func waitingFor(reason string) map[string]string {
	return map[string]string{"Progressing": "True " + reason, "Ready": "False " + reason, "Reconciling": "True " + reason}
}

func with(differs map[string]string, kind, shown string) map[string]string {
	differs[kind] = shown
	return differs
}

func TestConditionsOnTheWay(t *testing.T) {
	runStatusCases(t, []statusCase{
		{"all is as wanted", func(*Outcome) {}, nil, kstatus.CurrentStatus},
		{
			"a new cache waits for pods and has no ring", func(o *Outcome) {
				o.World.StatefulSet, o.World.Ring, o.World.Pods = nil, nil, nil
				o.Plan = plan.Plan{Step: plan.StepBootstrap, Replicas: 3}
				o.Results = o.Results[:2]
			}, with(waitingFor("WaitingForPods"), "Available", "False RingNotPublished"), kstatus.InProgressStatus,
		},
		{
			"a changed StatefulSet is not done because its status is of old", func(o *Outcome) { o.Results[1].Action = apply.Updated },
			waitingFor("WaitingForPods"), kstatus.InProgressStatus,
		},
		{
			"a StatefulSet that its controller has not seen is not done", func(o *Outcome) { o.World.StatefulSet.Generation++ },
			waitingFor("WaitingForPods"), kstatus.InProgressStatus,
		},
		{
			"one pod of three is not Ready", func(o *Outcome) { unready(o, 1) },
			waitingFor("WaitingForPods"), kstatus.InProgressStatus,
		},
		{
			"Ready pods wait to enter the ring", func(o *Outcome) {
				o.Plan.Ring = &ring.Document{Version: 4, Members: []string{"orders-cache-0", "orders-cache-2"}}
			}, waitingFor("WaitingForRing"), kstatus.InProgressStatus,
		},
		{
			"pods are replaced for a changed template", func(o *Outcome) {
				o.World.StatefulSet.Status.UpdateRevision, o.World.StatefulSet.Status.UpdatedReplicas = "orders-cache-2", 1
			}, waitingFor("RollingOut"), kstatus.InProgressStatus,
		},
		{
			"a cache under deletion is on the way out", func(o *Outcome) {
				o.World.Cache.DeletionTimestamp = new(metav1.NewTime(epoch))
				o.Plan, o.Results = plan.Plan{Step: plan.StepDelete}, nil
			}, with(waitingFor("Deleting"), "Available", "False Deleting"), kstatus.TerminatingStatus,
		},
	})
}

func TestConditionsOfAvailability(t *testing.T) {
	tooFew := with(waitingFor("WaitingForPods"), "Available", "False InsufficientReplicas")
	runStatusCases(t, []statusCase{
		{"one of three serves", func(o *Outcome) { unready(o, 0); unready(o, 1) }, tooFew, kstatus.InProgressStatus},
		{
			"one of two serves, which is half", func(o *Outcome) { *o = settledOutcome(2); unready(o, 1) },
			waitingFor("WaitingForPods"), kstatus.InProgressStatus,
		},
		{
			"none of one serves", func(o *Outcome) { *o = settledOutcome(1); unready(o, 0) }, tooFew, kstatus.InProgressStatus,
		},
		{
			"a Ready pod that is terminating does not serve", func(o *Outcome) {
				for i := range 2 {
					o.World.Pods[i].DeletionTimestamp = new(metav1.NewTime(epoch))
				}
				o.World.StatefulSet.Status.ReadyReplicas = 1
			}, tooFew, kstatus.InProgressStatus,
		},
		{
			"Ready pods outside the ring do not serve", func(o *Outcome) {
				o.Plan.Ring = &ring.Document{Version: 4, Members: []string{"orders-cache-0"}}
			}, with(waitingFor("WaitingForRing"), "Available", "False InsufficientReplicas"), kstatus.InProgressStatus,
		},
		{
			"a ring of another owner is none", func(o *Outcome) {
				o.World.Ring.Data[v1alpha1.OwnerUIDKey] = "another"
				o.Results = o.Results[:2]
			}, with(waitingFor("WaitingForRing"), "Available", "False RingNotPublished"), kstatus.InProgressStatus,
		},
		{
			"zero pods are as wanted, and available to nobody", func(o *Outcome) { *o = settledOutcome(0) },
			map[string]string{"Available": "False ScaledToZero"},
			kstatus.CurrentStatus,
		},
	})
}

func TestConditionsOfWhatIsHeld(t *testing.T) {
	failed := map[string]string{
		"Available": "Unknown ReconcileFailed", "Progressing": "Unknown ReconcileFailed", "Degraded": "True ReconcileFailed", "Ready": "False ReconcileFailed",
	}
	runStatusCases(t, []statusCase{
		{
			"fewer pods are wanted than run", func(o *Outcome) { o.World.Cache.Spec.Replicas = new(int32(1)) },
			waitingFor("Draining"), kstatus.InProgressStatus,
		},
		{
			"a paused cache is not vouched for", func(o *Outcome) {
				o.World.Cache.Spec.Paused = true
				o.Plan, o.Results = plan.Plan{Step: plan.StepPause}, nil
			}, map[string]string{"Progressing": "False Paused", "Ready": "False Paused"}, kstatus.InProgressStatus,
		},
		{"the pass ended early", func(o *Outcome) { o.Err, o.Results = errors.New("forbidden"), nil }, failed, kstatus.InProgressStatus},
	})
}

// The numbers of the status are those of the world, and of the ring that stands after the pass.
func TestStatusNumbers(t *testing.T) {
	next := &ring.Document{Version: 5, Members: []string{"orders-cache-0"}}
	for _, tc := range []struct {
		name                      string
		change                    func(*Outcome)
		replicas, ready, ringWant int
	}{
		{"all serve", func(*Outcome) {}, 3, 3, 4},
		{"one is not Ready", func(o *Outcome) { unready(o, 2) }, 3, 2, 4},
		{"one is terminating", func(o *Outcome) { o.World.Pods[2].DeletionTimestamp = new(metav1.NewTime(epoch)) }, 3, 2, 4},
		{"a published ring is recorded", func(o *Outcome) { o.Plan.Ring = next }, 3, 3, 5},
		{"a refused ring is not recorded", func(o *Outcome) { o.Plan.Ring = next; refuse(o, "ConfigMap", errors.New("no")) }, 3, 3, 4},
		{"a lower version does not lower the record", func(o *Outcome) { o.World.Cache.Status.RingVersion = 9 }, 3, 3, 9},
		{
			"a pass that read nothing keeps what is known", func(o *Outcome) {
				o.World.Cache.Status.Replicas, o.World.Cache.Status.ReadyReplicas = 7, 6
				o.World.Pods, o.Err = []corev1.Pod{}, errors.New("forbidden")
			}, 7, 6, 4,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o := settledOutcome(3)
			tc.change(&o)
			status := Status(o)
			got := []int{int(status.Replicas), int(status.ReadyReplicas), int(status.RingVersion)}
			if diff := cmp.Diff([]int{tc.replicas, tc.ready, tc.ringWant}, got); diff != "" {
				t.Errorf("replicas, readyReplicas, ringVersion: -want +got:\n%s", diff)
			}
			if want := "app.kubernetes.io/instance=orders-cache,app.kubernetes.io/name=tiny-cache"; status.Selector != want {
				t.Errorf("selector is %q, want %q", status.Selector, want)
			}
		})
	}
}

func TestStatusIsPureAndSettles(t *testing.T) {
	o := settledOutcome(3)
	before := o.World.Cache.DeepCopy()
	first := Status(o)
	if diff := cmp.Diff(before, o.World.Cache); diff != "" {
		t.Errorf("the cache that was read changed: -was +is:\n%s", diff)
	}
	o.World.Cache.Status, o.Now = first, o.Now.Add(time.Hour)
	if diff := cmp.Diff(first, Status(o)); diff != "" {
		t.Errorf("the same world later gives another status: -was +is:\n%s", diff)
	}
}

// A transition time moves with the status and not with the reason or the message.
func TestTransitionTimes(t *testing.T) {
	o := settledOutcome(3)
	o.World.Cache.Status = Status(o)
	later := o
	later.Now = o.Now.Add(90*time.Second + 123*time.Millisecond)
	unready(&later, 1)
	moved := metav1.NewTime(epoch.Add(90 * time.Second))
	for _, c := range Status(later).Conditions {
		want := metav1.NewTime(epoch)
		if c.Type == v1alpha1.Progressing || c.Type == v1alpha1.Ready || c.Type == v1alpha1.Reconciling {
			want = moved
		}
		if !c.LastTransitionTime.Equal(&want) {
			t.Errorf("%s turned at %v, want %v", c.Type, c.LastTransitionTime, want)
		}
	}
	later.World.Cache.Status, later.Now = Status(later), later.Now.Add(time.Minute)
	later.World.StatefulSet.Status.UpdateRevision = "orders-cache-2"
	for _, c := range Status(later).Conditions {
		if c.Type == v1alpha1.Progressing && (c.Reason != v1alpha1.ReasonRollingOut || !c.LastTransitionTime.Equal(&moved)) {
			t.Errorf("got %s since %v: another reason is not another status", c.Reason, c.LastTransitionTime)
		}
	}
}
