package observe

import (
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// What a plan is confirmed on comes from the API server alone, and is of the very same cache.
func TestObserveLive(t *testing.T) {
	live := newCache()
	live.Spec.Paused = true
	observer, cached, _ := newObserver(t, []client.Object{newPod("orders-cache-7")}, []client.Object{
		live, &corev1.Service{ObjectMeta: meta("orders-cache")}, newSet(1, 1), newRing(ringText), newPod("orders-cache-0"),
	})
	w, err := observer.ObserveLive(t.Context(), newCache())
	if err != nil {
		t.Fatal(err)
	}
	if !w.Cache.Spec.Paused || w.Service == nil || w.StatefulSet == nil || w.Ring == nil || len(w.Pods) != 1 || w.Pods[0].Name != "orders-cache-0" {
		t.Errorf("got %+v", w)
	}
	if len(cached.asked) != 0 {
		t.Errorf("the informers were asked: %q", cached.asked)
	}
}

func TestObserveLiveOfACacheThatIsNoMore(t *testing.T) {
	successor := newCache()
	successor.UID = "successor"
	for name, objects := range map[string][]client.Object{"gone": nil, "replaced": {successor}} {
		observer, _, _ := newObserver(t, []client.Object{newCache()}, objects)
		if w, err := observer.ObserveLive(t.Context(), newCache()); w != nil || err != nil {
			t.Errorf("%s: %v, %v", name, w, err)
		}
	}
}

func TestObserveLiveFails(t *testing.T) {
	for _, question := range []string{"get *v1alpha1.DistributedCache shop/orders-cache", "list *v1.PodList"} {
		observer, _, live := newObserver(t, nil, []client.Object{newCache()})
		live.fails = question
		if _, err := observer.ObserveLive(t.Context(), newCache()); !errors.Is(err, errRefused) {
			t.Errorf("%s: %v", question, err)
		}
	}
}
