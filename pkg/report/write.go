package report

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	cacheac "github.com/sk1-services/distributed-cache/applyconfiguration/apis/v1alpha1"
)

// Reporter writes statuses and events.
type Reporter struct {
	Status interface {
		Apply(ctx context.Context, object runtime.ApplyConfiguration, options ...client.SubResourceApplyOption) error
	}
	Events events.EventRecorder
}

// Report writes the status that the outcome calls for, if it differs from the one that was read,
// and then an event for each condition that turned; a pass that only put the finalizer on or off
// says nothing: the next one does, or the cache is gone. The write is refused, with a conflict, if
// the cache has changed since it was read: the next pass reports again.
func (r *Reporter) Report(ctx context.Context, o Outcome) error {
	if (o.Plan.Claim || o.Plan.Release) && o.Hold == nil {
		return nil
	}
	cache, status := o.World.Cache, Status(o)
	if equality.Semantic.DeepEqual(ours(cache.Status), status) {
		return nil
	}
	desired := cacheac.DistributedCache(cache.Name, cache.Namespace).
		WithResourceVersion(cache.ResourceVersion).
		WithStatus(applyConfiguration(status))
	if err := r.Status.Apply(ctx, desired, client.FieldOwner(v1alpha1.FieldManager), client.ForceOwnership); err != nil {
		return fmt.Errorf("status of DistributedCache %s/%s: %w", cache.Namespace, cache.Name, err)
	}
	r.emit(cache, cache.Status.Conditions, status.Conditions)
	return nil
}

// ours is a status without the conditions that somebody else put there.
func ours(status v1alpha1.DistributedCacheStatus) v1alpha1.DistributedCacheStatus {
	status = *status.DeepCopy()
	status.Conditions = slices.DeleteFunc(status.Conditions, func(c metav1.Condition) bool {
		return !slices.Contains(v1alpha1.ConditionTypes, c.Type)
	})
	return status
}

func applyConfiguration(status v1alpha1.DistributedCacheStatus) *cacheac.DistributedCacheStatusApplyConfiguration {
	desired := cacheac.DistributedCacheStatus().
		WithObservedGeneration(status.ObservedGeneration).
		WithReplicas(status.Replicas).
		WithReadyReplicas(status.ReadyReplicas).
		WithSelector(status.Selector)
	if status.RingVersion > 0 {
		desired.WithRingVersion(status.RingVersion)
	}
	if status.CellNamespace != "" {
		desired.WithCellNamespace(status.CellNamespace).WithCellUID(status.CellUID)
	}
	if status.Drain != nil {
		drain := cacheac.DrainStatus()
		for _, pod := range status.Drain.Pods {
			drain.WithPods(cacheac.DrainingPod().WithName(pod.Name).WithSince(pod.Since).WithUntil(pod.Until))
		}
		desired.WithDrain(drain)
	}
	for _, c := range status.Conditions {
		desired.WithConditions(metav1ac.Condition().
			WithType(c.Type).
			WithStatus(c.Status).
			WithReason(c.Reason).
			WithMessage(c.Message).
			WithObservedGeneration(c.ObservedGeneration).
			WithLastTransitionTime(c.LastTransitionTime))
	}
	return desired
}

// announced are the conditions whose turns are events; the others say the same again.
var announced = []string{v1alpha1.Available, v1alpha1.Degraded, v1alpha1.TenantIsolated}

func (r *Reporter) emit(cache *v1alpha1.DistributedCache, before, after []metav1.Condition) {
	for _, kind := range announced {
		was, is := meta.FindStatusCondition(before, kind), meta.FindStatusCondition(after, kind)
		if is == nil || was != nil && was.Status == is.Status && was.Reason == is.Reason {
			continue
		}
		good := is.Status == metav1.ConditionTrue
		if kind == v1alpha1.Degraded {
			good = is.Status == metav1.ConditionFalse
		}
		if was == nil && kind != v1alpha1.Available && is.Status == metav1.ConditionFalse {
			continue
		}
		weight := corev1.EventTypeWarning
		if good || was == nil && kind == v1alpha1.Available {
			weight = corev1.EventTypeNormal
		}
		r.Events.Eventf(cache, nil, weight, kind+string(is.Status), "Reconcile", "%s", limit(is.Reason+": "+is.Message, maxNote))
	}
}
