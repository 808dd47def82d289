package report

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	kstatus "sigs.k8s.io/cli-utils/pkg/kstatus/status"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
)

// checkLaws holds a status against what is true of every status.
func checkLaws(t *testing.T, o Outcome, status v1alpha1.DistributedCacheStatus) {
	t.Helper()
	checkPresence(t, status.Conditions)
	checkReasons(t, status.Conditions)
	for _, c := range status.Conditions {
		if c.ObservedGeneration != o.World.Cache.Generation {
			t.Errorf("%s speaks of generation %d, the cache has %d", c.Type, c.ObservedGeneration, o.World.Cache.Generation)
		}
		if c.LastTransitionTime.IsZero() || c.LastTransitionTime.Nanosecond() != 0 {
			t.Errorf("%s has the transition time %v, whole seconds are needed", c.Type, c.LastTransitionTime)
		}
		if len(c.Message) > maxMessage {
			t.Errorf("%s has a message of %d bytes", c.Type, len(c.Message))
		}
	}
	if status.ObservedGeneration != o.World.Cache.Generation {
		t.Errorf("observedGeneration is %d, the cache has %d", status.ObservedGeneration, o.World.Cache.Generation)
	}
	checkKstatus(t, o.World.Cache, status)
}

func checkPresence(t *testing.T, conditions []metav1.Condition) {
	t.Helper()
	shown := byType(t, conditions)
	for _, kind := range []string{v1alpha1.Available, v1alpha1.Progressing, v1alpha1.Degraded, v1alpha1.TenantIsolated, v1alpha1.Ready} {
		if shown[kind] == "" {
			t.Errorf("condition %s is missing", kind)
		}
	}
	abnormal := 0
	for _, kind := range []string{v1alpha1.Reconciling, v1alpha1.Stalled} {
		if c := meta.FindStatusCondition(conditions, kind); c != nil {
			abnormal++
			if c.Status != metav1.ConditionTrue {
				t.Errorf("%s stands and is %s", kind, c.Status)
			}
		}
	}
	if abnormal > 1 {
		t.Errorf("both Reconciling and Stalled stand: %v", shown)
	}
	if abnormal > 0 && meta.IsStatusConditionTrue(conditions, v1alpha1.Ready) {
		t.Errorf("Ready and abnormal at once: %v", shown)
	}
}

// checkReasons finds every condition in the table of meanings, or the one that it repeats.
func checkReasons(t *testing.T, conditions []metav1.Condition) {
	t.Helper()
	listed := func(c metav1.Condition) bool {
		return slices.ContainsFunc(v1alpha1.Meanings, func(m v1alpha1.Meaning) bool {
			return m.Type == c.Type && m.Status == c.Status && m.Reason == c.Reason
		})
	}
	for _, c := range conditions {
		repeats := c.Type == v1alpha1.Reconciling || c.Type == v1alpha1.Stalled ||
			c.Type == v1alpha1.Ready && c.Status == metav1.ConditionFalse
		repeated := repeats && slices.ContainsFunc(conditions, func(other metav1.Condition) bool {
			four := []string{v1alpha1.Available, v1alpha1.Progressing, v1alpha1.Degraded, v1alpha1.TenantIsolated}
			return slices.Contains(four, other.Type) && other.Reason == c.Reason && other.Message == c.Message && listed(other)
		})
		if !listed(c) && !repeated {
			t.Errorf("%s=%s with reason %q is not in v1alpha1.Meanings and repeats no other condition", c.Type, c.Status, c.Reason)
		}
	}
}

// checkKstatus holds what Flux, Argo CD and kubectl wait would see against the conditions.
func checkKstatus(t *testing.T, cache *v1alpha1.DistributedCache, status v1alpha1.DistributedCacheStatus) {
	t.Helper()
	result := computeKstatus(t, cache, status)
	if cache.DeletionTimestamp != nil {
		if result != kstatus.TerminatingStatus {
			t.Errorf("kstatus of a cache under deletion is %s", result)
		}
		return
	}
	if ready := meta.IsStatusConditionTrue(status.Conditions, v1alpha1.Ready); ready != (result == kstatus.CurrentStatus) {
		t.Errorf("kstatus is %s, Ready is %t: %v", result, ready, byType(t, status.Conditions))
	}
	stalled := meta.FindStatusCondition(status.Conditions, v1alpha1.Stalled) != nil
	if stalled != (result == kstatus.FailedStatus) {
		t.Errorf("kstatus is %s, Stalled is %t: %v", result, stalled, byType(t, status.Conditions))
	}
}

func computeKstatus(t *testing.T, cache *v1alpha1.DistributedCache, status v1alpha1.DistributedCacheStatus) kstatus.Status {
	t.Helper()
	object := cache.DeepCopy()
	object.Status = status
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		t.Fatal(err)
	}
	u := &unstructured.Unstructured{Object: content}
	u.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(v1alpha1.Kind))
	result, err := kstatus.Compute(u)
	if err != nil {
		t.Fatal(err)
	}
	return result.Status
}
