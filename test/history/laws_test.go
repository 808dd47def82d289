//go:build integration

package history

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
)

// story is a history in the making; each step comes a second after the one before.
type story struct {
	events   []Event
	isolated bool
}

func (s *story) add(gone bool, object client.Object) *story {
	n := len(s.events) + 1
	object.SetResourceVersion(strconv.Itoa(n))
	if c, ok := object.(*v1alpha1.DistributedCache); ok {
		c.Spec.Tenant.Isolate = s.isolated
	}
	s.events = append(s.events, Event{Seen: time.Unix(int64(n), 0), Gone: gone, Object: object})
	return s
}

func newCache(wanted int32, deleted bool) *v1alpha1.DistributedCache {
	c := &v1alpha1.DistributedCache{ObjectMeta: metav1.ObjectMeta{Name: "a", Finalizers: []string{v1alpha1.Finalizer}}}
	c.Spec.Replicas, c.Spec.Drain.GracePeriodSeconds = &wanted, new(int32(2))
	if deleted {
		c.DeletionTimestamp = &metav1.Time{}
	}
	return c
}

func (s *story) cache(wanted int32) *story { return s.add(false, newCache(wanted, false)) }
func (s *story) deleted() *story           { return s.add(false, newCache(2, true)) }
func (s *story) gone() *story              { return s.add(true, newCache(2, true)) }

// end is the last that is seen of an object.
func (s *story) end(object client.Object) *story { return s.add(true, object) }

func (s *story) lost() *story { return s.end(&corev1.ConfigMap{}) }

// orphaned is a deletion that the cache's objects are to outlive.
func (s *story) orphaned() *story {
	c := newCache(2, true)
	c.Finalizers = append(c.Finalizers, metav1.FinalizerOrphanDependents)
	return s.add(false, c)
}

// by makes the last step another manager's.
func (s *story) by(manager string) *story {
	s.events[len(s.events)-1].By = manager
	return s
}

// second is a cache of the same name, created after the first was gone.
func second() *v1alpha1.DistributedCache {
	c := newCache(2, false)
	c.UID = "second"
	return c
}

// again is the second cache with the first ring of its own.
func (s *story) again() *story {
	return s.add(false, second()).set(2).ringOf("second", `{"version":1,"members":["a-0","a-1"]}`)
}

func (s *story) ring(text string) *story { return s.ringOf("first", text) }

func (s *story) ringOf(owner, text string) *story {
	return s.add(false, &corev1.ConfigMap{Data: map[string]string{v1alpha1.RingKey: text, v1alpha1.OwnerUIDKey: owner}})
}

func (s *story) version(version int, members ...string) *story {
	list := ""
	if len(members) > 0 {
		list = `"` + strings.Join(members, `","`) + `"`
	}
	return s.ring(fmt.Sprintf(`{"version":%d,"members":[%s]}`, version, list))
}

func newSet(replicas int32) *appsv1.StatefulSet {
	return &appsv1.StatefulSet{Spec: appsv1.StatefulSetSpec{Replicas: &replicas}}
}

func (s *story) set(replicas int32) *story { return s.add(false, newSet(replicas)) }

func newPod(name string) *corev1.Pod { return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}} }

func (s *story) pod(name string, ready bool, mark string) *story {
	pod := newPod(name)
	if mark != "" {
		pod.Annotations = map[string]string{v1alpha1.DrainingSinceAnnotation: mark}
	}
	if ready {
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	}
	return s.add(false, pod)
}

// two is a cache of two that serve.
func two() *story {
	return (&story{}).cache(2).set(2).pod("a-0", true, "").pod("a-1", true, "").version(1, "a-0", "a-1")
}

// fence is what is to stand before the first pod of a cell.
func (s *story) fence(objects ...client.Object) *story {
	for _, object := range objects {
		s.add(false, object)
	}
	return s
}

// cell is an isolated cache of two that serve.
func cell() *story {
	s := (&story{isolated: true}).cache(2).fence(&corev1.Namespace{}, &networkingv1.NetworkPolicy{}, &corev1.ResourceQuota{})
	return s.set(2).pod("a-0", true, "").pod("a-1", true, "").version(1, "a-0", "a-1")
}

func (s *story) wait() *story { return s.pod("a-0", true, "") }

func TestCheck(t *testing.T) {
	for _, tc := range []struct {
		name  string
		story *story
		want  string
	}{
		{"a drain", two().cache(1).version(2, "a-0").pod("a-1", true, "x").wait().set(1), ""},
		{"a drain that is cancelled", two().cache(1).version(2, "a-0").pod("a-1", true, "x").cache(2).version(3, "a-0", "a-1"), ""},
		{"a deletion", two().deleted().version(2).wait().gone(), ""},
		{"a deletion with nobody to drain", two().deleted().end(newSet(2)).end(newPod("a-0")).end(newPod("a-1")).gone(), ""},
		{"a deletion that orphans", two().orphaned().gone(), ""},
		{"a deletion after the ring was lost", two().deleted().lost().gone(), ""},
		{"a cache of the same name", two().deleted().version(2).wait().gone().end(newSet(2)).again(), ""},
		{"a lost ring", two().lost().version(3, "a-0", "a-1"), ""},
		{"somebody's ring", two().version(5, "a-0").by("somebody").version(6, "a-0", "a-1"), ""},
		{"somebody's ring that is none", two().ring("hello").by("somebody").version(3, "a-0", "a-1"), ""},
		{"somebody's shrink", two().set(1).by("somebody").set(2), ""},
		{"the count of pods", two().set(2).by(kubernetes), ""},
		{"a falling version", two().version(3, "a-0").version(2, "a-0", "a-1"), "S1 the version falls"},
		{"a version used twice", two().version(1, "a-0"), "S1 version 1 is"},
		{"a version for nothing", two().version(2, "a-0", "a-1"), "S1 version 2 follows"},
		{"order by letters", two().ring(`{"version":2,"members":["a-10","a-9"]}`), "does not come in numeric order"},
		{"another spelling", two().ring(`{"version":2, "members":["a-0"]}`), "one spelling"},
		{"a member that does not serve", two().cache(3).pod("a-2", false, "").version(2, "a-0", "a-1", "a-2"), "S2 a-2 joins"},
		{"a member that is not wanted", two().pod("a-2", true, "").version(2, "a-0", "a-1", "a-2"), "S3 a-2 joins"},
		{"a mark ahead of the ring", two().cache(1).pod("a-1", true, "x"), "S3 a-1 is marked"},
		{"a shrink of a member", two().cache(1).set(1), "S4 a shrink takes ordinal 1, which is in ring 1"},
		{"a shrink within the grace", two().cache(1).version(2, "a-0").set(1), "left 1s ago"},
		{"a shrink below what is wanted", two().version(2, "a-0").wait().set(1), "S5 1 replicas"},
		{"a shrink of a deleted cache", two().deleted().version(2).wait().set(1), "S5"},
		{"a StatefulSet made too small", (&story{}).cache(2).set(1), "S5 1 replicas"},
		{"an end with members", two().deleted().gone(), "S7 the finalizer goes"},
		{"a lost ring under its version", two().lost().version(1, "a-0"), "S1 version 1 is"},
		{"a version of somebody's ring", two().version(5, "a-0").by("somebody").version(5, "a-0", "a-1"), "S1 version 5 is"},
		{"a version below somebody's", two().version(5, "a-0").by("somebody").version(2, "a-0", "a-1"), "S1 the version falls from 5"},
		{"a version that was somebody's none", two().ring("hello").by("somebody").version(1, "a-0", "a-1"), "S1 version 1 is"},
		{"a shrink on top of somebody's", two().set(1).by("somebody").set(0), "S5 0 replicas"},
		{"an end without a ring", two().lost().deleted().gone(), "S7 the finalizer goes 1s after the deletion"},
		{"an end of the second cache", two().deleted().version(2).wait().gone().again().end(second()), "S7 the finalizer goes with"},
		{"a deletion of a cell", cell().deleted().version(2).wait().set(0).end(&corev1.Namespace{}).gone(), ""},
		{"an end before the cell, of a deletion that orphans", cell().orphaned().gone(), "S7 the finalizer goes before the cell"},
		{"a cell that is emptied within the grace", cell().deleted().version(2).set(0), "S4 a shrink takes ordinal 0"},
		{"a cell that is emptied by half", cell().deleted().version(2).wait().set(1), "S5 from 2 to 1"},
		{"a cell that is emptied while its cache lives", cell().version(2).wait().set(0), "S5 0 replicas"},
		{"a deleted cache without a cell that is emptied", two().deleted().version(2).wait().set(0), "S5 from 2 to 0"},
		{"an end before the cell", cell().deleted().version(2).wait().gone(), "S7 the finalizer goes before the cell"},
		{"a pod before its policy", (&story{isolated: true}).cache(2).fence(&corev1.Namespace{}, &corev1.ResourceQuota{}).pod("a-0", false, ""), "S9 pod a-0 comes before the cell's NetworkPolicy"},
		{"a pod in a cell that was lost", cell().end(&corev1.Namespace{}).pod("a-2", false, ""), "S9 pod a-2 comes before the cell's Namespace"},
		{"an end within the grace", two().deleted().version(2).gone(), "S7 the end takes ordinal 0"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			Sort(tc.story.events)
			broken := strings.Join(Check(tc.story.events), "\n")
			if (broken == "") != (tc.want == "") || !strings.Contains(broken, tc.want) {
				t.Errorf("got %q, want %q", broken, tc.want)
			}
		})
	}
}
