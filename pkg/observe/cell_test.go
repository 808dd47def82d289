package observe

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/plan"
)

const cellName = "cache-orders-cache"

func newIsolated(clients ...metav1.LabelSelector) *v1alpha1.DistributedCache {
	cache := newCache()
	cache.Spec.Tenant = v1alpha1.TenantSpec{Isolate: true, Clients: clients}
	return cache
}

// newNamespace is the cell of newIsolated.
func newNamespace(changes ...func(*corev1.Namespace)) *corev1.Namespace {
	ns := &corev1.Namespace{}
	ns.Name, ns.UID = cellName, "cell-uid"
	ns.Labels = map[string]string{
		v1alpha1.ManagedByLabel: v1alpha1.FieldManager, v1alpha1.OwnerNameLabel: "orders-cache",
		v1alpha1.OwnerNamespaceLabel: "shop", v1alpha1.OwnerUIDLabel: uid,
	}
	for _, change := range changes {
		change(ns)
	}
	return ns
}

func stripped(ns *corev1.Namespace) { ns.Labels = nil }

func labelled(key, value string) func(*corev1.Namespace) {
	return func(ns *corev1.Namespace) { ns.Labels[key] = value }
}

func terminating(ns *corev1.Namespace) {
	ns.DeletionTimestamp, ns.Finalizers = new(metav1.NewTime(epoch)), []string{"x/y"}
}

// wrote gives the namespace an entry of who wrote which of its fields.
func wrote(manager string, operation metav1.ManagedFieldsOperationType, fields string) func(*corev1.Namespace) {
	return func(ns *corev1.Namespace) {
		ns.ManagedFields = append(ns.ManagedFields, metav1.ManagedFieldsEntry{
			Manager: manager, Operation: operation, APIVersion: "v1", FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(fields),
		})
	}
}

const ownerField = `{"f:metadata":{"f:labels":{"f:` + v1alpha1.OwnerUIDLabel + `":{}}}}`

func inCell(object client.Object, name string) client.Object {
	object.SetNamespace(cellName)
	object.SetName(name)
	return object
}

func newFence() []client.Object {
	return []client.Object{
		inCell(&networkingv1.NetworkPolicy{}, "orders-cache"),
		inCell(&corev1.ResourceQuota{}, "orders-cache"),
		inCell(&rbacv1.Role{}, "orders-cache-ring-reader"),
		inCell(&rbacv1.RoleBinding{}, "orders-cache-ring-reader"),
	}
}

// Whose a namespace is, by its labels or by its UID. In one of somebody else nothing is read.
func TestWhoseCell(t *testing.T) {
	for _, tc := range []struct {
		name                     string
		namespace                *corev1.Namespace
		known                    types.UID
		standing, foreign, going bool
	}{
		{"there is none", nil, "", false, false, false},
		{"there is none any more", nil, "cell-uid", false, false, false},
		{"ours by its labels", newNamespace(), "", true, false, false},
		{"ours by its labels, made anew", newNamespace(), "former-uid", true, false, false},
		{"ours by its UID, without labels", newNamespace(stripped), "cell-uid", true, false, false},
		{"ours and going", newNamespace(terminating), "", true, false, true},
		{"nobody's we know", newNamespace(stripped), "", false, true, false},
		{"another one of the name, without labels", newNamespace(stripped), "former-uid", false, true, false},
		{"a former cache's", newNamespace(labelled(v1alpha1.OwnerUIDLabel, "2")), "", false, true, false},
		{"a cache's of the name elsewhere", newNamespace(labelled(v1alpha1.OwnerNamespaceLabel, "office")), "", false, true, false},
		{"another cache's", newNamespace(labelled(v1alpha1.OwnerNameLabel, "orders")), "", false, true, false},
		{"somebody else's and going", newNamespace(stripped, terminating), "", false, true, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			objects := append(newFence(), inCell(newSet(1, 1), "orders-cache"))
			if tc.namespace != nil {
				objects = append(objects, tc.namespace)
			}
			observer, _, _ := newObserver(t, objects, nil)
			cache := newIsolated()
			cache.Status.CellUID = tc.known
			w, err := observer.Observe(t.Context(), cache)
			if err != nil {
				t.Fatal(err)
			}
			got := w.State(epoch).Cell
			if diff := cmp.Diff([]bool{tc.standing, tc.foreign, tc.going}, []bool{got.Standing, got.Foreign, got.Going}); diff != "" {
				t.Errorf("standing, foreign, going: -want +got:\n%s", diff)
			}
			if tc.standing != w.Cell.Whole() || tc.standing != (w.StatefulSet != nil) {
				t.Errorf("whole: %t, StatefulSet %v", w.Cell.Whole(), w.StatefulSet)
			}
		})
	}
}

func TestOnlyAnIsolatedCacheHasACell(t *testing.T) {
	observer, cached, _ := newObserver(t, []client.Object{newNamespace()}, nil)
	w, err := observer.Observe(t.Context(), newCache())
	if err != nil || w.Cell != nil || w.State(epoch).Cell != nil {
		t.Errorf("got %v, %v", w.Cell, err)
	}
	if cached.asked[0] != "get *v1.Service shop/orders-cache" {
		t.Errorf("asked %q", cached.asked)
	}
}

func TestWholeCell(t *testing.T) {
	for i, missing := range newFence() {
		fence := newFence()
		observer, _, _ := newObserver(t, append(append(fence[:i:i], fence[i+1:]...), newNamespace()), nil)
		w, err := observer.Observe(t.Context(), newIsolated())
		if err != nil || w.Cell.Whole() {
			t.Errorf("without its %T it is whole, %v", missing, err)
		}
	}
}

func TestObserveCellFails(t *testing.T) {
	for _, question := range []string{
		"get *v1.Namespace /" + cellName, "list *v1.NamespaceList", "get *v1.NetworkPolicy " + cellName + "/orders-cache",
		"get *v1.ResourceQuota " + cellName + "/orders-cache", "get *v1.Role " + cellName + "/orders-cache-ring-reader",
		"get *v1.RoleBinding " + cellName + "/orders-cache-ring-reader", "get *v1.StatefulSet " + cellName + "/orders-cache",
	} {
		observer, cached, _ := newObserver(t, append(newFence(), newNamespace()), nil)
		cached.fails = question
		if _, err := observer.Observe(t.Context(), newIsolated(metav1.LabelSelector{})); !errors.Is(err, errRefused) {
			t.Errorf("%s: %v", question, err)
		}
	}
}

// The quota in force is the one that its controller has seen.
func TestQuotaInForce(t *testing.T) {
	list := func(pods, requests, limits string) corev1.ResourceList {
		return corev1.ResourceList{
			corev1.ResourcePods: resource.MustParse(pods), corev1.ResourceRequestsMemory: resource.MustParse(requests), corev1.ResourceLimitsMemory: resource.MustParse(limits),
		}
	}
	for _, tc := range []struct {
		name  string
		quota *corev1.ResourceQuota
		want  plan.Quota
	}{
		{"none", nil, plan.Quota{}},
		{"not seen yet", &corev1.ResourceQuota{Spec: corev1.ResourceQuotaSpec{Hard: list("4", "1Ki", "1Ki")}}, plan.Quota{}},
		{"seen", &corev1.ResourceQuota{Status: corev1.ResourceQuotaStatus{Hard: list("4", "1Ki", "1Ki")}}, plan.Quota{Pods: 4, Memory: 1024}},
		{"the lesser of requests and limits", &corev1.ResourceQuota{Status: corev1.ResourceQuotaStatus{Hard: list("4", "2Ki", "1Ki")}}, plan.Quota{Pods: 4, Memory: 1024}},
		{"and the other way round", &corev1.ResourceQuota{Status: corev1.ResourceQuotaStatus{Hard: list("4", "1Ki", "2Ki")}}, plan.Quota{Pods: 4, Memory: 1024}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := &World{Cache: newIsolated(), Cell: &Cell{Namespace: newNamespace(), Quota: tc.quota, Clients: []string{"web"}}}
			w.Cache.Spec.MemoryPerPod = resource.NewQuantity(100, resource.BinarySI)
			want := &plan.Cell{Standing: true, Memory: 100, InForce: tc.want, Readers: []string{"web"}}
			if diff := cmp.Diff(want, w.State(epoch).Cell); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestClients(t *testing.T) {
	team := func(name string) metav1.LabelSelector {
		return metav1.LabelSelector{MatchLabels: map[string]string{"team": name}}
	}
	in := func(operator metav1.LabelSelectorOperator, values ...string) metav1.LabelSelector {
		return metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "team", Operator: operator, Values: values}}}
	}
	var namespaces []client.Object
	for name, team := range map[string]string{"shop": "orders", "web": "web", "web-2": "web", "office": ""} {
		ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if team != "" {
			ns.Labels = map[string]string{"team": team}
		}
		namespaces = append(namespaces, ns)
	}
	for _, tc := range []struct {
		name    string
		clients []metav1.LabelSelector
		want    []string
	}{
		{"nobody is named", nil, nil},
		{"by a label", []metav1.LabelSelector{team("web")}, []string{"web", "web-2"}},
		{"by two selectors, in order and once", []metav1.LabelSelector{team("web"), in(metav1.LabelSelectorOpExists)}, []string{"shop", "web", "web-2"}},
		{"by an expression", []metav1.LabelSelector{in(metav1.LabelSelectorOpNotIn, "web")}, []string{"office", "shop"}},
		{"nobody is selected", []metav1.LabelSelector{team("none")}, nil},
		{"what makes no sense selects nobody, and the rest counts", []metav1.LabelSelector{in("Like", "w*"), team("orders")}, []string{"shop"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			observer, _, _ := newObserver(t, namespaces, nil)
			w, err := observer.Observe(t.Context(), newIsolated(tc.clients...))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, w.Cell.Clients); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
