package observe

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v4/fieldpath"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
)

// claimed reports whether our field manager itself applied the label that says whose the namespace is:
// managedFields, which the API server writes, cannot be copied with an object.
func claimed(ns *corev1.Namespace) bool {
	path := fieldpath.MakePathOrDie("metadata", "labels", v1alpha1.OwnerUIDLabel)
	for _, entry := range ns.ManagedFields {
		if entry.Manager != v1alpha1.FieldManager || entry.Operation != metav1.ManagedFieldsOperationApply || entry.FieldsV1 == nil {
			continue
		}
		owned := fieldpath.NewSet()
		if err := owned.FromJSON(entry.FieldsV1.GetRawReader()); err == nil && owned.Has(path) {
			return true
		}
	}
	return false
}
