package explain_test

import (
	"fmt"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/explain"
	"github.com/sk1-services/distributed-cache/pkg/observe"
	"github.com/sk1-services/distributed-cache/pkg/ring"
)

var epoch = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

const uid = "11111111-2222-3333-4444-555555555555"

// ago is a time before the epoch, which is now.
func ago(d time.Duration) metav1.Time { return metav1.NewTime(epoch.Add(-d)) }

// scene is a cache at some moment; its methods make it from a healthy one.
type scene struct {
	explain.Facts
	cache *v1alpha1.DistributedCache
}

// healthy is a cache of n pods, all in ring version 4, an hour old.
func healthy(n int) *scene {
	cache := &v1alpha1.DistributedCache{}
	cache.Name, cache.Namespace, cache.UID = "orders-cache", "shop", uid
	cache.Generation, cache.CreationTimestamp = 3, ago(time.Hour)
	cache.Finalizers = []string{v1alpha1.Finalizer}
	cache.Spec.Replicas = new(int32(n))
	cache.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "kubectl", Operation: metav1.ManagedFieldsOperationApply, Time: new(ago(30 * time.Minute))}}
	cache.Status.ObservedGeneration, cache.Status.RingVersion = 3, 4
	s := &scene{cache: cache}
	s.World = &observe.World{Cache: cache, Service: &corev1.Service{}, StatefulSet: &appsv1.StatefulSet{}}
	s.World.StatefulSet.CreationTimestamp = ago(time.Hour)
	s.World.StatefulSet.OwnerReferences = []metav1.OwnerReference{{Kind: v1alpha1.Kind, Name: cache.Name, UID: uid, Controller: new(true)}}
	s.hold(n)
	var members []string
	for i := range n {
		s.World.Pods = append(s.World.Pods, pod(i))
		members = append(members, v1alpha1.PodName(cache.Name, i))
	}
	s.ring(4, members...)
	s.says(v1alpha1.Available, "True", v1alpha1.ReasonReconciled, fmt.Sprintf("%d of %d wanted pods serve in ring version 4", n, n))
	s.says(v1alpha1.Progressing, "False", v1alpha1.ReasonReconciled, "all is as wanted")
	s.says(v1alpha1.Degraded, "False", v1alpha1.ReasonReconciled, "nothing is wrong")
	s.says(v1alpha1.TenantIsolated, "False", v1alpha1.ReasonNotRequested, "tenant.isolate is false")
	s.says(v1alpha1.Ready, "True", v1alpha1.ReasonReconciled, "all is well")
	return s
}

// hold sets the size of the StatefulSet.
func (s *scene) hold(n int) { s.World.StatefulSet.Spec.Replicas = new(int32(n)) }

// says is a condition that the operator has set ten minutes ago. Ready follows it.
func (s *scene) says(kind string, status metav1.ConditionStatus, reason, message string) {
	if status == "True" && (kind == v1alpha1.Degraded || kind == v1alpha1.Progressing) {
		defer s.says(v1alpha1.Ready, "False", reason, message)
	}
	c := metav1.Condition{Type: kind, Status: status, Reason: reason, Message: message, ObservedGeneration: s.cache.Generation, LastTransitionTime: ago(10 * time.Minute)}
	for i := range s.cache.Status.Conditions {
		if s.cache.Status.Conditions[i].Type == kind {
			s.cache.Status.Conditions[i] = c
			return
		}
	}
	s.cache.Status.Conditions = append(s.cache.Status.Conditions, c)
}

func (s *scene) ring(version int64, members ...string) {
	data, err := ring.Document{Version: version, Members: members}.Encode()
	if err != nil {
		panic(err)
	}
	s.World.Ring = &corev1.ConfigMap{Data: map[string]string{v1alpha1.RingKey: string(data), v1alpha1.OwnerUIDKey: uid}}
	s.cache.Status.RingVersion = version
}

// drains enters an ordinal into the ledger.
func (s *scene) drains(since map[int]time.Duration) {
	text := ""
	for ordinal := range ring.MaxOrdinal {
		if d, ok := since[ordinal]; ok {
			text += fmt.Sprintf(`,{"ordinal":%d,"since":%q}`, ordinal, epoch.Add(-d).Format(time.RFC3339))
		}
	}
	s.World.Ring.Data[v1alpha1.LedgerKey] = "[" + text[1:] + "]"
}

func (s *scene) event(d time.Duration, kind, reason, object, message string) {
	objectKind, name := "Pod", object
	s.Events = append(s.Events, corev1.Event{
		InvolvedObject: corev1.ObjectReference{Kind: objectKind, Name: name},
		Type:           kind, Reason: reason, Message: message, LastTimestamp: ago(d), Count: 1,
	})
}

// isolate puts the cache into a cell with a quota for n pods.
func (s *scene) isolate(n int64) {
	s.cache.Spec.Tenant.Isolate = true
	namespace := &corev1.Namespace{}
	namespace.Name, namespace.UID = "cache-orders-cache", "cell-uid"
	namespace.Labels = map[string]string{
		v1alpha1.ManagedByLabel: v1alpha1.FieldManager, v1alpha1.OwnerUIDLabel: uid,
		v1alpha1.OwnerNamespaceLabel: "shop", v1alpha1.OwnerNameLabel: "orders-cache",
	}
	memory := *resource.NewQuantity(n*128<<20*5/4, resource.BinarySI)
	quota := &corev1.ResourceQuota{}
	quota.Status.Hard = corev1.ResourceList{
		corev1.ResourcePods: *resource.NewQuantity(n+1, resource.DecimalSI), corev1.ResourceRequestsMemory: memory, corev1.ResourceLimitsMemory: memory,
	}
	used := *resource.NewQuantity(int64(len(s.World.Pods))*128<<20, resource.BinarySI)
	quota.Status.Used = corev1.ResourceList{
		corev1.ResourcePods: *resource.NewQuantity(int64(len(s.World.Pods)), resource.DecimalSI), corev1.ResourceRequestsMemory: used,
	}
	s.World.Cell = &observe.Cell{Namespace: namespace, Quota: quota, Policy: &networkingv1.NetworkPolicy{}}
	s.says(v1alpha1.TenantIsolated, "True", v1alpha1.ReasonReconciled, "namespace cache-orders-cache, its NetworkPolicy and its ResourceQuota are in place")
}

// pod is one that has been Ready for fifty minutes.
func pod(ordinal int, changes ...func(*corev1.Pod)) corev1.Pod {
	p := corev1.Pod{}
	p.Name, p.Namespace, p.CreationTimestamp = "orders-cache-"+strconv.Itoa(ordinal), "shop", ago(51*time.Minute)
	p.Spec.NodeName = "node-" + string(rune('a'+ordinal%3))
	p.Annotations = map[string]string{v1alpha1.DrainGraceAnnotation: "30"}
	p.Status.Phase = corev1.PodRunning
	p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "tiny-cache", Ready: true, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}
	p.Status.Conditions = []corev1.PodCondition{
		{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: ago(51 * time.Minute)},
		{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: ago(50 * time.Minute)},
	}
	for _, change := range changes {
		change(&p)
	}
	return p
}

func ready(since time.Duration) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Status.Conditions[1].LastTransitionTime = ago(since)
		p.CreationTimestamp = ago(since + 4*time.Second)
	}
}

func unready(since time.Duration) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Status.Conditions[1].Status, p.Status.Conditions[1].LastTransitionTime = corev1.ConditionFalse, ago(since)
		p.Status.ContainerStatuses[0].Ready = false
	}
}

func waiting(reason, message string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		unready(4 * time.Minute)(p)
		c := &p.Status.ContainerStatuses[0]
		c.Image = "ghcr.io/sk1-services/tiny-cache:v2"
		c.State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}
		p.Status.Phase = corev1.PodPending
	}
}

func crashing(reason string, code int32) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		waiting("CrashLoopBackOff", "back-off 2m40s restarting failed container")(p)
		p.Status.Phase = corev1.PodRunning
		c := &p.Status.ContainerStatuses[0]
		c.RestartCount = 5
		c.LastTerminationState.Terminated = &corev1.ContainerStateTerminated{Reason: reason, ExitCode: code, FinishedAt: ago(95 * time.Second)}
	}
}

func unscheduled(since time.Duration, message string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.NodeName, p.Status.Phase, p.Status.ContainerStatuses = "", corev1.PodPending, nil
		p.CreationTimestamp = ago(since)
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: "Unschedulable", Message: message, LastTransitionTime: ago(since)}}
	}
}

// terminating was told to end so long ago.
func terminating(since time.Duration) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.DeletionGracePeriodSeconds = new(int64(60))
		p.DeletionTimestamp = new(ago(since - time.Minute))
	}
}
