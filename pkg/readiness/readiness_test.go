package readiness_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sk1-services/distributed-cache/pkg/readiness"
)

var setKind = schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "StatefulSet"}

// set is a StatefulSet of three as the API server gives it: without a kind.
func set(ready int32, observed int64) *appsv1.StatefulSet {
	return &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Name: "orders-cache", Namespace: "shop", Generation: 2},
		Spec:       appsv1.StatefulSetSpec{Replicas: new(int32(3))},
		Status:     appsv1.StatefulSetStatus{ObservedGeneration: observed, Replicas: 3, CurrentReplicas: 3, UpdatedReplicas: 3, ReadyReplicas: ready},
	}
}

// stuck is a Deployment whose controller has given up.
func stuck() *appsv1.Deployment {
	return &appsv1.Deployment{Status: appsv1.DeploymentStatus{Conditions: []appsv1.DeploymentCondition{
		{Type: appsv1.DeploymentProgressing, Status: corev1.ConditionFalse, Reason: "ProgressDeadlineExceeded"},
	}}}
}

func TestOf(t *testing.T) {
	for _, tc := range []struct {
		name   string
		object client.Object
		kind   schema.GroupVersionKind
		want   readiness.Verdict
	}{
		{"all pods are Ready", set(3, 2), setKind, readiness.Verdict{Done: true, Message: "All replicas scheduled as expected. Replicas: 3"}},
		{"a pod is missing", set(2, 2), setKind, readiness.Verdict{Message: "Ready: 2/3"}},
		{
			"the controller has not seen the change", set(3, 1), setKind,
			readiness.Verdict{Message: "StatefulSet generation is 2, but latest observed generation is 1"},
		},
		{
			"waiting does not help", stuck(),
			schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"},
			readiness.Verdict{Failed: true, Message: "Progress deadline exceeded"},
		},
		{
			"without its kind a StatefulSet would pass for done", set(2, 2),
			schema.GroupVersionKind{},
			readiness.Verdict{Done: true, Message: "Resource is current"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			before := tc.object.DeepCopyObject()
			got, err := readiness.Of(tc.object, tc.kind)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if diff := cmp.Diff(before, tc.object); diff != "" {
				t.Errorf("the object changed: -was +is:\n%s", diff)
			}
		})
	}
}
