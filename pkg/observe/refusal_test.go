package observe

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const quotaMessage = `create Pod orders-cache-2 in StatefulSet orders-cache failed error: pods "orders-cache-2" is forbidden: exceeded quota: small, requested: pods=1, used: pods=2, limited: pods=2`

func TestRefusalIsTheLatestOfTheSetsOwn(t *testing.T) {
	events := []client.Object{
		newEvent("old", "FailedCreate", "Warning", "error: old", 1),
		newEvent("latest", "FailedCreate", "Warning", quotaMessage, 9),
		newEvent("middle", "FailedCreate", "Warning", "error: middle", 5),
		newEvent("another-reason", "FailedDelete", "Warning", "error: another reason", 20),
		newEvent("good-news", "FailedCreate", "Normal", "error: no warning", 20),
	}
	stranger := newEvent("another-object", "FailedCreate", "Warning", "error: another object", 20)
	stranger.InvolvedObject.UID = "another-uid"
	elsewhere := newEvent("elsewhere", "FailedCreate", "Warning", "error: elsewhere", 20)
	elsewhere.Namespace = "elsewhere"
	const want = "exceeded quota: small, requested: pods=1, used: pods=2, limited: pods=2"

	observer, _, _ := newObserver(t, []client.Object{newSet(3, 2)}, append(events, stranger, elsewhere))
	w, err := observer.Observe(t.Context(), newCache())
	if err != nil || w.Refusal != want {
		t.Errorf("got %q, %v; want %q", w.Refusal, err, want)
	}
}

// Events are asked for only while the StatefulSet's controller has tried and lacks pods.
func TestRefusalIsSoughtOnlyWhilePodsAreMissing(t *testing.T) {
	for _, tc := range []struct {
		name  string
		set   *appsv1.StatefulSet
		asked bool
	}{
		{"no StatefulSet", nil, false},
		{"all pods are there", newSet(3, 3), false},
		{"more pods than wanted", newSet(3, 4), false},
		{"pods are missing", newSet(3, 2), true},
		{"the controller has not seen the change", func() *appsv1.StatefulSet { s := newSet(3, 2); s.Generation = 3; return s }(), false},
		{"the size is not set", func() *appsv1.StatefulSet { s := newSet(3, 0); s.Spec.Replicas = nil; return s }(), false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var cached []client.Object
			if tc.set != nil {
				cached = []client.Object{tc.set}
			}
			event := newEvent("e", "FailedCreate", "Warning", "error: no", 1)
			observer, _, live := newObserver(t, cached, []client.Object{event})
			w, err := observer.Observe(t.Context(), newCache())
			if err != nil {
				t.Fatal(err)
			}
			if asked := len(live.asked) > 0; asked != tc.asked || (w.Refusal != "") != tc.asked {
				t.Errorf("asked %q, refusal %q", live.asked, w.Refusal)
			}
		})
	}
}

func TestMissingPodsWithoutAnEvent(t *testing.T) {
	observer, _, _ := newObserver(t, []client.Object{newSet(3, 2)}, nil)
	if w, err := observer.Observe(t.Context(), newCache()); err != nil || w.Refusal != "" {
		t.Errorf("got %q, %v", w.Refusal, err)
	}
}

func TestReasonOf(t *testing.T) {
	for name, tc := range map[string]struct{ message, want string }{
		"nothing":         {"", ""},
		"a quota":         {quotaMessage, "exceeded quota: small, requested: pods=1, used: pods=2, limited: pods=2"},
		"a webhook":       {`create Pod a-1 in StatefulSet a failed error: admission webhook "x" denied the request: no`, `admission webhook "x" denied the request: no`},
		"an unknown text": {"something else", "something else"},
	} {
		if got := reasonOf(tc.message); got != tc.want {
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		}
	}
}
