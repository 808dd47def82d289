package explain

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/plan"
	"github.com/sk1-services/distributed-cache/pkg/readiness"
)

// Pod is one pod of the cache, or one that is wanted and does not exist.
type Pod struct {
	Ordinal int      `json:"ordinal"`
	Name    string   `json:"name"`
	State   PodState `json:"state"`
	// Why says more of every state but Serving.
	Why string `json:"why,omitempty"`
	// Wanted says that the ordinal is below spec.replicas, and the cache is not being deleted.
	Wanted bool `json:"wanted"`
	Ready  bool `json:"ready"`
	InRing bool `json:"inRing"`
	// Phase, Restarts, Created and Node are Kubernetes' own; empty if the pod does not exist.
	Phase    corev1.PodPhase `json:"phase,omitempty"`
	Restarts int32           `json:"restarts"`
	Created  *metav1.Time    `json:"created,omitempty"`
	Node     string          `json:"node,omitempty"`
}

// PodState is how far a pod is, in a word.
type PodState string

// The states of pods.
const (
	// PodServing is Ready and in the ring.
	PodServing PodState = "Serving"
	// PodJoining is Ready and not in the ring yet.
	PodJoining PodState = "Joining"
	// PodStarting has a node and is not Ready yet.
	PodStarting PodState = "Starting"
	// PodPending has no node yet.
	PodPending PodState = "Pending"
	// PodUnschedulable has not found a node for long.
	PodUnschedulable PodState = "Unschedulable"
	// PodImagePull cannot get its image.
	PodImagePull PodState = "ImagePull"
	// PodFailing keeps crashing, or cannot be started.
	PodFailing PodState = "Failing"
	// PodNotReady runs and has not been Ready for long.
	PodNotReady PodState = "NotReady"
	// PodDraining is not wanted any more, and serves on for its grace.
	PodDraining PodState = "Draining"
	// PodTerminating was told to end.
	PodTerminating PodState = "Terminating"
	// PodStuck was told to end and did not.
	PodStuck PodState = "Stuck"
	// PodMissing is wanted and does not exist.
	PodMissing PodState = "Missing"
	// PodRefused is wanted, and the API server refuses it.
	PodRefused PodState = "Refused"
)

// stateOf is the state for a trouble of the reason.
var stateOf = map[string]PodState{
	v1alpha1.ReasonImagePullFailed:  PodImagePull,
	v1alpha1.ReasonPodUnschedulable: PodUnschedulable,
	v1alpha1.ReasonPodFailing:       PodFailing,
	v1alpha1.ReasonPodsNotReady:     PodNotReady,
	v1alpha1.ReasonPodStuck:         PodStuck,
}

// pods are the pods that are wanted and those that exist; nil if they could not be read.
func (v *view) pods() []Pod {
	if v.unread("Pod") {
		return nil
	}
	limit := v.limit()
	exists := map[int]int{}
	ordinals := make([]int, 0, limit)
	for i, p := range v.state.Pods {
		exists[p.Ordinal] = i
		if p.Ordinal >= limit {
			ordinals = append(ordinals, p.Ordinal)
		}
	}
	for ordinal := range limit {
		ordinals = append(ordinals, ordinal)
	}
	slices.Sort(ordinals)
	var list []Pod
	for _, ordinal := range ordinals {
		row := Pod{Ordinal: ordinal, Name: v1alpha1.PodName(v.cache.Name, ordinal), Wanted: ordinal < limit}
		row.InRing = v.member(row.Name)
		if i, ok := exists[ordinal]; ok {
			v.describe(&row, v.state.Pods[i], &v.World.Pods[i])
		} else {
			row.State, row.Why = v.absent(ordinal)
		}
		list = append(list, row)
	}
	return list
}

// limit is the number of ordinals that are wanted.
func (v *view) limit() int {
	if v.deleting() {
		return 0
	}
	return v.state.Wanted
}

func (v *view) describe(row *Pod, p plan.Pod, pod *corev1.Pod) {
	row.Ready, row.Node, row.Phase = p.Ready, pod.Spec.NodeName, pod.Status.Phase
	if !pod.CreationTimestamp.IsZero() {
		row.Created = &pod.CreationTimestamp
	}
	for _, c := range pod.Status.ContainerStatuses {
		row.Restarts += c.RestartCount
	}
	trouble := readiness.TroubleOf(pod, v.now)
	switch {
	case trouble != nil && p.Terminating:
		row.State, row.Why = PodStuck, trouble.Message
	case p.Terminating:
		row.State, row.Why = PodTerminating, fmt.Sprintf("was told to end, and has %s for it", span(p.Ends.Sub(v.now)))
	case !row.Wanted:
		row.State, row.Why = PodDraining, v.draining(p)
	case p.Ready && row.InRing:
		row.State = PodServing
	case p.Ready:
		row.State, row.Why = PodJoining, v.joining(p)
	case trouble != nil:
		row.State, row.Why = stateOf[trouble.Reason], trouble.Message+detail(pod, v.now)
	default:
		row.State, row.Why = starting(pod, v.now)
	}
}

// absent says why a wanted pod does not exist.
func (v *view) absent(ordinal int) (PodState, string) {
	set := v.state.Set
	switch {
	case v.complete && v.plan.Step == plan.StepRefuse:
		return PodMissing, "the name of the cell is taken"
	case v.complete && v.plan.Step == plan.StepRebuild:
		return PodMissing, "its cell is being deleted, and made anew"
	case v.unread("StatefulSet"):
		return PodMissing, "does not exist"
	case v.World.Refusal != "":
		return PodRefused, "is refused: " + v.World.Refusal
	case set == nil:
		return PodMissing, "there is no StatefulSet yet"
	case set.Replicas <= ordinal:
		return PodMissing, fmt.Sprintf("the StatefulSet still has size %d", set.Replicas)
	default:
		return PodMissing, "its StatefulSet has not made it yet"
	}
}

// joining says what a Ready pod waits for.
func (v *view) joining(p plan.Pod) string {
	ready := v.now.Sub(p.ReadySince)
	switch {
	case v.cache.Spec.Paused:
		return "is Ready; spec.paused is true, and the ring stands still"
	case v.document == nil:
		return fmt.Sprintf("is Ready, for %s; there is no valid ring yet", span(ready))
	case ready < v.timing.JoinDelay:
		return fmt.Sprintf("joins soon: is Ready for %d of %d s", int(max(ready, 0).Seconds()), int(v.timing.JoinDelay.Seconds()))
	case ready < v.timing.JoinDelay+v.timing.JoinWindow:
		return "joins soon: waits for others to join with it"
	default:
		return fmt.Sprintf("is Ready, for %s; the operator has yet to take it into the ring", span(ready))
	}
}
