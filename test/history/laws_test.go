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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
)

// story is a history in the making; each step comes a second after the one before.
type story struct{ events []Event }

func (s *story) add(gone bool, object client.Object) *story {
	n := len(s.events) + 1
	object.SetResourceVersion(strconv.Itoa(n))
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

func (s *story) ring(text string) *story {
	return s.add(false, &corev1.ConfigMap{Data: map[string]string{v1alpha1.RingKey: text, v1alpha1.OwnerUIDKey: "uid"}})
}

func (s *story) version(version int, members ...string) *story {
	list := ""
	if len(members) > 0 {
		list = `"` + strings.Join(members, `","`) + `"`
	}
	return s.ring(fmt.Sprintf(`{"version":%d,"members":[%s]}`, version, list))
}

func (s *story) set(replicas int32) *story {
	return s.add(false, &appsv1.StatefulSet{Spec: appsv1.StatefulSetSpec{Replicas: &replicas}})
}

func (s *story) pod(name string, ready bool, mark string) *story {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}}
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
		{"a falling version", two().version(3, "a-0").version(2, "a-0", "a-1"), "S1 the version falls"},
		{"a version used twice", two().version(1, "a-0"), "S1 version 1 is"},
		{"a version for nothing", two().version(2, "a-0", "a-1"), "S1 version 2 follows"},
		{"order by letters", two().ring(`{"version":2,"members":["a-10","a-9"]}`), "out of numeric order"},
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
