//go:build integration

package history

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// kubernetes is the manager of the controllers that write our objects too.
const kubernetes = "kube-controller-manager"

// writer is the manager that wrote a version of an object, by the notes that the API server keeps:
// the one whose note is newer, or speaks of more fields, than in the version before, if there was
// one. Empty if the notes do not tell, as for a write that only takes away.
func writer(before, now client.Object) string {
	var by metav1.ManagedFieldsEntry
	for _, entry := range now.GetManagedFields() {
		if !noted(before, entry) && (by.Time == nil || by.Time.Before(entry.Time)) {
			by = entry
		}
	}
	return by.Manager
}

// noted reports whether a version had that note already. A note has whole seconds, so a second
// write within one shows only in fields; and one that lost fields to another manager is no write.
func noted(before client.Object, entry metav1.ManagedFieldsEntry) bool {
	if before == nil {
		return false
	}
	for _, old := range before.GetManagedFields() {
		if old.Manager == entry.Manager && old.Operation == entry.Operation && old.Subresource == entry.Subresource {
			return !old.Time.Before(entry.Time) && fields(entry).Difference(fields(old)).Empty()
		}
	}
	return false
}

func fields(entry metav1.ManagedFieldsEntry) *fieldpath.Set {
	set := &fieldpath.Set{}
	if entry.FieldsV1 != nil {
		_ = set.FromJSON(entry.FieldsV1.GetRawReader()) // the API server wrote it
	}
	return set
}
