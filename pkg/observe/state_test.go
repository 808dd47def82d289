package observe

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/plan"
	"github.com/sk1-services/distributed-cache/pkg/ring"
)

const ringText = `{"version":4,"members":["orders-cache-0","orders-cache-1"]}`

func TestDocument(t *testing.T) {
	standing := &ring.Document{Version: 4, Members: []string{"orders-cache-0", "orders-cache-1"}}
	for _, tc := range []struct {
		name string
		text string
		uid  string
		want *ring.Document
	}{
		{"the cache's own ring", ringText, uid, standing},
		{"an empty ring", `{"version":1,"members":[]}`, uid, &ring.Document{Version: 1, Members: []string{}}},
		{"a former cache's ring", ringText, "former", nil},
		{"a ring of nobody", ringText, "", nil},
		{"no text", "", uid, nil},
		{"no JSON", "version: 4", uid, nil},
		{"version zero", `{"version":0,"members":[]}`, uid, nil},
		{"members out of order", `{"version":4,"members":["orders-cache-1","orders-cache-0"]}`, uid, nil},
		{"a blank too much", strings.Replace(ringText, ",", ", ", 1), uid, nil},
		{"keys in another order", `{"members":[],"version":4}`, uid, nil},
		{"a key too much", strings.Replace(ringText, "{", `{"more":1,`, 1), uid, nil},
		{"a line end", ringText + "\n", uid, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := &World{Cache: newCache(), Ring: newRing(tc.text)}
			w.Ring.Data[v1alpha1.OwnerUIDKey] = tc.uid
			if diff := cmp.Diff(tc.want, w.Document()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
	if got := (&World{Cache: newCache()}).Document(); got != nil {
		t.Errorf("without a ConfigMap: %v", got)
	}
}

func TestState(t *testing.T) {
	created, since := metav1.NewTime(epoch.Add(-time.Hour)), metav1.NewTime(epoch.Add(-time.Minute))
	cache := newCache()
	cache.Spec.Replicas, cache.Spec.Paused = new(int32(5)), true
	cache.DeletionTimestamp, cache.Status.RingVersion = &created, 7
	cache.Spec.Drain.GracePeriodSeconds = new(int32(45))
	cache.Finalizers = []string{v1alpha1.Finalizer, metav1.FinalizerOrphanDependents}
	set := newSet(3, 2)
	set.CreationTimestamp = created
	set.Status.CurrentRevision, set.Status.UpdateRevision = "1", "2"
	ready := func(p *corev1.Pod) {
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: since}}
	}
	terminating := func(p *corev1.Pod) { p.DeletionTimestamp = &since }
	limited := func(p *corev1.Pod) {
		p.Spec.Containers = []corev1.Container{{Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("128Mi")}}}}
	}
	told := func(p *corev1.Pod) {
		p.Annotations = map[string]string{v1alpha1.DrainingSinceAnnotation: "2026-01-01T11:59:00Z", v1alpha1.DrainGraceAnnotation: "45"}
	}
	w := &World{Cache: cache, StatefulSet: set, Ring: newRing(ringText), Pods: []corev1.Pod{
		*newPod("orders-cache-0", ready), *newPod("orders-cache-1"), *newPod("orders-cache-10", ready, terminating, told, limited),
	}}
	want := plan.State{
		Now: epoch, Wanted: 5, Grace: 45 * time.Second, Deleted: created.Time, Held: true, Orphaned: true, Paused: true, HighWater: 7,
		Ring: &ring.Document{Version: 4, Members: []string{"orders-cache-0", "orders-cache-1"}},
		Set:  &plan.Set{Created: created.Time, Replicas: 3, Rolling: true},
		Pods: []plan.Pod{
			{Name: "orders-cache-0", Ordinal: 0, Ready: true, ReadySince: since.Time, Grace: -1},
			{Name: "orders-cache-1", Ordinal: 1, Grace: -1},
			{Name: "orders-cache-10", Ordinal: 10, Ready: true, ReadySince: since.Time, Terminating: true, Ends: since.Time, Memory: 128 << 20, Marked: since.Time, Grace: 45 * time.Second},
		},
	}
	if diff := cmp.Diff(want, w.State(epoch)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestStateOfANewCache(t *testing.T) {
	w := &World{Cache: newCache()}
	if diff := cmp.Diff(plan.State{Now: epoch, Wanted: v1alpha1.DefaultReplicas, Grace: v1alpha1.DefaultGrace}, w.State(epoch)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestRolling(t *testing.T) {
	for _, tc := range []struct {
		name string
		set  func(*appsv1.StatefulSet)
		want bool
	}{
		{"no revisions yet", func(s *appsv1.StatefulSet) { s.Status.UpdateRevision = "" }, false},
		{"all are of the latest revision", func(s *appsv1.StatefulSet) { s.Status.UpdateRevision = "1" }, false},
		{"some are of an older revision", func(*appsv1.StatefulSet) {}, true},
		{"the controller has not seen the present template", func(s *appsv1.StatefulSet) { s.Generation++ }, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			set := newSet(3, 3)
			set.Status.CurrentRevision, set.Status.UpdateRevision = "1", "2"
			tc.set(set)
			state := (&World{Cache: newCache(), StatefulSet: set}).State(epoch)
			if state.Set == nil || state.Set.Rolling != tc.want {
				t.Errorf("got %+v, want rolling %t", state.Set, tc.want)
			}
		})
	}
}

// A change of the template that is taken back midway ends with two revisions that are the same, and
// with pods of a third.
func TestRollingBack(t *testing.T) {
	of := func(revision string) func(*corev1.Pod) {
		return func(p *corev1.Pod) { p.Labels[appsv1.StatefulSetRevisionLabel] = revision }
	}
	going := func(p *corev1.Pod) { p.DeletionTimestamp = new(metav1.NewTime(epoch)) }
	for _, tc := range []struct {
		name string
		pod  *corev1.Pod
		want bool
	}{
		{"a pod of the wanted revision", newPod("orders-cache-0", of("1")), false},
		{"a pod of the revision that was taken back", newPod("orders-cache-0", of("2")), true},
		{"one that is going already", newPod("orders-cache-0", of("2"), going), false},
		{"one whose revision nobody has noted", newPod("orders-cache-0"), false},
	} {
		set := newSet(1, 1)
		set.Status.CurrentRevision, set.Status.UpdateRevision = "1", "1"
		w := &World{Cache: newCache(), StatefulSet: set, Pods: []corev1.Pod{*tc.pod}}
		if got := w.State(epoch).Set.Rolling; got != tc.want {
			t.Errorf("%s: rolling %t, want %t", tc.name, got, tc.want)
		}
	}
}
