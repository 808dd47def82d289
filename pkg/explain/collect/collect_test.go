package collect_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/explain"
	"github.com/sk1-services/distributed-cache/pkg/explain/collect"
)

var epoch = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

const uid = "11111111-2222-3333-4444-555555555555"

func object(namespace, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Namespace: namespace, Name: name, CreationTimestamp: metav1.NewTime(epoch.Add(-time.Hour)),
		Labels: map[string]string{
			v1alpha1.ManagedByLabel: v1alpha1.FieldManager, v1alpha1.OwnerUIDLabel: uid,
			v1alpha1.OwnerNamespaceLabel: "shop", v1alpha1.OwnerNameLabel: "orders-cache",
		},
	}
}

func event(name, namespace, kind, of string, age time.Duration) *corev1.Event {
	return &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Namespace: namespace, Name: name, CreationTimestamp: metav1.NewTime(epoch.Add(-age))},
		InvolvedObject: corev1.ObjectReference{Kind: kind, Namespace: namespace, Name: of},
		Message:        name,
	}
}

// world is a cache of two pods with its objects, in its cell if isolated.
func world(isolated bool) []client.Object {
	cache := &v1alpha1.DistributedCache{ObjectMeta: object("shop", "orders-cache")}
	cache.UID, cache.Finalizers = uid, []string{v1alpha1.Finalizer}
	cache.Spec.Replicas, cache.Spec.Tenant.Isolate = new(int32(2)), isolated
	cache.Spec.Tenant.Clients = []metav1.LabelSelector{{MatchLabels: map[string]string{"team": "web"}}}
	cache.Status.RingVersion = 1
	home := cache.Home()
	set := &appsv1.StatefulSet{ObjectMeta: object(home, "orders-cache")}
	set.UID, set.Spec.Replicas, set.Status.Replicas = "set-uid", new(int32(2)), 2
	objects := []client.Object{
		cache, set, &corev1.Service{ObjectMeta: object(home, "orders-cache")},
		&corev1.ConfigMap{ObjectMeta: object(home, "orders-cache-ring"), Data: map[string]string{
			v1alpha1.RingKey: `{"version":1,"members":["orders-cache-0","orders-cache-1"]}`, v1alpha1.OwnerUIDKey: uid,
		}},
	}
	for i := range 2 {
		pod := &corev1.Pod{ObjectMeta: object(home, v1alpha1.PodName("orders-cache", i))}
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(epoch.Add(-time.Hour))}}
		objects = append(objects, pod)
	}
	if isolated {
		cache.Status.CellUID = "cell-uid"
		namespace := &corev1.Namespace{ObjectMeta: object("", home)}
		namespace.UID = "cell-uid"
		objects = append(objects, namespace, &corev1.ResourceQuota{ObjectMeta: object(home, "orders-cache")}, &networkingv1.NetworkPolicy{ObjectMeta: object(home, "orders-cache")})
	}
	return append(objects,
		event("pod", home, "Pod", "orders-cache-0", time.Minute),
		event("pod-that-is-gone", home, "Pod", "orders-cache-7", time.Minute),
		event("neighbour", home, "Pod", "orders-cache-two-0", time.Minute),
		event("not-ours", home, "Deployment", "orders-cache", time.Minute),
		event("set", home, "StatefulSet", "orders-cache", time.Minute),
		event("of-a-former-cache", home, "StatefulSet", "orders-cache", 2*time.Hour),
		event("ring", home, "ConfigMap", "orders-cache-ring", time.Minute),
		event("cache", "shop", v1alpha1.Kind, "orders-cache", time.Minute),
	)
}

// forbid refuses to read the kinds, in the API server's manner.
func forbid(kinds ...string) interceptor.Funcs {
	refuse := func(object any) error {
		kind := strings.TrimSuffix(strings.TrimPrefix(fmt.Sprintf("%T", object), "*v1."), "List")
		if slices.Contains(kinds, kind) || slices.Contains(kinds, fmt.Sprintf("%T", object)) {
			return apierrors.NewForbidden(schema.GroupResource{Resource: kind}, "", errors.New("no RBAC policy matched"))
		}
		return nil
	}
	return interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
			if err := refuse(object); err != nil {
				return err
			}
			return c.Get(ctx, key, object, options...)
		},
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, options ...client.ListOption) error {
			if err := refuse(list); err != nil {
				return err
			}
			return c.List(ctx, list, options...)
		},
	}
}

func reader(t *testing.T, objects []client.Object, funcs interceptor.Funcs) client.Reader {
	t.Helper()
	scheme, err := collect.Scheme()
	if err != nil {
		t.Fatal(err)
	}
	return fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).WithInterceptorFuncs(funcs).Build()
}

var key = types.NamespacedName{Namespace: "shop", Name: "orders-cache"}

func TestFacts(t *testing.T) {
	for name, isolated := range map[string]bool{"beside its cache": false, "in a cell": true} {
		t.Run(name, func(t *testing.T) {
			facts, err := collect.Facts(t.Context(), reader(t, world(isolated), interceptor.Funcs{}), key)
			if err != nil {
				t.Fatal(err)
			}
			w := facts.World
			if w.Service == nil || w.StatefulSet == nil || w.Ring == nil || len(w.Pods) != 2 || len(facts.Unread) > 0 {
				t.Errorf("read %+v, unread %v", w, facts.Unread)
			}
			if isolated && (w.Cell == nil || w.Cell.Namespace == nil || w.Cell.Quota == nil || w.Cell.Policy == nil) {
				t.Errorf("of the cell was read %+v", w.Cell)
			}
			var of []string
			for _, e := range facts.Events {
				of = append(of, e.Name)
			}
			slices.Sort(of)
			if want := []string{"cache", "pod", "pod-that-is-gone", "ring", "set"}; !slices.Equal(of, want) {
				t.Errorf("events %v, want %v", of, want)
			}
		})
	}
}

// Whoever may read the cache gets an answer, whatever else may not be read.
func TestForbidden(t *testing.T) {
	all := []string{"Pod", "ConfigMap", "StatefulSet", "Service", "Event", "Namespace", "ResourceQuota", "NetworkPolicy"}
	for _, kind := range all {
		facts, err := collect.Facts(t.Context(), reader(t, world(true), forbid(kind)), key)
		if err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		if len(facts.Unread) != 1 || facts.Unread[0].Kind != kind || !strings.Contains(facts.Unread[0].Message, "no RBAC policy matched") {
			t.Errorf("%s: unread are %v", kind, facts.Unread)
		}
		if kind != "Pod" && len(facts.World.Pods) != 2 {
			t.Errorf("%s: %d pods were read", kind, len(facts.World.Pods))
		}
		if e := explain.Explain(facts, epoch, explain.Options{}); e.Summary == "" {
			t.Errorf("%s: no summary", kind)
		}
	}
	facts, err := collect.Facts(t.Context(), reader(t, world(false), forbid(all...)), key)
	if err != nil || len(facts.Unread) != 5 {
		t.Errorf("%v, unread are %v", err, facts.Unread)
	}
	if e := explain.Explain(facts, epoch, explain.Options{}); e.Verdict != explain.Unknown {
		t.Errorf("the verdict is %s though nothing was read", e.Verdict)
	}
}

// What no explanation uses is not missed.
func TestForbiddenAndUnused(t *testing.T) {
	facts, err := collect.Facts(t.Context(), reader(t, world(true), forbid("*v1.NamespaceList", "Role", "RoleBinding")), key)
	if err != nil || len(facts.Unread) != 0 {
		t.Errorf("%v, unread are %v", err, facts.Unread)
	}
}

func TestErrors(t *testing.T) {
	fails := func(err error) interceptor.Funcs {
		return interceptor.Funcs{Get: func(context.Context, client.WithWatch, client.ObjectKey, client.Object, ...client.GetOption) error {
			return err
		}}
	}
	for name, tc := range map[string]struct {
		funcs interceptor.Funcs
		says  string
	}{
		"the cache is forbidden":  {forbid("*v1alpha1.DistributedCache"), "to explain DistributedCache shop/orders-cache you need the right to get it"},
		"the kind is not known":   {fails(&meta.NoKindMatchError{GroupKind: schema.GroupKind{Group: v1alpha1.Group, Kind: v1alpha1.Kind}}), "install the operator"},
		"the server is not there": {fails(errors.New("connection refused")), "read DistributedCache shop/orders-cache: connection refused"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := collect.Facts(t.Context(), reader(t, world(false), tc.funcs), key)
			if err == nil || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("got %v, want an error that says %s", err, tc.says)
			}
		})
	}
}

func TestMissing(t *testing.T) {
	cache := func(namespace, name string) client.Object {
		return &v1alpha1.DistributedCache{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	}
	for name, tc := range map[string]struct {
		there []client.Object
		want  string
	}{
		"none":           {nil, "there is no DistributedCache orders-cache in namespace shop, and no other"},
		"a misspelt one": {[]client.Object{cache("shop", "order-cache"), cache("shop", "sessions")}, "there is no DistributedCache orders-cache in namespace shop; did you mean order-cache?"},
		"a longer one":   {[]client.Object{cache("shop", "orders-cache-for-europe")}, "there is no DistributedCache orders-cache in namespace shop; did you mean orders-cache-for-europe?"},
		"others":         {[]client.Object{cache("shop", "sessions"), cache("shop", "baskets")}, "there is no DistributedCache orders-cache in namespace shop; there are sessions, baskets"},
		"elsewhere":      {[]client.Object{cache("web", "orders-cache"), cache("shop", "order-cache")}, "there is no DistributedCache orders-cache in namespace shop; there is one in namespace web"},
		"very many": {
			[]client.Object{cache("shop", "a-1"), cache("shop", "a-2"), cache("shop", "a-3"), cache("shop", "a-4"), cache("shop", "a-5"), cache("shop", "a-6")},
			"there is no DistributedCache orders-cache in namespace shop; there are a-1, a-2, a-3, a-4, a-5 and 1 more",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := collect.Facts(t.Context(), reader(t, tc.there, interceptor.Funcs{}), key)
			var missing *collect.MissingError
			if !errors.As(err, &missing) || !apierrors.IsNotFound(err) || err.Error() != tc.want {
				t.Errorf("got %v, want %s", err, tc.want)
			}
		})
	}
}
