package explain

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// starting says how far a pod is that is not Ready, and whose state is no trouble yet.
func starting(pod *corev1.Pod, now time.Time) (PodState, string) {
	if c := podCondition(pod, corev1.PodScheduled); pod.Spec.NodeName == "" {
		if c != nil && c.Message != "" {
			return PodPending, "no node yet: " + c.Message
		}
		return PodPending, "no node yet"
	}
	for _, c := range pod.Status.ContainerStatuses {
		switch {
		case c.State.Terminated != nil:
			return PodStarting, fmt.Sprintf("container %s ended%s and is started again", c.Name, ending(c.State.Terminated))
		case c.State.Waiting != nil && c.State.Waiting.Message != "":
			return PodStarting, fmt.Sprintf("container %s: %s: %s", c.Name, c.State.Waiting.Reason, c.State.Waiting.Message)
		case c.State.Waiting != nil:
			return PodStarting, fmt.Sprintf("container %s: %s", c.Name, c.State.Waiting.Reason)
		}
	}
	why := "not Ready yet"
	if c := podCondition(pod, corev1.PodReady); c != nil {
		why = fmt.Sprintf("runs, not Ready for %s", age(now, c.LastTransitionTime.Time))
	}
	when, how := lastEnd(pod, now)
	return PodStarting, why + when + how
}

// detail is what a trouble's message leaves out because it changes.
func detail(pod *corev1.Pod, now time.Time) string {
	for _, c := range pod.Status.ContainerStatuses {
		if w := c.State.Waiting; w != nil && strings.Contains(w.Reason, "Image") && w.Message != "" {
			return ": " + w.Message
		}
	}
	if c := podCondition(pod, corev1.PodReady); c != nil && pod.Status.Phase == corev1.PodRunning {
		when, _ := lastEnd(pod, now)
		return fmt.Sprintf("; not Ready for %s", age(now, c.LastTransitionTime.Time)) + when
	}
	return ""
}

// lastEnd says when a container ended last, and how.
func lastEnd(pod *corev1.Pod, now time.Time) (when, how string) {
	for _, c := range pod.Status.ContainerStatuses {
		if t := c.LastTerminationState.Terminated; t != nil {
			if t.FinishedAt.IsZero() {
				return "; it ended before", ending(t)
			}
			return fmt.Sprintf("; it ended last %s ago", age(now, t.FinishedAt.Time)), ending(t)
		}
	}
	return "", ""
}

func ending(t *corev1.ContainerStateTerminated) string {
	return fmt.Sprintf(" (%s, exit code %d)", t.Reason, t.ExitCode)
}

// killed reports whether a container of the pod was last killed for its memory.
func killed(pod *corev1.Pod) bool {
	for _, c := range pod.Status.ContainerStatuses {
		for _, t := range []*corev1.ContainerStateTerminated{c.State.Terminated, c.LastTerminationState.Terminated} {
			if t != nil && t.Reason == "OOMKilled" {
				return true
			}
		}
	}
	return false
}

func podCondition(pod *corev1.Pod, kind corev1.PodConditionType) *corev1.PodCondition {
	for i := range pod.Status.Conditions {
		if pod.Status.Conditions[i].Type == kind {
			return &pod.Status.Conditions[i]
		}
	}
	return nil
}
