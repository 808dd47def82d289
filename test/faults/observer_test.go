//go:build integration

package faults

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/controller"
	"github.com/sk1-services/distributed-cache/test/faults/proxy"
	"github.com/sk1-services/distributed-cache/test/history"
)

// observer sees everything by watches that do not pass the proxy.
type observer struct {
	mu     sync.Mutex
	events map[string][]history.Event
}

func observe(t *testing.T, config *rest.Config) *observer {
	t.Helper()
	o := &observer{events: map[string][]history.Event{}}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	c, err := cache.New(config, cache.Options{Scheme: controller.Scheme()})
	check(t, err)
	for _, object := range []client.Object{&v1alpha1.DistributedCache{}, &corev1.ConfigMap{}, &appsv1.StatefulSet{}, &corev1.Pod{}} {
		informer, err := c.GetInformer(ctx, object)
		check(t, err)
		_, err = informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
			AddFunc:    func(object any) { o.see(object, false) },
			UpdateFunc: func(_, object any) { o.see(object, false) },
			DeleteFunc: func(object any) { o.see(object, true) },
		})
		check(t, err)
	}
	go func() { _ = c.Start(ctx) }()
	if !c.WaitForCacheSync(ctx) {
		t.Fatal("the observer's watches do not begin")
	}
	return o
}

func (o *observer) see(object any, gone bool) {
	if last, ok := object.(toolscache.DeletedFinalStateUnknown); ok {
		object = last.Obj
	}
	seen, ok := object.(client.Object)
	_, isCache := object.(*v1alpha1.DistributedCache)
	if !ok || !isCache && seen.GetLabels()[v1alpha1.OwnerNameLabel] == "" {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.events[seen.GetNamespace()] = append(o.events[seen.GetNamespace()], history.Event{Seen: time.Now(), Gone: gone, Object: seen})
}

// of is the history of a namespace, in the order in which it was committed.
func (o *observer) of(namespace string) []history.Event {
	o.mu.Lock()
	defer o.mu.Unlock()
	events := append([]history.Event(nil), o.events[namespace]...)
	history.Sort(events)
	return events
}

// ended is when the cache in a namespace was seen to be gone, zero if it was not.
func (o *observer) ended(namespace string) time.Time {
	for _, e := range o.of(namespace) {
		if _, ok := e.Object.(*v1alpha1.DistributedCache); ok && e.Gone {
			return e.Seen
		}
	}
	return time.Time{}
}

// judge fails a run that broke a law, and tells its whole history.
func (l *lab) judge(t *testing.T, c tenant) {
	t.Helper()
	broken := history.Check(l.observer.of(c.Namespace))
	end := l.observer.ended(c.Namespace)
	for _, w := range l.writes(c) {
		if !end.IsZero() && w.At.After(end) && w.Code >= 200 && w.Code < 300 {
			broken = append(broken, fmt.Sprintf("S7 a write for a cache that is gone: %s", w))
		}
	}
	if len(broken) > 0 {
		t.Errorf("laws broken:\n%s\n\n%s", strings.Join(broken, "\n"), l.tell(c))
	}
}

// writes are those of all operators in a run, in order.
func (l *lab) writes(c tenant) []proxy.Write {
	writes := l.proxy.Writes(c.Namespace)
	for _, o := range l.others {
		writes = append(writes, o.Writes(c.Namespace)...)
	}
	slices.SortFunc(writes, func(a, b proxy.Write) int { return a.At.Compare(b.At) })
	return writes
}

// tell is all that is known of a run.
func (l *lab) tell(c tenant) string {
	var lines []string
	for _, e := range l.observer.of(c.Namespace) {
		lines = append(lines, e.String())
	}
	for _, o := range append([]*operator{l.operator}, l.others...) {
		lines = append(lines, "", "writes of the "+o.name+" since the fault was armed:")
		for _, w := range o.Writes(c.Namespace) {
			lines = append(lines, w.String())
		}
		lines = append(lines, "", "end of its log:", o.tail())
	}
	return "history of " + c.Namespace + ":\n" + strings.Join(lines, "\n")
}
