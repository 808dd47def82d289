package observe

import (
	"context"
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
)

// What is collected was made by us for a cache that the API server does not have.
func TestLeftover(t *testing.T) {
	ours := wrote(v1alpha1.FieldManager, metav1.ManagedFieldsOperationApply, ownerField)
	successor := newIsolated()
	successor.UID = "2"
	elsewhere := newIsolated()
	elsewhere.Namespace = "office"
	for _, tc := range []struct {
		name      string
		namespace *corev1.Namespace
		present   *v1alpha1.DistributedCache
		live      []client.Object
		found     bool
	}{
		{"there is none", nil, nil, nil, false},
		{"its cache is gone", newNamespace(ours), nil, nil, true},
		{"its cache has a successor", newNamespace(ours), successor, []client.Object{successor}, true},
		{"its cache has a successor that is not seen yet", newNamespace(ours), nil, []client.Object{successor}, true},
		{"only a cache of the name elsewhere is there", newNamespace(ours), nil, []client.Object{elsewhere}, true},
		{"its cache is there", newNamespace(ours), newIsolated(), []client.Object{newIsolated()}, false},
		{"its cache is there and not seen yet", newNamespace(ours), nil, []client.Object{newIsolated()}, false},
		{"its cache is there, and what is seen is a former one", newNamespace(ours), successor, []client.Object{newIsolated()}, false},
		{"it is going already", newNamespace(ours, terminating), nil, nil, false},
		{"its labels name a cache elsewhere", newNamespace(ours, labelled(v1alpha1.OwnerNamespaceLabel, "office")), nil, nil, false},
		{"its labels name another cache", newNamespace(ours, labelled(v1alpha1.OwnerNameLabel, "orders")), nil, nil, false},
		{"it has no labels", newNamespace(ours, stripped), nil, nil, false},
		{"its labels are copied", newNamespace(wrote("kubectl", metav1.ManagedFieldsOperationApply, ownerField)), nil, nil, false},
		{"its labels are written in our name, but not applied", newNamespace(wrote(v1alpha1.FieldManager, metav1.ManagedFieldsOperationUpdate, ownerField)), nil, nil, false},
		{"we applied another label of it", newNamespace(wrote(v1alpha1.FieldManager, metav1.ManagedFieldsOperationApply, `{"f:metadata":{"f:labels":{"f:a":{}}}}`)), nil, nil, false},
		{"who wrote it cannot be read", newNamespace(wrote(v1alpha1.FieldManager, metav1.ManagedFieldsOperationApply, `{"f:metadata":`)), nil, nil, false},
		{"nobody wrote it", newNamespace(), nil, nil, false},
		{"others wrote it as well", newNamespace(wrote("kubectl", metav1.ManagedFieldsOperationUpdate, `{"f:metadata":{}}`), ours), nil, nil, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			observer := &Observer{Cached: one{tc.namespace}}
			_, _, observer.Live = newObserver(t, nil, tc.live)
			got, err := observer.Leftover(t.Context(), types.NamespacedName{Namespace: "shop", Name: "orders-cache"}, tc.present)
			if err != nil || (got != nil) != tc.found {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
}

// A cache of which nothing can be learnt is not known to be gone.
func TestLeftoverNeedsToKnow(t *testing.T) {
	observer, _, live := newObserver(t, nil, nil)
	observer.Cached = one{newNamespace(wrote(v1alpha1.FieldManager, metav1.ManagedFieldsOperationApply, ownerField))}
	live.fails = "get *v1alpha1.DistributedCache shop/orders-cache"
	got, err := observer.Leftover(t.Context(), types.NamespacedName{Namespace: "shop", Name: "orders-cache"}, nil)
	if got != nil || !errors.Is(err, errRefused) {
		t.Errorf("got %v, %v", got, err)
	}
}

// one is a reader of one namespace, as it is: the fake client rewrites managedFields.
type one struct{ namespace *corev1.Namespace }

func (o one) Get(_ context.Context, key client.ObjectKey, object client.Object, _ ...client.GetOption) error {
	if o.namespace == nil || o.namespace.Name != key.Name {
		return apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, key.Name)
	}
	o.namespace.DeepCopyInto(object.(*corev1.Namespace))
	return nil
}

func (o one) List(context.Context, client.ObjectList, ...client.ListOption) error { return errRefused }
