// Package observe reads the world of one cache, once per pass.
//
// Its law: readers only. What it returns is a value; nobody downstream reads again, so that a
// plan, its objects and the status all speak of the same moment.
package observe

import (
	"context"
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/ring"
)

// Observer reads caches and their objects.
type Observer struct {
	// Cached serves from the informers.
	Cached client.Reader
	// Live asks the API server: for what a plan must be confirmed on, and for what the informers
	// do not know while a ring or pods are missing.
	Live client.Reader
}

// World is one cache and its objects as they were read; nil where there is none.
type World struct {
	Cache *v1alpha1.DistributedCache
	// Cell is the cache's own namespace, nil if it is not isolated.
	Cell        *Cell
	Service     *corev1.Service
	StatefulSet *appsv1.StatefulSet
	Ring        *corev1.ConfigMap
	// Pods are the cache's own pods, in order of their ordinals.
	Pods []corev1.Pod
	// Refusal is the API server's latest reason for refusing a pod, empty if none is missing.
	Refusal string
}

// Cache reads the cache alone, nil if there is none.
func (o *Observer) Cache(ctx context.Context, key types.NamespacedName) (*v1alpha1.DistributedCache, error) {
	return get(ctx, o.Cached, key, &v1alpha1.DistributedCache{})
}

// ObserveLive reads the cache and its objects from the API server, nil if the cache of this UID is
// no more.
func (o *Observer) ObserveLive(ctx context.Context, cache *v1alpha1.DistributedCache) (*World, error) {
	live, err := get(ctx, o.Live, client.ObjectKeyFromObject(cache), &v1alpha1.DistributedCache{})
	if err != nil || live == nil || live.UID != cache.UID {
		return nil, err
	}
	past := &Observer{Cached: o.Live, Live: o.Live}
	return past.Observe(ctx, live)
}

// Same reports whether the cache is, live, the one that was read: it exists, nothing that is
// wanted of it has changed, and it has not been deleted since.
func (o *Observer) Same(ctx context.Context, cache *v1alpha1.DistributedCache) (bool, error) {
	live, err := get(ctx, o.Live, client.ObjectKeyFromObject(cache), &v1alpha1.DistributedCache{})
	if err != nil || live == nil {
		return false, err
	}
	same := live.UID == cache.UID && live.Generation == cache.Generation && (live.DeletionTimestamp == nil) == (cache.DeletionTimestamp == nil)
	return same, nil
}

// Observe reads the objects of a cache.
func (o *Observer) Observe(ctx context.Context, cache *v1alpha1.DistributedCache) (*World, error) {
	w := &World{Cache: cache}
	var err error
	if cache.Spec.Tenant.Isolate {
		if w.Cell, err = o.cell(ctx, cache); err != nil || !w.Cell.ours(cache) {
			return w, err
		}
	}
	if w.Service, err = get(ctx, o.Cached, key(cache, v1alpha1.ServiceName(cache.Name)), &corev1.Service{}); err != nil {
		return w, err
	}
	if w.StatefulSet, err = get(ctx, o.Cached, key(cache, v1alpha1.StatefulSetName(cache.Name)), &appsv1.StatefulSet{}); err != nil {
		return w, err
	}
	if w.Ring, err = o.ring(ctx, w); err != nil {
		return w, err
	}
	if w.Pods, err = o.pods(ctx, cache); err != nil {
		return w, err
	}
	w.Refusal, err = o.refusal(ctx, w.StatefulSet)
	return w, err
}

// ring reads the published ring. The informers know only labelled objects, and a ring that lost
// its labels is a ring all the same: before a ring that was published is taken to be lost, the API
// server is asked.
func (o *Observer) ring(ctx context.Context, w *World) (*corev1.ConfigMap, error) {
	name := key(w.Cache, v1alpha1.RingName(w.Cache.Name))
	cached, err := get(ctx, o.Cached, name, &corev1.ConfigMap{})
	if err != nil || cached != nil || w.Cache.Status.RingVersion == 0 {
		return cached, err
	}
	return get(ctx, o.Live, name, &corev1.ConfigMap{})
}

func key(cache *v1alpha1.DistributedCache, name string) types.NamespacedName {
	return types.NamespacedName{Namespace: cache.Home(), Name: name}
}

func get[T client.Object](ctx context.Context, reader client.Reader, key types.NamespacedName, object T) (T, error) {
	var none T
	switch err := reader.Get(ctx, key, object); {
	case apierrors.IsNotFound(err):
		return none, nil
	case err != nil:
		return none, fmt.Errorf("read %T %s: %w", object, key, err)
	}
	return object, nil
}

// pods are the pods that carry this cache's UID and a name of its StatefulSet. Labels alone do
// not make a member: they must be the cache's own, and nobody but a StatefulSet may control the
// pod. A pod without a controller is one whose StatefulSet was deleted and not yet recreated.
func (o *Observer) pods(ctx context.Context, cache *v1alpha1.DistributedCache) ([]corev1.Pod, error) {
	var list corev1.PodList
	err := o.Cached.List(ctx, &list, client.InNamespace(cache.Home()),
		client.MatchingLabels{v1alpha1.OwnerUIDLabel: string(cache.UID)})
	if err != nil {
		return nil, fmt.Errorf("list the pods of %s/%s: %w", cache.Home(), cache.Name, err)
	}
	pods := slices.DeleteFunc(list.Items, func(p corev1.Pod) bool {
		controller := metav1.GetControllerOf(&p)
		stranger := controller != nil && (controller.Kind != "StatefulSet" || controller.Name != v1alpha1.StatefulSetName(cache.Name))
		return stranger || p.Name != v1alpha1.PodName(cache.Name, ordinal(p))
	})
	slices.SortFunc(pods, func(a, b corev1.Pod) int { return ordinal(a) - ordinal(b) })
	return pods, nil
}

func ordinal(p corev1.Pod) int {
	n, err := ring.Ordinal(p.Name)
	if err != nil {
		return -1
	}
	return n
}

// refusal looks for the reason why a StatefulSet has fewer pods than it wants: only its events
// tell.
func (o *Observer) refusal(ctx context.Context, set *appsv1.StatefulSet) (string, error) {
	if set == nil || set.Spec.Replicas == nil || set.Status.ObservedGeneration < set.Generation || set.Status.Replicas >= *set.Spec.Replicas {
		return "", nil
	}
	var events corev1.EventList
	err := o.Live.List(ctx, &events, client.InNamespace(set.Namespace), client.MatchingFields{
		"involvedObject.uid": string(set.UID), "reason": "FailedCreate", "type": corev1.EventTypeWarning,
	})
	if err != nil {
		return "", fmt.Errorf("list the events of StatefulSet %s/%s: %w", set.Namespace, set.Name, err)
	}
	latest := slices.MaxFunc(append(events.Items, corev1.Event{}), func(a, b corev1.Event) int {
		return a.LastTimestamp.Compare(b.LastTimestamp.Time)
	})
	return reasonOf(latest.Message), nil
}

// reasonOf cuts the server's reason out of an event's text and leaves away the pod's name, which
// differs from attempt to attempt.
func reasonOf(message string) string {
	if _, reason, ok := strings.Cut(message, "error: "); ok {
		message = reason
	}
	for _, verb := range []string{"is forbidden: ", "is invalid: "} {
		if _, reason, ok := strings.Cut(message, verb); ok {
			message = reason
		}
	}
	return message
}
