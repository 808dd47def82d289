package readiness_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/readiness"
)

var epoch = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func at(seconds int) time.Time { return epoch.Add(time.Duration(seconds) * time.Second) }

func pod(changes ...func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a-1"}}
	for _, change := range changes {
		change(p)
	}
	return p
}

func phase(phase corev1.PodPhase) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Status.Phase = phase }
}

// says sets a condition that turned at the epoch.
func says(kind corev1.PodConditionType, status corev1.ConditionStatus, message string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{
			Type: kind, Status: status, Message: message, LastTransitionTime: metav1.NewTime(epoch),
		})
	}
}

func waiting(reason, message string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Status.ContainerStatuses = append(p.Status.ContainerStatuses, corev1.ContainerStatus{
			Name: "tiny-cache", Image: "tiny-cache:v1",
			State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}},
		})
	}
}

func exited(reason string, code int32) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Status.ContainerStatuses[0].LastTerminationState.Terminated = &corev1.ContainerStateTerminated{Reason: reason, ExitCode: code}
	}
}

func running(p *corev1.Pod) { p.Status.Phase = corev1.PodRunning }

func sidecar(p *corev1.Pod) {
	p.Status.ContainerStatuses = append(p.Status.ContainerStatuses, corev1.ContainerStatus{Name: "sidecar"})
}

func terminating(p *corev1.Pod) { p.DeletionTimestamp = new(metav1.NewTime(epoch)) }

var (
	unready       = says(corev1.PodReady, corev1.ConditionFalse, "")
	ready         = says(corev1.PodReady, corev1.ConditionTrue, "")
	unschedulable = says(corev1.PodScheduled, corev1.ConditionFalse, "0/3 nodes are available")
	scheduled     = says(corev1.PodScheduled, corev1.ConditionTrue, "")
)

func TestTroubleOf(t *testing.T) {
	unpullable := &readiness.Trouble{Pod: "a-1", Reason: v1alpha1.ReasonImagePullFailed, Message: `image "tiny-cache:v1" cannot be pulled`}
	failing := func(message string) *readiness.Trouble {
		return &readiness.Trouble{Pod: "a-1", Reason: v1alpha1.ReasonPodFailing, Message: message}
	}
	unscheduled := &readiness.Trouble{Pod: "a-1", Reason: v1alpha1.ReasonPodUnschedulable, Message: "0/3 nodes are available"}
	slow := &readiness.Trouble{Pod: "a-1", Reason: v1alpha1.ReasonPodsNotReady, Message: "running but not Ready for more than 1m0s"}
	for _, tc := range []struct {
		name string
		pod  *corev1.Pod
		now  time.Time
		want *readiness.Trouble
	}{
		{"a pod that nobody looked at yet", pod(), at(9999), nil},
		{"a Ready pod", pod(running, ready), at(9999), nil},
		{"a Ready pod whose sidecar waits", pod(running, ready, waiting("ErrImagePull", "")), at(9999), nil},
		{"a pod that ends", pod(terminating, waiting("ErrImagePull", "")), at(29), nil},
		{"a pod that should have ended", pod(running, ready, terminating), at(30), &readiness.Trouble{
			Pod: "a-1", Reason: "PodStuck", Message: "should have ended by 2026-01-01T12:00:00Z; its node may be dead, or a finalizer holds it",
		}},
		{"a container that is being created", pod(unready, waiting("ContainerCreating", "")), at(0), nil},
		{"an image that cannot be pulled", pod(unready, waiting("ErrImagePull", "1st try")), at(0), unpullable},
		{"the same in the back-off, in the same words", pod(unready, waiting("ImagePullBackOff", "2nd try")), at(0), unpullable},
		{"an image without a valid name", pod(unready, waiting("InvalidImageName", "")), at(0), unpullable},
		{"an image that may never be pulled", pod(unready, waiting("ErrImageNeverPull", "")), at(0), unpullable},
		{"the second container's image", pod(unready, sidecar, waiting("ErrImagePull", "")), at(0), unpullable},
		{
			"a crash", pod(running, unready, waiting("CrashLoopBackOff", "back-off 10s"), exited("OOMKilled", 137)), at(0),
			failing("container tiny-cache keeps crashing: OOMKilled, exit code 137"),
		},
		{
			"a crash that left nothing", pod(running, unready, waiting("CrashLoopBackOff", "back-off 20s")), at(0),
			failing("container tiny-cache keeps crashing: see its log"),
		},
		{
			"a missing secret", pod(unready, waiting("CreateContainerConfigError", `secret "x" not found`)), at(0),
			failing(`container tiny-cache cannot be started: secret "x" not found`),
		},
		{"a bad command", pod(unready, waiting("RunContainerError", "no such file")), at(0), failing("container tiny-cache cannot be started: no such file")},
		{"a container that cannot be made", pod(unready, waiting("CreateContainerError", "no space")), at(0), failing("container tiny-cache cannot be started: no space")},
		{
			"an evicted pod", pod(unready, phase(corev1.PodFailed), func(p *corev1.Pod) { p.Status.Reason, p.Status.Message = "Evicted", "low on memory" }),
			at(0), failing("failed: Evicted low on memory"),
		},
		{"no node, a moment ago", pod(unschedulable), at(14), nil},
		{"no node for long enough", pod(unschedulable), at(15), unscheduled},
		{"a node and not Ready, for less than a minute", pod(running, scheduled, unready), at(59), nil},
		{"a node and not Ready, for a minute", pod(running, scheduled, unready), at(60), slow},
		{"a node, not Ready and not running: images may be large", pod(scheduled, unready, phase(corev1.PodPending)), at(9999), nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, readiness.TroubleOf(tc.pod, tc.now)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestTroubleNamesThePod(t *testing.T) {
	if got := readiness.TroubleOf(pod(unschedulable), at(15)).String(); got != "pod a-1: 0/3 nodes are available" {
		t.Errorf("got %q", got)
	}
}

// Due is the very instant at which TroubleOf begins to see a trouble.
func TestDue(t *testing.T) {
	for _, tc := range []struct {
		name string
		pod  *corev1.Pod
		want time.Time
	}{
		{"a pod that nobody looked at yet", pod(), time.Time{}},
		{"a Ready pod", pod(running, ready), time.Time{}},
		{"a Ready pod that ends", pod(running, unready, terminating), at(30)},
		{"no node", pod(unschedulable), at(15)},
		{"running and not Ready", pod(running, scheduled, unready), at(60)},
		{"not yet running", pod(scheduled, unready, phase(corev1.PodPending)), time.Time{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := readiness.Due(tc.pod)
			if !got.Equal(tc.want) {
				t.Fatalf("got %v, want %v", got, tc.want)
			}
			if got.IsZero() {
				got = at(9999)
			}
			if trouble := readiness.TroubleOf(tc.pod, got.Add(-time.Nanosecond)); trouble != nil {
				t.Errorf("before it is due: %s", trouble)
			}
			if trouble := readiness.TroubleOf(tc.pod, got); !tc.want.IsZero() && trouble == nil {
				t.Error("no trouble when it is due")
			}
		})
	}
}

func TestReady(t *testing.T) {
	for name, tc := range map[string]struct {
		pod   *corev1.Pod
		ready bool
		since time.Time
	}{
		"without the condition":        {pod(running), false, time.Time{}},
		"Ready":                        {pod(scheduled, ready), true, epoch},
		"not Ready":                    {pod(scheduled, unready), false, epoch},
		"unknown, on a node that left": {pod(says(corev1.PodReady, corev1.ConditionUnknown, "")), false, epoch},
	} {
		if got := readiness.Ready(tc.pod); got != tc.ready {
			t.Errorf("%s: Ready is %t", name, got)
		}
		if got := readiness.ReadySince(tc.pod); !got.Equal(tc.since) {
			t.Errorf("%s: ReadySince is %v, want %v", name, got, tc.since)
		}
	}
}
