package observe

import (
	"slices"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/plan"
	"github.com/sk1-services/distributed-cache/pkg/readiness"
	"github.com/sk1-services/distributed-cache/pkg/ring"
)

// State is the world as the state machine sees it.
func (w *World) State(now time.Time) plan.State {
	s := plan.State{
		Now:       now,
		Wanted:    int(w.Cache.WantedReplicas()),
		Grace:     w.Cache.Grace(),
		Held:      slices.Contains(w.Cache.Finalizers, v1alpha1.Finalizer),
		Orphaned:  w.orphaned(),
		Paused:    w.Cache.Spec.Paused,
		Cell:      w.Cell.state(w.Cache),
		HighWater: w.Cache.Status.RingVersion,
		Ring:      w.Document(),
	}
	if at := w.Cache.DeletionTimestamp; at != nil {
		s.Deleted = at.Time
	}
	if s.Ring != nil {
		s.Ledger = w.ledger()
	}
	if set := w.StatefulSet; set != nil && set.Spec.Replicas != nil {
		s.Set = &plan.Set{Created: set.CreationTimestamp.Time, Replicas: int(*set.Spec.Replicas), Rolling: w.rolling()}
	}
	for i := range w.Pods {
		pod := &w.Pods[i]
		s.Pods = append(s.Pods, plan.Pod{
			Name:        pod.Name,
			Ordinal:     ordinal(*pod),
			Ready:       readiness.Ready(pod),
			ReadySince:  readiness.ReadySince(pod),
			Terminating: pod.DeletionTimestamp != nil,
			Ends:        ends(pod),
			Memory:      memory(pod),
			Marked:      marked(pod),
			Grace:       toldGrace(pod),
		})
	}
	return s
}

// Stamped reports whether the StatefulSet was written for what the cache wants now.
func (w *World) Stamped() bool {
	return w.StatefulSet != nil && w.StatefulSet.Annotations[v1alpha1.GenerationAnnotation] == strconv.FormatInt(w.Cache.Generation, 10)
}

// ends is when the time of a terminating pod is up: its deletionTimestamp counts the grace in.
func ends(pod *corev1.Pod) time.Time {
	if pod.DeletionTimestamp == nil {
		return time.Time{}
	}
	return pod.DeletionTimestamp.Time
}

// memory is what the pod's containers may use at most, in bytes.
func memory(pod *corev1.Pod) int64 {
	var sum int64
	for i := range pod.Spec.Containers {
		sum += pod.Spec.Containers[i].Resources.Limits.Memory().Value()
	}
	return sum
}

// orphaned reports whether the cache was deleted so that its objects outlive it: the garbage
// collector has yet to let go of them, or has let go of the StatefulSet. It has nothing to let go
// of in a cell, so there that wish leaves no trace: a cell ends with its cache.
func (w *World) orphaned() bool {
	if w.Cache.DeletionTimestamp == nil || w.Cell != nil {
		return false
	}
	return slices.Contains(w.Cache.Finalizers, metav1.FinalizerOrphanDependents) ||
		w.StatefulSet != nil && metav1.GetControllerOf(w.StatefulSet) == nil
}

// rolling reports whether pods of an older template are still to be replaced, as far as the
// StatefulSet's controller has seen its present one.
func (w *World) rolling() bool {
	status := w.StatefulSet.Status
	if status.ObservedGeneration < w.StatefulSet.Generation || status.UpdateRevision == "" {
		return false
	}
	// A change that is taken back midway leaves pods of a revision that is neither of the two.
	return status.CurrentRevision != status.UpdateRevision || slices.ContainsFunc(w.Pods, func(pod corev1.Pod) bool {
		revision := pod.Labels[appsv1.StatefulSetRevisionLabel]
		return revision != "" && revision != status.UpdateRevision && pod.DeletionTimestamp == nil
	})
}

// Document is the published ring of this cache: nil if there is none, if it is another cache's
// of the same name, or if its bytes are not what the operator would have written.
func (w *World) Document() *ring.Document {
	if w.Ring == nil || w.Ring.Data[v1alpha1.OwnerUIDKey] != string(w.Cache.UID) {
		return nil
	}
	text := w.Ring.Data[v1alpha1.RingKey]
	document, err := ring.Decode([]byte(text))
	if err != nil {
		return nil
	}
	if canonical, err := document.Encode(); err != nil || string(canonical) != text {
		return nil
	}
	return &document
}
