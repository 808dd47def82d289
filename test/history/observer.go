//go:build integration

package history

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/controller"
)

// Observer sees every cache and what it owns by watches of its own, and keeps all of it.
type Observer struct {
	mu     sync.Mutex
	caches map[types.NamespacedName]*record
}

// record is the history of the caches of one name.
type record struct {
	events []Event
	// fresh says that there are events that no verdict has seen, told which broken laws one has
	// spoken of.
	fresh bool
	told  map[string]bool
}

// Observe begins to watch, until ctx ends.
func Observe(ctx context.Context, config *rest.Config) (*Observer, error) {
	o := &Observer{caches: map[types.NamespacedName]*record{}}
	c, err := cache.New(config, cache.Options{Scheme: controller.Scheme()})
	if err != nil {
		return nil, err
	}
	for _, object := range []client.Object{
		&v1alpha1.DistributedCache{}, &corev1.ConfigMap{}, &appsv1.StatefulSet{}, &corev1.Pod{},
		&corev1.Namespace{}, &networkingv1.NetworkPolicy{}, &corev1.ResourceQuota{},
	} {
		informer, err := c.GetInformer(ctx, object)
		if err != nil {
			return nil, err
		}
		_, err = informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
			AddFunc:    func(now any) { o.see(nil, now, false) },
			UpdateFunc: func(before, now any) { o.see(before, now, false) },
			DeleteFunc: func(last any) { o.see(nil, last, true) },
		})
		if err != nil {
			return nil, err
		}
	}
	go func() { _ = c.Start(ctx) }()
	if !c.WaitForCacheSync(ctx) {
		return nil, errors.New("the observer's watches do not begin")
	}
	return o, nil
}

func (o *Observer) see(before, now any, gone bool) {
	if last, ok := now.(toolscache.DeletedFinalStateUnknown); ok {
		now = last.Obj
	}
	object, ok := now.(client.Object)
	if !ok {
		return
	}
	e := Event{Seen: time.Now(), Gone: gone, Object: object}
	if !gone {
		was, _ := before.(client.Object)
		e.By = writer(was, object)
	}
	key := client.ObjectKeyFromObject(object)
	if _, isCache := object.(*v1alpha1.DistributedCache); !isCache {
		// What an isolated cache owns lives in another namespace.
		key.Namespace, key.Name = object.GetLabels()[v1alpha1.OwnerNamespaceLabel], object.GetLabels()[v1alpha1.OwnerNameLabel]
		if key.Name == "" {
			return
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	r := o.caches[key]
	if r == nil {
		r = &record{told: map[string]bool{}}
		o.caches[key] = r
	}
	r.events, r.fresh = append(r.events, e), true
}

// Of is the history of a cache, in the order in which it was committed.
func (o *Observer) Of(key types.NamespacedName) []Event {
	o.mu.Lock()
	defer o.mu.Unlock()
	r := o.caches[key]
	if r == nil {
		return nil
	}
	events := slices.Clone(r.events)
	Sort(events)
	return events
}

// lag is how much later than another watch one may bring what was committed before.
const lag = 100 * time.Millisecond

// Verdict judges the whole history of each cache of which something was seen since the last
// verdict, and gives the laws that were broken and not told of before, each cache with its history.
func (o *Observer) Verdict() []string {
	now := time.Now()
	time.Sleep(lag)
	o.mu.Lock()
	defer o.mu.Unlock()
	var verdict []string
	for key, r := range o.caches {
		if !r.fresh {
			continue
		}
		events := slices.Clone(r.events)
		Sort(events)
		// What came after could be without something that was committed before it.
		events = slices.DeleteFunc(events, func(e Event) bool { return e.Seen.After(now) })
		r.fresh = len(events) < len(r.events)
		if broken := r.untold(Check(events)); len(broken) > 0 {
			verdict = append(verdict, key.String()+" breaks:\n"+strings.Join(broken, "\n")+"\n\n"+Tell(events))
		}
	}
	return verdict
}

// untold are the broken laws that no verdict has spoken of.
func (r *record) untold(broken []string) []string {
	var untold []string
	for _, law := range broken {
		if !r.told[law] {
			untold = append(untold, law)
		}
		r.told[law] = true
	}
	return untold
}
