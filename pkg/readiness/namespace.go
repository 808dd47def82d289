package readiness

import (
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// NamespacePatience is for a namespace that is being deleted: its controller needs a few rounds.
const NamespacePatience = 15 * time.Second

// HeldBy is what keeps a namespace that is being deleted from going, in the words of its
// controller; empty if nothing does, or it has not lasted.
func HeldBy(namespace *corev1.Namespace, now time.Time) string {
	if namespace.DeletionTimestamp == nil || now.Before(NamespaceDue(namespace)) {
		return ""
	}
	var held []string
	for _, c := range namespace.Status.Conditions {
		if c.Status == corev1.ConditionTrue {
			held = append(held, strings.TrimSpace(c.Message))
		}
	}
	if len(namespace.Finalizers) > 0 {
		held = append(held, "finalizers of the namespace: "+strings.Join(namespace.Finalizers, ", "))
	}
	return strings.Join(held, "; ")
}

// NamespaceDue is when time alone makes HeldBy say something, zero if it does not.
func NamespaceDue(namespace *corev1.Namespace) time.Time {
	if namespace.DeletionTimestamp == nil {
		return time.Time{}
	}
	return namespace.DeletionTimestamp.Add(NamespacePatience)
}
