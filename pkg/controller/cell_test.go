package controller

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/apply"
	"github.com/sk1-services/distributed-cache/pkg/observe"
	"github.com/sk1-services/distributed-cache/pkg/plan"
	"github.com/sk1-services/distributed-cache/pkg/render"
	"github.com/sk1-services/distributed-cache/pkg/ring"
)

// newIsolated is a cache with a cell of its own.
func newIsolated(namespace, name string, clients ...metav1.LabelSelector) *v1alpha1.DistributedCache {
	cache := &v1alpha1.DistributedCache{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: "1"}}
	cache.Spec.Tenant = v1alpha1.TenantSpec{Isolate: true, Clients: clients}
	return cache
}

// written stands for the API server: it notes what it is sent, in order, and refuses some kinds.
type written struct {
	order   []string
	refuses map[string]error
}

func (w *written) Apply(_ context.Context, object runtime.ApplyConfiguration, _ ...client.ApplyOption) error {
	data, err := json.Marshal(object)
	if err != nil {
		return err
	}
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(data); err != nil {
		return err
	}
	w.order = append(w.order, u.GetKind())
	return w.refuses[u.GetKind()]
}

func (w *written) Delete(context.Context, client.Object, ...client.DeleteOption) error { return nil }

// The fence comes before what it is for. Without it there are no pods, and a ring only if it
// stood.
func TestFenceComesFirst(t *testing.T) {
	refused := apierrors.NewForbidden(resources, "a", errBroken)
	for _, tc := range []struct {
		name     string
		refuses  map[string]error
		ring     bool
		workload bool
		want     []string
		stamp    string
	}{
		{
			"all is accepted", nil, false, true,
			[]string{"Namespace", "NetworkPolicy", "ResourceQuota", "Role", "RoleBinding", "Service", "StatefulSet", "ConfigMap"},
			"0",
		},
		{
			"the quota is not in force", nil, true, false,
			[]string{"Namespace", "NetworkPolicy", "ResourceQuota", "Role", "RoleBinding", "ConfigMap"},
			"0",
		},
		{"the namespace is refused", map[string]error{"Namespace": refused}, false, true, []string{"Namespace"}, "0"},
		{"the namespace is refused and the ring stood", map[string]error{"Namespace": refused}, true, true, []string{"Namespace", "ConfigMap"}, "0"},
		{
			"the policy is refused",
			map[string]error{"NetworkPolicy": refused},
			false, true,
			[]string{"Namespace", "NetworkPolicy", "ResourceQuota", "Role", "RoleBinding"},
			"0",
		},
		{
			"the policy is refused and the ring stood",
			map[string]error{"NetworkPolicy": refused},
			true, true,
			[]string{"Namespace", "NetworkPolicy", "ResourceQuota", "Role", "RoleBinding", "ConfigMap"},
			"0",
		},
		{
			"and somebody who planned for an older wish could still shrink the set",
			map[string]error{"NetworkPolicy": refused},
			true, true,
			[]string{"Namespace", "NetworkPolicy", "ResourceQuota", "Role", "RoleBinding"},
			"17",
		},
		{
			"the binding is refused",
			map[string]error{"RoleBinding": refused},
			false, true,
			[]string{"Namespace", "NetworkPolicy", "ResourceQuota", "Role", "RoleBinding"},
			"0",
		},
		{
			"the StatefulSet lost a race",
			map[string]error{"StatefulSet": stale()},
			true, true,
			[]string{"Namespace", "NetworkPolicy", "ResourceQuota", "Role", "RoleBinding", "Service", "StatefulSet"},
			"0",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			cache := newIsolated("shop", "orders")
			world := &observe.World{Cache: cache, Cell: &observe.Cell{}, StatefulSet: &appsv1.StatefulSet{}}
			world.StatefulSet.Labels = ownerOf(cache).Labels
			if tc.ring {
				world.StatefulSet.Annotations = map[string]string{v1alpha1.GenerationAnnotation: tc.stamp}
				world.Ring = &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Labels: ownerOf(cache).Labels}}
			}
			objects, err := render.Render(cache, plan.Plan{Fence: &plan.Fence{}, Workload: tc.workload, Ring: &ring.Document{Version: 1}}, render.Options{})
			if err != nil {
				t.Fatal(err)
			}
			w := &written{refuses: tc.refuses}
			results := write(t.Context(), &apply.Applier{Writer: w, Manager: v1alpha1.FieldManager}, world, objects)
			if diff := cmp.Diff(tc.want, w.order); diff != "" {
				t.Errorf("-want +written:\n%s", diff)
			}
			if len(results) != len(tc.want) {
				t.Errorf("%d results of %d writes", len(results), len(tc.want))
			}
		})
	}
}

// In a cell what our field manager applied is ours; the namespace itself, which any name may
// have, is so only by its labels or its UID.
func TestWhoseAreTheObjectsOfACell(t *testing.T) {
	applied := metav1.ObjectMeta{UID: "x", Labels: map[string]string{"a": "b"}, ManagedFields: []metav1.ManagedFieldsEntry{
		{Manager: v1alpha1.FieldManager, Operation: metav1.ManagedFieldsOperationApply, FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(`{"f:metadata":{"f:labels":{"f:a":{}}}}`)},
	}}
	cache := newIsolated("shop", "orders")
	world := &observe.World{Cache: cache, Cell: &observe.Cell{
		Namespace: &corev1.Namespace{ObjectMeta: applied}, Policy: &networkingv1.NetworkPolicy{ObjectMeta: applied},
	}}
	objects := func() render.Objects {
		objects, err := render.Render(cache, plan.Plan{Fence: &plan.Fence{}}, render.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return objects
	}
	w := &written{}
	applier := &apply.Applier{Writer: w, Manager: v1alpha1.FieldManager}
	results := write(t.Context(), applier, world, objects())
	if _, conflict := errors.AsType[*apply.ConflictError](results[0].Err); !conflict || len(w.order) > 0 {
		t.Errorf("got %v, sent %q", results[0].Err, w.order)
	}
	cache.Status.CellUID = "x"
	for _, result := range write(t.Context(), applier, world, objects()) {
		if result.Err != nil {
			t.Error(result.Err)
		}
	}
}

// A cache that is not isolated takes nothing for its own that has no labels.
func TestOwnerOf(t *testing.T) {
	cache := newIsolated("shop", "orders")
	cache.Status.CellUID = "x"
	labels := map[string]string{
		v1alpha1.ManagedByLabel: v1alpha1.FieldManager, v1alpha1.OwnerNameLabel: "orders", v1alpha1.OwnerNamespaceLabel: "shop", v1alpha1.OwnerUIDLabel: "1",
	}
	want := apply.Owner{Kind: v1alpha1.Kind, Name: "orders", UID: "1", Labels: labels, Known: "x", Sole: v1alpha1.FieldManager}
	if diff := cmp.Diff(want, ownerOf(cache)); diff != "" {
		t.Errorf("isolated: -want +got:\n%s", diff)
	}
	cache.Spec.Tenant.Isolate = false
	delete(labels, v1alpha1.OwnerUIDLabel)
	want.Known, want.Sole = "", ""
	if diff := cmp.Diff(want, ownerOf(cache)); diff != "" {
		t.Errorf("not isolated: -want +got:\n%s", diff)
	}
}

func TestNamespaceRequests(t *testing.T) {
	request := func(namespace, name string) reconcile.Request {
		return reconcile.Request{NamespacedName: types.NamespacedName{Namespace: namespace, Name: name}}
	}
	open := newIsolated("shop", "open")
	open.Spec.Tenant.Isolate = false
	scheme := Scheme()
	reader := fake.NewClientBuilder().WithScheme(scheme).WithObjects(
		open, newIsolated("office", "orders"), newIsolated("shop", "orders"), newIsolated("shop", "served", metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}}),
	).Build()
	for _, tc := range []struct {
		name      string
		namespace string
		labels    map[string]string
		want      []reconcile.Request
	}{
		{"any namespace may be a client's, by labels that it has or has lost", "web", nil, []reconcile.Request{request("shop", "served")}},
		{
			"all that want the name", "cache-orders", nil,
			[]reconcile.Request{request("office", "orders"), request("shop", "orders"), request("shop", "served")},
		},
		{
			"a cell leads to its cache, also to one that is gone", "cache-gone",
			map[string]string{v1alpha1.OwnerNameLabel: "gone", v1alpha1.OwnerNamespaceLabel: "shop"},
			[]reconcile.Request{request("shop", "gone"), request("shop", "served")},
		},
		{"a cache that is not isolated wants no name", "cache-open", nil, []reconcile.Request{request("shop", "served")}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: tc.namespace, Labels: tc.labels}}
			if diff := cmp.Diff(tc.want, namespaceRequests(reader)(t.Context(), ns)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
	blind := fake.NewClientBuilder().WithScheme(runtime.NewScheme()).Build()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{v1alpha1.OwnerNameLabel: "orders", v1alpha1.OwnerNamespaceLabel: "shop"}}}
	if diff := cmp.Diff([]reconcile.Request{request("shop", "orders")}, namespaceRequests(blind)(t.Context(), ns)); diff != "" {
		t.Errorf("if the caches cannot be listed: -want +got:\n%s", diff)
	}
}

// An object of the fence that is missing is created on a live read.
func TestGraveOfACell(t *testing.T) {
	whole := observe.Cell{
		Namespace: &corev1.Namespace{}, Policy: &networkingv1.NetworkPolicy{}, Quota: &corev1.ResourceQuota{}, Role: &rbacv1.Role{}, Binding: &rbacv1.RoleBinding{},
	}
	broken := whole
	broken.Role = nil
	for _, tc := range []struct {
		name string
		cell *observe.Cell
		plan plan.Plan
		want bool
	}{
		{"all stands", &whole, plan.Plan{Fence: &plan.Fence{}}, false},
		{"one is missing", &broken, plan.Plan{Fence: &plan.Fence{}}, true},
		{"none is there", &observe.Cell{}, plan.Plan{Fence: &plan.Fence{}}, true},
		{"none is there and none is to be", &observe.Cell{}, plan.Plan{}, false},
		{"no cell", nil, plan.Plan{}, false},
	} {
		if got := grave(&observe.World{Cell: tc.cell}, tc.plan); got != tc.want {
			t.Errorf("%s: got %t, want %t", tc.name, got, tc.want)
		}
	}
}
