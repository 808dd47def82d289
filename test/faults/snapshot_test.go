//go:build integration

package faults

import (
	"encoding/json"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/readiness"
)

// nothing is the snapshot of a cache that is gone with all that it owned.
const nothing = "{}"

// snapshot is a cache with all that it owns, as a text in which two runs that ended alike do not
// differ: without identities, times, and what controllers of Kubernetes count.
func (l *lab) snapshot(t *testing.T, key tenant) string {
	t.Helper()
	objects := map[string]any{}
	var masks []string
	if c := l.get(t, key); c != nil {
		objects["cache"] = map[string]any{"finalizers": c.Finalizers, "spec": c.Spec, "status": timeless(c.Status)}
		masks = append(masks, string(c.UID), "UID")
		if cell := string(c.Status.CellUID); cell != "" {
			masks = append(masks, cell, "CELL")
		}
	}
	for _, item := range l.owned(t, key) {
		kind, name, view := look(item)
		objects[kind+" "+name] = view
	}
	data, err := json.MarshalIndent(objects, "", "  ")
	check(t, err)
	return strings.NewReplacer(append(masks, key.Namespace, "NAMESPACE")...).Replace(string(data))
}

// owned are the objects that the operator made for a cache, and their pods.
func (l *lab) owned(t *testing.T, key tenant) []runtime.Object {
	t.Helper()
	var owned []runtime.Object
	for _, list := range []client.ObjectList{
		&corev1.ServiceList{}, &appsv1.StatefulSetList{}, &corev1.ConfigMapList{}, &corev1.PodList{},
		&corev1.NamespaceList{}, &networkingv1.NetworkPolicyList{}, &corev1.ResourceQuotaList{}, &rbacv1.RoleList{}, &rbacv1.RoleBindingList{},
	} {
		check(t, l.k8s.List(t.Context(), list, client.MatchingLabels{
			v1alpha1.ManagedByLabel: v1alpha1.FieldManager, v1alpha1.OwnerNamespaceLabel: key.Namespace, v1alpha1.OwnerNameLabel: key.Name,
		}))
		items, err := meta.ExtractList(list)
		check(t, err)
		owned = append(owned, items...)
	}
	return owned
}

// revisions are the resourceVersions of a cache and all that it owns: each write that changes
// anything changes one.
func (l *lab) revisions(t *testing.T, key tenant) map[string]string {
	t.Helper()
	revisions := map[string]string{}
	if c := l.get(t, key); c != nil {
		revisions["cache"] = c.ResourceVersion
	}
	for _, item := range l.owned(t, key) {
		kind, name, _ := look(item)
		revisions[kind+" "+name] = item.(client.Object).GetResourceVersion()
	}
	return revisions
}

func timeless(status v1alpha1.DistributedCacheStatus) v1alpha1.DistributedCacheStatus {
	status = *status.DeepCopy()
	for i := range status.Conditions {
		status.Conditions[i].LastTransitionTime = metav1.Time{}
	}
	return status
}

// look is what counts of an object.
func look(item runtime.Object) (kind, name string, view map[string]any) {
	object := item.(client.Object)
	view = map[string]any{"labels": object.GetLabels(), "annotations": object.GetAnnotations(), "going": object.GetDeletionTimestamp() != nil}
	switch object := item.(type) {
	case *corev1.Service:
		kind, view["spec"], view["owners"] = "Service", object.Spec, object.OwnerReferences
	case *appsv1.StatefulSet:
		kind, view["spec"], view["owners"] = "StatefulSet", object.Spec, object.OwnerReferences
	case *corev1.ConfigMap:
		kind, view["data"], view["owners"] = "ConfigMap", object.Data, object.OwnerReferences
	case *corev1.Namespace:
		kind = "Namespace"
	case *networkingv1.NetworkPolicy:
		kind, view["spec"] = "NetworkPolicy", object.Spec
	case *corev1.ResourceQuota:
		kind, view["spec"] = "ResourceQuota", object.Spec
	case *rbacv1.Role:
		kind, view["rules"] = "Role", object.Rules
	case *rbacv1.RoleBinding:
		kind, view["subjects"] = "RoleBinding", object.Subjects
	case *corev1.Pod:
		// The revision is a hash over the namespace, too.
		delete(object.Labels, appsv1.ControllerRevisionHashLabelKey)
		kind, view["ready"], view["phase"] = "Pod", readiness.Ready(object), object.Status.Phase
	}
	return kind, object.GetName(), view
}
