package observe

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
)

var errRefused = errors.New("refused")

func TestCache(t *testing.T) {
	observer, cached, _ := newObserver(t, []client.Object{newCache()}, nil)
	got, err := observer.Cache(t.Context(), types.NamespacedName{Namespace: "shop", Name: "orders-cache"})
	if err != nil || got == nil || got.UID != uid {
		t.Errorf("got %v, %v", got, err)
	}
	got, err = observer.Cache(t.Context(), types.NamespacedName{Namespace: "shop", Name: "gone"})
	if err != nil || got != nil {
		t.Errorf("of a cache that is gone: %v, %v", got, err)
	}
	cached.fails = "get *v1alpha1.DistributedCache shop/orders-cache"
	if _, err = observer.Cache(t.Context(), types.NamespacedName{Namespace: "shop", Name: "orders-cache"}); !errors.Is(err, errRefused) {
		t.Errorf("got %v", err)
	}
}

func TestObserveNothing(t *testing.T) {
	observer, _, live := newObserver(t, nil, nil)
	w, err := observer.Observe(t.Context(), newCache())
	if err != nil {
		t.Fatal(err)
	}
	if w.Service != nil || w.StatefulSet != nil || w.Ring != nil || len(w.Pods) != 0 || w.Refusal != "" {
		t.Errorf("got %+v", w)
	}
	if len(live.asked) != 0 {
		t.Errorf("the API server was asked: %q", live.asked)
	}
}

// In the steady state everything comes from the informers.
func TestObserveSteadyState(t *testing.T) {
	observer, _, live := newObserver(t, []client.Object{
		&corev1.Service{ObjectMeta: meta("orders-cache")}, newSet(1, 1), newRing(`{}`), newPod("orders-cache-0"),
	}, nil)
	cache := newCache()
	cache.Status.RingVersion = 4
	w, err := observer.Observe(t.Context(), cache)
	if err != nil {
		t.Fatal(err)
	}
	if w.Cache != cache || w.Service == nil || w.StatefulSet == nil || w.Ring == nil || len(w.Pods) != 1 {
		t.Errorf("got %+v", w)
	}
	if len(live.asked) != 0 {
		t.Errorf("the API server was asked: %q", live.asked)
	}
}

// A ring that the informers do not show is looked for at the API server if there ever was one.
func TestRingIsSoughtOnlyIfItWasPublished(t *testing.T) {
	for _, tc := range []struct {
		name    string
		version int64
		cached  []client.Object
		live    []client.Object
		found   bool
		asked   []string
	}{
		{"never published", 0, nil, []client.Object{newRing("x")}, false, nil},
		{"published and seen", 4, []client.Object{newRing("x")}, nil, true, nil},
		{"published and without labels", 4, nil, []client.Object{newRing("x")}, true, []string{"get *v1.ConfigMap shop/orders-cache-ring"}},
		{"published and lost", 4, nil, nil, false, []string{"get *v1.ConfigMap shop/orders-cache-ring"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			observer, _, live := newObserver(t, tc.cached, tc.live)
			cache := newCache()
			cache.Status.RingVersion = tc.version
			w, err := observer.Observe(t.Context(), cache)
			if err != nil || (w.Ring != nil) != tc.found {
				t.Errorf("got %v, %v", w.Ring, err)
			}
			if diff := cmp.Diff(tc.asked, live.asked); diff != "" {
				t.Errorf("asked of the API server: -want +got:\n%s", diff)
			}
		})
	}
}

// Labels alone do not make a member.
func TestPods(t *testing.T) {
	for _, tc := range []struct {
		name  string
		given []client.Object
		want  []string
	}{
		{
			"the StatefulSet's pods, in order of their ordinals",
			[]client.Object{newPod("orders-cache-10"), newPod("orders-cache-2"), newPod("orders-cache-0")},
			[]string{"orders-cache-0", "orders-cache-2", "orders-cache-10"},
		},
		{"a pod whose StatefulSet was deleted without it", []client.Object{newPod("orders-cache-0", orphan)}, []string{"orders-cache-0"}},
		{"a pod of a Deployment", []client.Object{newPod("orders-cache-0", controlledBy("Deployment", "orders-cache"))}, nil},
		{"a pod of another StatefulSet", []client.Object{newPod("orders-cache-0", controlledBy("StatefulSet", "other"))}, nil},
		{"a pod without an ordinal", []client.Object{newPod("orders-cache-debug", orphan)}, nil},
		{"a pod with a sign before its ordinal", []client.Object{newPod("orders-cache-+1", orphan)}, nil},
		{"a pod of another name", []client.Object{newPod("orders-0", orphan)}, nil},
		{"a pod of a cache whose name begins the same", []client.Object{newPod("orders-cache2-0", orphan)}, nil},
		{"a pod of a former cache of this name", []client.Object{newPod("orders-cache-0", func(p *corev1.Pod) { p.Labels[v1alpha1.OwnerUIDLabel] = "former" })}, nil},
		{"a pod in another namespace", []client.Object{newPod("orders-cache-0", func(p *corev1.Pod) { p.Namespace = "elsewhere" })}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			observer, _, _ := newObserver(t, tc.given, nil)
			w, err := observer.Observe(t.Context(), newCache())
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, p := range w.Pods {
				names = append(names, p.Name)
			}
			if diff := cmp.Diff(tc.want, names); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// A read that fails ends the observation, names its object and still gives the cache.
func TestObserveFails(t *testing.T) {
	for _, tc := range []struct{ cached, live, says string }{
		{"get *v1.Service shop/orders-cache", "", "read *v1.Service shop/orders-cache: refused"},
		{"get *v1.StatefulSet shop/orders-cache", "", "read *v1.StatefulSet shop/orders-cache: refused"},
		{"get *v1.ConfigMap shop/orders-cache-ring", "", "read *v1.ConfigMap shop/orders-cache-ring: refused"},
		{"", "get *v1.ConfigMap shop/orders-cache-ring", "read *v1.ConfigMap shop/orders-cache-ring: refused"},
		{"list *v1.PodList", "", "list the pods of shop/orders-cache: refused"},
		{"", "list *v1.EventList", "list the events of StatefulSet shop/orders-cache: refused"},
	} {
		t.Run(tc.cached+tc.live, func(t *testing.T) {
			observer, cached, live := newObserver(t, []client.Object{newSet(3, 1)}, nil)
			cached.fails, live.fails = tc.cached, tc.live
			cache := newCache()
			cache.Status.RingVersion = 4
			w, err := observer.Observe(t.Context(), cache)
			if !errors.Is(err, errRefused) || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("got %v, want %q", err, tc.says)
			}
			if w == nil || w.Cache != cache {
				t.Errorf("got the world %v", w)
			}
		})
	}
}
