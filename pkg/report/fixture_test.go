package report

import (
	"strconv"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/apply"
	"github.com/sk1-services/distributed-cache/pkg/observe"
	"github.com/sk1-services/distributed-cache/pkg/plan"
	"github.com/sk1-services/distributed-cache/pkg/ring"
)

var epoch = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

const uid = "11111111-2222-3333-4444-555555555555"

func newCache(replicas int32) *v1alpha1.DistributedCache {
	cache := &v1alpha1.DistributedCache{}
	cache.Name, cache.Namespace, cache.UID = "orders-cache", "shop", uid
	cache.Generation, cache.ResourceVersion = 3, "77"
	cache.Spec.Replicas = &replicas
	return cache
}

// settledOutcome is a pass that found all as wanted: so many members in version 4, all Ready.
func settledOutcome(replicas int) Outcome {
	o := Outcome{Now: epoch, World: &observe.World{Cache: newCache(int32(replicas))}}
	o.World.Cache.Status.RingVersion = 4
	o.World.StatefulSet = newSet(replicas)
	document := &ring.Document{Version: 4}
	for i := range replicas {
		o.World.Pods = append(o.World.Pods, newPod(i, true))
		document.Members = append(document.Members, v1alpha1.PodName("orders-cache", i))
	}
	o.World.Ring = newRing(document)
	o.Plan = plan.Plan{Step: plan.StepSettle, Replicas: replicas, Ring: document}
	o.Results = unchanged()
	return o
}

func unchanged() []apply.Result {
	return []apply.Result{
		{Kind: "Service", Namespace: "shop", Name: "orders-cache", Action: apply.Unchanged, Existed: true},
		{Kind: "StatefulSet", Namespace: "shop", Name: "orders-cache", Action: apply.Unchanged, Existed: true},
		{Kind: "ConfigMap", Namespace: "shop", Name: "orders-cache-ring", Action: apply.Unchanged, Existed: true},
	}
}

func newSet(replicas int) *appsv1.StatefulSet {
	n := int32(replicas)
	return &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Name: "orders-cache", Namespace: "shop", Generation: 2},
		Spec:       appsv1.StatefulSetSpec{Replicas: &n},
		Status: appsv1.StatefulSetStatus{
			ObservedGeneration: 2,
			Replicas:           n,
			ReadyReplicas:      n,
			CurrentReplicas:    n,
			UpdatedReplicas:    n,
			AvailableReplicas:  n,
			CurrentRevision:    "orders-cache-1",
			UpdateRevision:     "orders-cache-1",
		},
	}
}

func newPod(ordinal int, ready bool) corev1.Pod {
	pod := corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "orders-cache-" + strconv.Itoa(ordinal), Namespace: "shop"},
		Status:     corev1.PodStatus{Phase: corev1.PodRunning},
	}
	setReady(&pod, ready, epoch)
	return pod
}

func setReady(pod *corev1.Pod, ready bool, since time.Time) {
	status := corev1.ConditionFalse
	if ready {
		status = corev1.ConditionTrue
	}
	pod.Status.Conditions = []corev1.PodCondition{{
		Type: corev1.PodReady, Status: status, LastTransitionTime: metav1.NewTime(since),
	}}
}

func newRing(document *ring.Document) *corev1.ConfigMap {
	data, err := document.Encode()
	if err != nil {
		panic(err)
	}
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "orders-cache-ring", Namespace: "shop"},
		Data:       map[string]string{v1alpha1.RingKey: string(data), v1alpha1.OwnerUIDKey: uid},
	}
}

// unready takes the pod with the ordinal out of service, in its own eyes and the StatefulSet's.
func unready(o *Outcome, ordinal int) {
	setReady(&o.World.Pods[ordinal], false, o.Now)
	o.World.StatefulSet.Status.ReadyReplicas--
}

// refuse makes the API server refuse the object of the kind.
func refuse(o *Outcome, kind string, err error) {
	for i := range o.Results {
		if o.Results[i].Kind == kind {
			o.Results[i].Action, o.Results[i].Err = "", err
		}
	}
}

// byType shows conditions as type → "status reason".
func byType(t *testing.T, conditions []metav1.Condition) map[string]string {
	t.Helper()
	shown := map[string]string{}
	for _, c := range conditions {
		if _, twice := shown[c.Type]; twice {
			t.Errorf("condition %s stands twice", c.Type)
		}
		shown[c.Type] = string(c.Status) + " " + c.Reason
	}
	return shown
}
