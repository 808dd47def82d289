package observe

import (
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/plan"
)

// ledger is the drain ledger beside the ring. One that does not decode is taken for empty: its
// drains begin anew.
func (w *World) ledger() plan.Ledger {
	ledger, err := plan.DecodeLedger(w.Ring.Data[v1alpha1.LedgerKey], written(w.Ring))
	if err != nil {
		return nil
	}
	return ledger
}

// written is a time at which the object stood already as the operator last wrote it: the API
// server notes when a manager's fields changed, in whole seconds cut off. Zero if somebody erased
// the note.
func written(m *corev1.ConfigMap) time.Time {
	for _, entry := range m.ManagedFields {
		ours := entry.Manager == v1alpha1.FieldManager && entry.Operation == metav1.ManagedFieldsOperationApply && entry.Subresource == ""
		if ours && entry.Time != nil {
			return entry.Time.Add(time.Second)
		}
	}
	return time.Time{}
}

// marked is the pod's visible copy of its entry in the ledger, zero without one.
func marked(pod *corev1.Pod) time.Time {
	at, err := time.Parse(time.RFC3339, pod.Annotations[v1alpha1.DrainingSinceAnnotation])
	if err != nil {
		return time.Time{}
	}
	return at
}

// toldGrace is the grace that the pod was told of, negative if it was told of none.
func toldGrace(pod *corev1.Pod) time.Duration {
	seconds, err := strconv.Atoi(pod.Annotations[v1alpha1.DrainGraceAnnotation])
	if err != nil {
		return -1
	}
	return time.Duration(seconds) * time.Second
}
