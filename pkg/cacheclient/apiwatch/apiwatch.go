// Package apiwatch is the ring source that watches the ring's ConfigMap at the API server. It
// sees a new ring within a fraction of a second.
//
// Its law: it needs get, list and watch on that one ConfigMap and nothing else, and it survives
// any outage of the API server: the last ring stays, and lists and watches are retried with
// back-off.
package apiwatch

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/cacheclient"
	"github.com/sk1-services/distributed-cache/pkg/ring"
)

// Source watches the ring of one cache.
type Source struct {
	Client kubernetes.Interface
	// Namespace is where the ring is: the cache's own, or its cell.
	Namespace string
	// Cache is the cache's name.
	Cache string
}

// Run publishes each well-formed ring that it sees until ctx ends. A malformed ring is passed
// over: the last good one stays.
func (s Source) Run(ctx context.Context, publish func(cacheclient.Snapshot)) error {
	if s.Client == nil || s.Namespace == "" || s.Cache == "" {
		return fmt.Errorf("apiwatch: Client, Namespace and Cache are required, have namespace %q and cache %q", s.Namespace, s.Cache)
	}
	configMaps := s.Client.CoreV1().ConfigMaps(s.Namespace)
	one := fields.OneTermEqualSelector("metadata.name", v1alpha1.RingName(s.Cache)).String()
	see := func(object any) {
		if m, ok := object.(*corev1.ConfigMap); ok {
			if snapshot, err := Decode(m); err == nil {
				publish(snapshot)
			}
		}
	}
	_, informer := cache.NewInformerWithOptions(cache.InformerOptions{
		ObjectType: &corev1.ConfigMap{},
		ListerWatcher: &cache.ListWatch{
			ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
				options.FieldSelector = one
				return configMaps.List(ctx, options)
			},
			WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
				options.FieldSelector = one
				return configMaps.Watch(ctx, options)
			},
		},
		Handler: cache.ResourceEventHandlerFuncs{
			AddFunc:    see,
			UpdateFunc: func(_, object any) { see(object) },
		},
	})
	informer.RunWithContext(ctx)
	return nil
}

// Decode reads the ring in a ConfigMap.
func Decode(m *corev1.ConfigMap) (cacheclient.Snapshot, error) {
	document, err := ring.Decode([]byte(m.Data[v1alpha1.RingKey]))
	if err != nil {
		return cacheclient.Snapshot{}, fmt.Errorf("key %s of ConfigMap %s/%s: %w", v1alpha1.RingKey, m.Namespace, m.Name, err)
	}
	return cacheclient.Snapshot{Owner: m.Data[v1alpha1.OwnerUIDKey], Ring: document}, nil
}
