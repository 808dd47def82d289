// Package collect reads what an explanation of a cache is made of.
//
// Its laws: reader only, and once. The objects are read by the operator's own observer, so that an
// explanation speaks of the world as the operator sees it. Whoever may read the cache gets an
// answer: what else may not be read is noted and left out.
package collect

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/explain"
	"github.com/sk1-services/distributed-cache/pkg/observe"
	"github.com/sk1-services/distributed-cache/pkg/ring"
)

// Scheme knows all kinds that are read, for the client of whoever calls.
func Scheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	return scheme, nil
}

// Facts reads a cache, its objects and their events. The reader is to ask the API server, not
// informers. Without such a cache the error is a *MissingError.
func Facts(ctx context.Context, reader client.Reader, key types.NamespacedName) (explain.Facts, error) {
	cache := &v1alpha1.DistributedCache{}
	switch err := reader.Get(ctx, key, cache); {
	case apierrors.IsNotFound(err):
		return explain.Facts{}, missing(ctx, reader, key, err)
	case meta.IsNoMatchError(err):
		return explain.Facts{}, fmt.Errorf("the API server knows no DistributedCaches; install the operator with its CustomResourceDefinition: %w", err)
	case apierrors.IsForbidden(err):
		return explain.Facts{}, fmt.Errorf("to explain DistributedCache %s you need the right to get it: %w", key, err)
	case err != nil:
		return explain.Facts{}, fmt.Errorf("read DistributedCache %s: %w", key, err)
	}
	allowed := &permitted{Reader: reader, cache: cache}
	observer := &observe.Observer{Cached: allowed, Live: allowed}
	world, err := observer.Observe(ctx, cache)
	if err != nil {
		return explain.Facts{}, err
	}
	heard, err := events(ctx, allowed, cache)
	if err != nil {
		return explain.Facts{}, err
	}
	return explain.Facts{World: world, Events: heard, Unread: allowed.unread}, nil
}

// events are those of the cache and of objects of its names, from where they live. Names and not
// UIDs tell them, so that those of pods that are gone are among them; but none of a former cache is.
func events(ctx context.Context, reader client.Reader, cache *v1alpha1.DistributedCache) ([]corev1.Event, error) {
	var found []corev1.Event
	for _, namespace := range slices.Compact([]string{cache.Namespace, cache.Home()}) {
		var list corev1.EventList
		if err := reader.List(ctx, &list, client.InNamespace(namespace)); err != nil {
			return nil, fmt.Errorf("list the events of namespace %s: %w", namespace, err)
		}
		for i := range list.Items {
			if e := &list.Items[i]; concerns(e, cache) && !e.CreationTimestamp.Before(&cache.CreationTimestamp) {
				found = append(found, *e)
			}
		}
	}
	return found, nil
}

func concerns(e *corev1.Event, cache *v1alpha1.DistributedCache) bool {
	of := e.InvolvedObject
	if of.Kind == v1alpha1.Kind {
		return of.Namespace == cache.Namespace && of.Name == cache.Name
	}
	if of.Namespace != cache.Home() {
		return false
	}
	switch of.Kind {
	case "Pod":
		ordinal, err := ring.Ordinal(of.Name)
		return err == nil && of.Name == v1alpha1.PodName(cache.Name, ordinal)
	case "StatefulSet", "Service", "NetworkPolicy", "ResourceQuota":
		return of.Name == cache.Name
	case "ConfigMap":
		return of.Name == v1alpha1.RingName(cache.Name)
	default:
		return false
	}
}
