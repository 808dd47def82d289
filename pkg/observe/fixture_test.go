package observe

import (
	"context"
	"fmt"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
)

var epoch = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

const uid = "11111111-2222-3333-4444-555555555555"

func newCache() *v1alpha1.DistributedCache {
	cache := &v1alpha1.DistributedCache{}
	cache.Name, cache.Namespace, cache.UID = "orders-cache", "shop", uid
	return cache
}

func meta(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: name, Namespace: "shop"} }

// newPod is a pod of the cache, as its StatefulSet makes it.
func newPod(name string, changes ...func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: meta(name)}
	p.Labels = map[string]string{v1alpha1.OwnerUIDLabel: uid}
	controlledBy("StatefulSet", "orders-cache")(p)
	for _, change := range changes {
		change(p)
	}
	return p
}

func controlledBy(kind, name string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.OwnerReferences = []metav1.OwnerReference{{Kind: kind, Name: name, Controller: new(true)}}
	}
}

func orphan(p *corev1.Pod) { p.OwnerReferences = nil }

func newSet(replicas, running int32) *appsv1.StatefulSet {
	set := &appsv1.StatefulSet{ObjectMeta: meta("orders-cache")}
	set.UID, set.Generation = "set-uid", 2
	set.Spec.Replicas = &replicas
	set.Status.ObservedGeneration, set.Status.Replicas = 2, running
	return set
}

func newRing(text string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: meta("orders-cache-ring"), Data: map[string]string{
		v1alpha1.RingKey: text, v1alpha1.OwnerUIDKey: uid,
	}}
}

func newEvent(name, reason, kind, message string, second int) *corev1.Event {
	return &corev1.Event{
		ObjectMeta:     meta(name),
		InvolvedObject: corev1.ObjectReference{UID: "set-uid", Kind: "StatefulSet"},
		Reason:         reason, Type: kind, Message: message,
		LastTimestamp: metav1.NewTime(epoch.Add(time.Duration(second) * time.Second)),
	}
}

// noted is a reader that notes what it is asked, and fails what is asked of a kind if told so.
type noted struct {
	client.Reader
	asked []string
	fails string
}

func (n *noted) Get(ctx context.Context, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
	return n.note(fmt.Sprintf("get %T %s", object, key), func() error { return n.Reader.Get(ctx, key, object, options...) })
}

func (n *noted) List(ctx context.Context, list client.ObjectList, options ...client.ListOption) error {
	return n.note(fmt.Sprintf("list %T", list), func() error { return n.Reader.List(ctx, list, options...) })
}

func (n *noted) note(question string, ask func() error) error {
	n.asked = append(n.asked, question)
	if n.fails == question {
		return errRefused
	}
	return ask()
}

// newObserver reads the given objects; live holds those that only the API server shows.
func newObserver(t *testing.T, cached, live []client.Object) (observer *Observer, cache, server *noted) {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	event := func(pick func(*corev1.Event) string) client.IndexerFunc {
		return func(object client.Object) []string { return []string{pick(object.(*corev1.Event))} }
	}
	reader := func(objects []client.Object) *noted {
		return &noted{Reader: fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).
			WithIndex(&corev1.Event{}, "involvedObject.uid", event(func(e *corev1.Event) string { return string(e.InvolvedObject.UID) })).
			WithIndex(&corev1.Event{}, "reason", event(func(e *corev1.Event) string { return e.Reason })).
			WithIndex(&corev1.Event{}, "type", event(func(e *corev1.Event) string { return e.Type })).
			Build()}
	}
	cache, server = reader(cached), reader(live)
	return &Observer{Cached: cache, Live: server}, cache, server
}
