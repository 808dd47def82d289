package readiness

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
)

// Patience bounds how long a pod may take before its state is a trouble rather than a start.
const (
	// UnreadyPatience is for a running pod that is not Ready.
	UnreadyPatience = time.Minute
	// SchedulingPatience is for a pod without a node: a cluster autoscaler may be at work, but
	// a first answer is due soon.
	SchedulingPatience = 15 * time.Second
	// TerminatingPatience is for a pod that should have ended: its deletionTimestamp includes its
	// own grace.
	TerminatingPatience = 30 * time.Second
)

// Trouble is what keeps a pod from serving. Reason is one of the API's reasons of Degraded.
type Trouble struct {
	Pod     string
	Reason  string
	Message string
}

// String names the pod and what is wrong.
func (t Trouble) String() string { return fmt.Sprintf("pod %s: %s", t.Pod, t.Message) }

// TroubleOf is what keeps a pod from serving, nil if nothing does or it has not lasted.
func TroubleOf(pod *corev1.Pod, now time.Time) *Trouble {
	if at := pod.DeletionTimestamp; at != nil {
		if now.Before(at.Add(TerminatingPatience)) {
			return nil
		}
		return &Trouble{pod.Name, v1alpha1.ReasonPodStuck, "should have ended by " + at.UTC().Format(time.RFC3339) + "; its node may be dead, or a finalizer holds it"}
	}
	if Ready(pod) {
		return nil
	}
	if t := containerTrouble(pod); t != nil {
		return t
	}
	if pod.Status.Phase == corev1.PodFailed {
		return &Trouble{pod.Name, v1alpha1.ReasonPodFailing, "failed: " + pod.Status.Reason + " " + pod.Status.Message}
	}
	if c := condition(pod, corev1.PodScheduled); c != nil && c.Status == corev1.ConditionFalse && lasted(c, now, SchedulingPatience) {
		return &Trouble{pod.Name, v1alpha1.ReasonPodUnschedulable, c.Message}
	}
	if c := condition(pod, corev1.PodReady); c != nil && pod.Status.Phase == corev1.PodRunning && lasted(c, now, UnreadyPatience) {
		return &Trouble{pod.Name, v1alpha1.ReasonPodsNotReady, "running but not Ready for more than " + UnreadyPatience.String()}
	}
	return nil
}

// Due is when time alone makes a trouble of the pod's state, zero if it does not.
func Due(pod *corev1.Pod) time.Time {
	if pod.DeletionTimestamp != nil {
		return pod.DeletionTimestamp.Add(TerminatingPatience)
	}
	if Ready(pod) {
		return time.Time{}
	}
	if c := condition(pod, corev1.PodScheduled); c != nil && c.Status == corev1.ConditionFalse {
		return c.LastTransitionTime.Add(SchedulingPatience)
	}
	if c := condition(pod, corev1.PodReady); c != nil && pod.Status.Phase == corev1.PodRunning {
		return c.LastTransitionTime.Add(UnreadyPatience)
	}
	return time.Time{}
}

// Ready reports whether the pod's Ready condition is True.
func Ready(pod *corev1.Pod) bool {
	c := condition(pod, corev1.PodReady)
	return c != nil && c.Status == corev1.ConditionTrue
}

// ReadySince is when the pod became Ready, in the API's resolution of a second.
func ReadySince(pod *corev1.Pod) time.Time {
	if c := condition(pod, corev1.PodReady); c != nil {
		return c.LastTransitionTime.Time
	}
	return time.Time{}
}

var imageReasons = []string{"ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "RegistryUnavailable", "SignatureValidationFailed", "ImageInspectError"}

func containerTrouble(pod *corev1.Pod) *Trouble {
	for _, c := range pod.Status.ContainerStatuses {
		waiting := c.State.Waiting
		if waiting == nil {
			continue
		}
		// The kubelet's own text changes between attempts; the reason does not, and a text that
		// reaches a condition must not flap.
		switch {
		case slices.Contains(imageReasons, waiting.Reason):
			return &Trouble{pod.Name, v1alpha1.ReasonImagePullFailed, fmt.Sprintf("image %q cannot be pulled", c.Image)}
		case waiting.Reason == "CrashLoopBackOff":
			return &Trouble{pod.Name, v1alpha1.ReasonPodFailing, "container " + c.Name + " keeps crashing: " + lastExit(c)}
		case waiting.Reason == "CreateContainerConfigError" || waiting.Reason == "CreateContainerError" || waiting.Reason == "RunContainerError":
			return &Trouble{pod.Name, v1alpha1.ReasonPodFailing, "container " + c.Name + " cannot be started: " + waiting.Message}
		}
	}
	return nil
}

func lastExit(c corev1.ContainerStatus) string {
	if t := c.LastTerminationState.Terminated; t != nil {
		return fmt.Sprintf("%s, exit code %d", t.Reason, t.ExitCode)
	}
	return "see its log"
}

func condition(pod *corev1.Pod, kind corev1.PodConditionType) *corev1.PodCondition {
	for i := range pod.Status.Conditions {
		if pod.Status.Conditions[i].Type == kind {
			return &pod.Status.Conditions[i]
		}
	}
	return nil
}

func lasted(c *corev1.PodCondition, now time.Time, patience time.Duration) bool {
	return !now.Before(c.LastTransitionTime.Add(patience))
}
