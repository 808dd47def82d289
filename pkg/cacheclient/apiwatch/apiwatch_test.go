package apiwatch_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/cacheclient"
	"github.com/sk1-services/distributed-cache/pkg/cacheclient/apiwatch"
	"github.com/sk1-services/distributed-cache/pkg/ring"
)

func newRing(owner, text string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "orders-cache-ring", Namespace: "shop"},
		Data:       map[string]string{v1alpha1.RingKey: text, v1alpha1.OwnerUIDKey: owner},
	}
}

func snapshot(owner string, version int64, members ...string) cacheclient.Snapshot {
	return cacheclient.Snapshot{Owner: owner, Ring: ring.Document{Version: version, Members: members}}
}

// watching is a source at work before a server of its own.
type watching struct {
	*fake.Clientset
	seen  chan cacheclient.Snapshot
	ended chan error
	stop  context.CancelFunc
}

// start runs a source and returns when its watch stands.
func start(t *testing.T, objects ...*corev1.ConfigMap) *watching {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	w := &watching{Clientset: fake.NewClientset(), seen: make(chan cacheclient.Snapshot, 16), ended: make(chan error, 1), stop: stop}
	for _, object := range objects {
		if err := w.Tracker().Add(object); err != nil {
			t.Fatal(err)
		}
	}
	stands := make(chan struct{}, 16)
	w.PrependWatchReactor("configmaps", func(action clienttesting.Action) (bool, watch.Interface, error) {
		options := action.(clienttesting.WatchActionImpl).ListOptions
		stream, err := w.Tracker().Watch(action.GetResource(), action.GetNamespace(), options)
		stands <- struct{}{}
		return true, stream, err
	})
	source := apiwatch.Source{Client: w, Namespace: "shop", Cache: "orders-cache"}
	go func() { w.ended <- source.Run(ctx, func(s cacheclient.Snapshot) { w.seen <- s }) }()
	<-stands
	return w
}

func (w *watching) update(t *testing.T, object *corev1.ConfigMap) {
	t.Helper()
	if _, err := w.CoreV1().ConfigMaps("shop").Update(t.Context(), object, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// next compares the next ring that is published.
func (w *watching) next(t *testing.T, want cacheclient.Snapshot) {
	t.Helper()
	if diff := cmp.Diff(want, <-w.seen); diff != "" {
		t.Errorf("-want +published:\n%s", diff)
	}
}

func (w *watching) end(t *testing.T) {
	t.Helper()
	w.stop()
	if err := <-w.ended; err != nil {
		t.Errorf("Run: %v", err)
	}
	close(w.seen)
	for s := range w.seen {
		t.Errorf("also published: %v", s)
	}
}

const one, two = `{"version":4,"members":["orders-cache-0"]}`, `{"version":5,"members":["orders-cache-0","orders-cache-1"]}`

// Rings are published in the order in which they come; a malformed one is passed over.
func TestRun(t *testing.T) {
	w := start(t, newRing("uid", one))
	w.next(t, snapshot("uid", 4, "orders-cache-0"))
	w.update(t, newRing("uid", two))
	w.next(t, snapshot("uid", 5, "orders-cache-0", "orders-cache-1"))
	w.update(t, newRing("uid", "{"))
	w.update(t, &corev1.ConfigMap{ObjectMeta: newRing("", "").ObjectMeta})
	w.update(t, newRing("uid", `{"version":7,"members":[]}`))
	w.next(t, cacheclient.Snapshot{Owner: "uid", Ring: ring.Document{Version: 7, Members: []string{}}})
	if err := w.CoreV1().ConfigMaps("shop").Delete(t.Context(), "orders-cache-ring", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.CoreV1().ConfigMaps("shop").Create(t.Context(), newRing("new", one), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	w.next(t, snapshot("new", 4, "orders-cache-0"))
	w.end(t)
}

func TestRunWaitsForTheRingToAppear(t *testing.T) {
	w := start(t)
	if _, err := w.CoreV1().ConfigMaps("shop").Create(t.Context(), newRing("uid", one), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	w.next(t, snapshot("uid", 4, "orders-cache-0"))
	w.end(t)
}

// The source asks for that one ConfigMap and nothing else.
func TestRunAsksForTheRingAlone(t *testing.T) {
	w := start(t)
	w.end(t)
	for _, action := range w.Actions() {
		if action.GetNamespace() != "shop" || action.GetResource().Resource != "configmaps" {
			t.Errorf("asked %v", action)
		}
		var selector string
		switch a := action.(type) {
		case clienttesting.ListActionImpl:
			selector = a.ListRestrictions.Fields.String()
		case clienttesting.WatchActionImpl:
			selector = a.WatchRestrictions.Fields.String()
		default:
			t.Errorf("asked %v", action)
		}
		if selector != "metadata.name=orders-cache-ring" {
			t.Errorf("%s with the field selector %q", action.GetVerb(), selector)
		}
	}
	if len(w.Actions()) < 2 {
		t.Errorf("asked only %v", w.Actions())
	}
}

func TestRunNeedsToKnowWhatToWatch(t *testing.T) {
	client := fake.NewClientset()
	for name, source := range map[string]apiwatch.Source{
		"no client":    {Namespace: "shop", Cache: "orders-cache"},
		"no namespace": {Client: client, Cache: "orders-cache"},
		"no cache":     {Client: client, Namespace: "shop"},
	} {
		err := source.Run(t.Context(), func(cacheclient.Snapshot) { t.Errorf("%s: published", name) })
		if err == nil || !strings.Contains(err.Error(), "Client, Namespace and Cache are required") {
			t.Errorf("%s: %v", name, err)
		}
	}
	source := apiwatch.Source{Client: client, Namespace: "shop", Cache: "orders-cache", Refresh: -1}
	if err := source.Run(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "Refresh is negative") {
		t.Errorf("Refresh: %v", err)
	}
}

func TestDecode(t *testing.T) {
	got, err := apiwatch.Decode(newRing("uid", one))
	if diff := cmp.Diff(snapshot("uid", 4, "orders-cache-0"), got); diff != "" || err != nil {
		t.Errorf("%v, -want +got:\n%s", err, diff)
	}
	for name, text := range map[string]string{
		"nothing": "", "no JSON": "version: 4", "version zero": `{"version":0,"members":[]}`,
		"no members": `{"version":1}`, "members out of order": `{"version":1,"members":["a-1","a-0"]}`,
	} {
		got, err := apiwatch.Decode(newRing("uid", text))
		if !errors.Is(err, ring.ErrMalformed) || !strings.Contains(err.Error(), "ring.json of ConfigMap shop/orders-cache-ring") {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(cacheclient.Snapshot{}, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
	if _, err := apiwatch.Decode(newRing("", one)); !errors.Is(err, ring.ErrMalformed) || !strings.Contains(err.Error(), "owner-uid") {
		t.Errorf("without an owner: %v", err)
	}
}

// The client's room may not know the names of Kubernetes objects, and has them written down anew.
func TestInCluster(t *testing.T) {
	got := cacheclient.InCluster("orders-cache", "shop")("orders-cache-0")
	if want := fmt.Sprintf("orders-cache-0.%s.shop.svc.cluster.local:%d", v1alpha1.ServiceName("orders-cache"), v1alpha1.Port); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
