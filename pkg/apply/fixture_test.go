package apply

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

const manager = "operator"

var owner = Owner{Kind: "Cache", Name: "orders", UID: "owner-uid", Labels: map[string]string{"owner": "orders", "made-by": "operator"}}

// newService is a rendered Service of the owner with the given class.
func newService(class string) *corev1ac.ServiceApplyConfiguration {
	return corev1ac.Service("orders-cache", "shop").
		WithLabels(map[string]string{"owner": "orders", "made-by": "operator", "class": class}).
		WithOwnerReferences(metav1ac.OwnerReference().WithAPIVersion("v1").WithKind("Cache").WithName("orders").
			WithUID("owner-uid").WithController(true)).
		WithSpec(corev1ac.ServiceSpec().WithClusterIP("None").WithSelector(map[string]string{"app": "orders"}))
}

func newServer() client.Client { return fake.NewClientBuilder().WithReturnManagedFields().Build() }

// standing is the Service as it is read after it was applied.
func standing(t *testing.T, class string) *corev1.Service {
	t.Helper()
	server := newServer()
	if err := server.Apply(t.Context(), newService(class), client.FieldOwner(manager)); err != nil {
		t.Fatal(err)
	}
	service := read(t, server)
	service.UID, service.ResourceVersion = "service-uid", "42"
	return service
}

func read(t *testing.T, server client.Client) *corev1.Service {
	t.Helper()
	service := &corev1.Service{}
	if err := server.Get(t.Context(), client.ObjectKey{Namespace: "shop", Name: "orders-cache"}, service); err != nil {
		t.Fatal(err)
	}
	return service
}

// holder is an object that holds the wanted name.
func holder(labels map[string]string, controllers ...metav1.OwnerReference) *corev1.Service {
	return &corev1.Service{ObjectMeta: metav1.ObjectMeta{
		Name: "orders-cache", Namespace: "shop", UID: "holder-uid", Labels: labels, OwnerReferences: controllers,
	}}
}

func controller(kind, name string, uid types.UID) metav1.OwnerReference {
	return metav1.OwnerReference{APIVersion: "v1", Kind: kind, Name: name, UID: uid, Controller: new(true)}
}

// request is what matters of an apply that was sent.
type request struct {
	Kind, Name, UID, ResourceVersion, Class string
}

// writer stands for the API server: it notes what it is sent and gives its answers in turn, then
// accepts.
type writer struct {
	t       *testing.T
	sent    []request
	deleted []string
	answers []error
	managed []metav1.ManagedFieldsEntry
}

func (w *writer) Delete(_ context.Context, object client.Object, options ...client.DeleteOption) error {
	chosen := &client.DeleteOptions{}
	chosen.ApplyOptions(options)
	w.deleted = append(w.deleted, fmt.Sprintf("%s %s at %s", object.GetName(), *chosen.Preconditions.UID, *chosen.Preconditions.ResourceVersion))
	return w.answers[0]
}

func (w *writer) Apply(_ context.Context, object runtime.ApplyConfiguration, options ...client.ApplyOption) error {
	w.t.Helper()
	chosen := &client.ApplyOptions{}
	chosen.ApplyOptions(options)
	if chosen.FieldManager != manager || chosen.Force == nil || !*chosen.Force {
		w.t.Errorf("sent by %q, force %v", chosen.FieldManager, chosen.Force)
	}
	data, err := json.Marshal(object)
	if err != nil {
		return err
	}
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(data); err != nil {
		return err
	}
	w.sent = append(w.sent, request{u.GetKind(), u.GetName(), string(u.GetUID()), u.GetResourceVersion(), u.GetLabels()["class"]})
	if i := len(w.sent) - 1; i < len(w.answers) && w.answers[i] != nil {
		return w.answers[i]
	}
	object.(interface {
		SetManagedFields([]metav1.ManagedFieldsEntry)
	}).SetManagedFields(w.managed)
	return nil
}
