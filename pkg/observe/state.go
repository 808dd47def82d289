package observe

import (
	"slices"
	"time"

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
		Isolate:   w.Cache.Spec.Tenant.Isolate,
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
			Marked:      marked(pod),
			Grace:       toldGrace(pod),
		})
	}
	return s
}

// orphaned reports whether the cache was deleted so that its objects outlive it: the garbage
// collector has yet to let go of them, or has let go of the StatefulSet.
func (w *World) orphaned() bool {
	if w.Cache.DeletionTimestamp == nil {
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
	return status.CurrentRevision != status.UpdateRevision
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
