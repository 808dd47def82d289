package explain_test

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/explain"
	"github.com/sk1-services/distributed-cache/pkg/observe"
)

type sceneCase struct {
	verdict explain.Verdict
	scene   func() *scene
}

var scenes = map[string]sceneCase{
	"healthy": {explain.Healthy, func() *scene { return healthy(3) }},

	"growing": {explain.Progressing, func() *scene {
		s := healthy(3)
		s.cache.Spec.Replicas = new(int32(5))
		s.hold(5)
		s.World.Pods = append(s.World.Pods, pod(3, ready(time.Second)), pod(4, ready(0), waiting("ContainerCreating", "")))
		s.says(v1alpha1.Progressing, "True", v1alpha1.ReasonWaitingForPods, "Ready: 4/5")
		s.event(5*time.Second, "Normal", "Scheduled", "orders-cache-4", "Successfully assigned shop/orders-cache-4 to node-b")
		return s
	}},

	"draining": {explain.Progressing, draining},

	"crash loop": {explain.Degraded, func() *scene {
		s := healthy(3)
		s.World.Pods[1] = pod(1, crashing("OOMKilled", 137))
		s.ring(5, "orders-cache-0", "orders-cache-2")
		s.says(v1alpha1.Degraded, "True", v1alpha1.ReasonPodFailing, "pod orders-cache-1: container tiny-cache keeps crashing: OOMKilled, exit code 137")
		s.says(v1alpha1.Progressing, "True", v1alpha1.ReasonWaitingForPods, "Ready: 2/3")
		for i := range 12 {
			s.event(time.Duration(i)*20*time.Second, "Warning", "BackOff", "orders-cache-1", "Back-off restarting failed container tiny-cache in pod orders-cache-1_shop")
		}
		s.event(95*time.Second, "Normal", "Pulled", "orders-cache-1", "Container image already present on machine")
		return s
	}},

	"image pull": {explain.Unavailable, func() *scene {
		s := healthy(2)
		s.World.Ring, s.cache.Status.RingVersion, s.cache.Generation, s.cache.Status.ObservedGeneration = nil, 0, 1, 1
		for i := range s.World.Pods {
			s.World.Pods[i] = pod(i, ready(4*time.Minute), waiting("ImagePullBackOff", `Back-off pulling image "ghcr.io/sk1-services/tiny-cache:v2": not found`))
		}
		s.says(v1alpha1.Available, "False", v1alpha1.ReasonRingNotPublished, "no ring has been published yet: 0 of 2 pods are Ready")
		s.says(v1alpha1.Degraded, "True", v1alpha1.ReasonImagePullFailed, `pod orders-cache-0: image "ghcr.io/sk1-services/tiny-cache:v2" cannot be pulled`)
		return s
	}},

	"unschedulable": {explain.Degraded, func() *scene {
		s := healthy(3)
		s.cache.Spec.Replicas = new(int32(4))
		s.hold(4)
		s.World.Pods = append(s.World.Pods, pod(3, unscheduled(2*time.Minute, "0/3 nodes are available: 3 Insufficient memory.")))
		s.says(v1alpha1.Degraded, "True", v1alpha1.ReasonPodUnschedulable, "pod orders-cache-3: 0/3 nodes are available: 3 Insufficient memory.")
		s.says(v1alpha1.Progressing, "True", v1alpha1.ReasonWaitingForPods, "Ready: 3/4")
		return s
	}},

	"quota refused": {explain.Degraded, func() *scene {
		s := healthy(2)
		s.isolate(3)
		s.cache.Spec.Replicas = new(int32(3))
		s.hold(3)
		s.World.Refusal = "exceeded quota: by-hand, requested: pods=1, used: pods=2, limited: pods=2"
		s.says(v1alpha1.Degraded, "True", v1alpha1.ReasonPodCreationFailed, "StatefulSet cache-orders-cache/orders-cache: pods are refused: "+s.World.Refusal)
		s.says(v1alpha1.Progressing, "True", v1alpha1.ReasonWaitingForPods, "Replicas: 2/3")
		return s
	}},

	"waiting for the quota": {explain.Progressing, func() *scene {
		s := healthy(3)
		s.isolate(3)
		s.cache.Spec.Replicas = new(int32(5))
		s.says(v1alpha1.Progressing, "True", v1alpha1.ReasonWaitingForCell, "namespace cache-orders-cache is being fenced: its quota is not in force for what is wanted")
		return s
	}},

	"cell conflict": {explain.Unavailable, func() *scene {
		s := healthy(3)
		s.isolate(3)
		s.World = &observe.World{Cache: s.cache, Cell: &observe.Cell{Namespace: s.World.Cell.Namespace}}
		s.World.Cell.Namespace.Labels[v1alpha1.OwnerNamespaceLabel] = "web"
		s.cache.Status.RingVersion = 0
		message := "namespace cache-orders-cache is the cell of DistributedCache web/orders-cache; it is left untouched. Create this cache under another name"
		for _, kind := range []string{v1alpha1.Available, v1alpha1.Progressing, v1alpha1.TenantIsolated} {
			s.says(kind, "False", v1alpha1.ReasonCellNamespaceConflict, message)
		}
		s.says(v1alpha1.Degraded, "True", v1alpha1.ReasonCellNamespaceConflict, message)
		return s
	}},

	"deleting": {explain.Deleting, func() *scene {
		s := healthy(2)
		s.cache.DeletionTimestamp, s.cache.Generation, s.cache.Status.ObservedGeneration = new(ago(10*time.Second)), 4, 4
		s.ring(5)
		s.drains(map[int]time.Duration{0: 9 * time.Second, 1: 9 * time.Second})
		s.says(v1alpha1.Available, "False", v1alpha1.ReasonDeleting, "the cache is being deleted")
		s.says(v1alpha1.Progressing, "True", v1alpha1.ReasonDeleting, "the cache is being deleted: its ring is emptied, and its pods go when the grace is over")
		return s
	}},

	"deleting without an operator": {explain.Deleting, func() *scene {
		s := healthy(2)
		s.cache.DeletionTimestamp, s.cache.Generation = new(ago(10*time.Minute)), 4
		s.cache.Finalizers = append(s.cache.Finalizers, "example.com/backup")
		return s
	}},

	"paused": {explain.Paused, func() *scene {
		s := healthy(3)
		s.cache.Spec.Paused = true
		s.World.Pods[2] = pod(2, unready(20*time.Second))
		s.says(v1alpha1.Progressing, "False", v1alpha1.ReasonPaused, "spec.paused is true")
		s.says(v1alpha1.Ready, "False", v1alpha1.ReasonPaused, "spec.paused is true")
		return s
	}},

	"operator never ran": {explain.Unavailable, func() *scene {
		s := healthy(3)
		s.World = &observe.World{Cache: s.cache}
		s.cache.Finalizers, s.cache.ManagedFields, s.cache.Generation = nil, nil, 1
		s.cache.CreationTimestamp = ago(5 * time.Minute)
		s.cache.Status = v1alpha1.DistributedCacheStatus{ObservedGeneration: -1}
		return s
	}},

	"operator behind": {explain.Degraded, func() *scene {
		s := healthy(3)
		s.cache.Spec.Replicas, s.cache.Generation = new(int32(5)), 4
		s.cache.ManagedFields = append(s.cache.ManagedFields, metav1.ManagedFieldsEntry{Manager: "kubectl", Subresource: "scale", Time: new(ago(90 * time.Second))})
		return s
	}},

	"operator leaves the ring stale": {explain.Degraded, func() *scene {
		s := healthy(3)
		s.World.Pods[1] = pod(1, unready(40*time.Second))
		return s
	}},

	"just created": {explain.Progressing, func() *scene {
		s := healthy(3)
		s.World = &observe.World{Cache: s.cache}
		s.cache.Finalizers, s.cache.ManagedFields, s.cache.Generation = nil, nil, 1
		s.cache.CreationTimestamp = ago(time.Second)
		s.cache.Status = v1alpha1.DistributedCacheStatus{ObservedGeneration: -1}
		return s
	}},

	"ring never published": {explain.Progressing, func() *scene {
		s := healthy(3)
		s.World.Ring, s.cache.Status.RingVersion, s.cache.Generation, s.cache.Status.ObservedGeneration = nil, 0, 1, 1
		s.World.StatefulSet.CreationTimestamp = ago(12 * time.Second)
		s.World.Pods = []corev1.Pod{pod(0, ready(2*time.Second)), pod(1, unready(3*time.Second))}
		s.says(v1alpha1.Available, "False", v1alpha1.ReasonRingNotPublished, "no ring has been published yet: 1 of 3 pods are Ready")
		s.says(v1alpha1.Progressing, "True", v1alpha1.ReasonWaitingForPods, "Ready: 1/3")
		return s
	}},

	"ring of a former cache": {explain.Unavailable, func() *scene {
		s := healthy(2)
		s.World.Ring.Data[v1alpha1.OwnerUIDKey] = "00000000-2222-3333-4444-555555555555"
		return s
	}},

	"pods unreadable": {explain.Healthy, func() *scene {
		s := healthy(3)
		s.World.Pods = nil
		s.Unread = []explain.Unreadable{{Kind: "Pod", Message: `pods is forbidden: User "dev" cannot list resource "pods" in API group "" in the namespace "shop"`}}
		return s
	}},

	"draining and nothing readable": {explain.Progressing, func() *scene {
		s := draining()
		s.cache.Status.Drain = &v1alpha1.DrainStatus{Pods: []v1alpha1.DrainingPod{
			{Name: "orders-cache-3", Since: ago(18 * time.Second), Until: ago(-12 * time.Second)},
			{Name: "orders-cache-4", Since: ago(40 * time.Second), Until: ago(10 * time.Second)},
		}}
		s.World = &observe.World{Cache: s.cache}
		for _, kind := range []string{"Pod", "ConfigMap", "StatefulSet", "Service", "Event"} {
			s.Unread = append(s.Unread, explain.Unreadable{Kind: kind, Message: "forbidden"})
		}
		return s
	}},

	"nothing readable": {explain.Unknown, func() *scene {
		s := healthy(3)
		s.World = &observe.World{Cache: s.cache}
		s.cache.Status = v1alpha1.DistributedCacheStatus{ObservedGeneration: 3}
		for _, kind := range []string{"Pod", "ConfigMap", "StatefulSet", "Service"} {
			s.Unread = append(s.Unread, explain.Unreadable{Kind: kind, Message: "forbidden"})
		}
		return s
	}},

	"few serve": {explain.Unavailable, func() *scene {
		s := healthy(30)
		for i := 12; i < 30; i++ {
			s.World.Pods[i] = pod(i, terminating(5*time.Second))
		}
		s.World.Pods[29] = pod(29, terminating(2*time.Minute))
		var members []string
		for i := range 12 {
			members = append(members, v1alpha1.PodName("orders-cache", i))
		}
		s.ring(7, members...)
		return s
	}},

	"scaled to zero": {explain.Healthy, func() *scene {
		s := healthy(0)
		s.says(v1alpha1.Available, "False", v1alpha1.ReasonScaledToZero, "spec.replicas is 0")
		return s
	}},

	"rolling": {explain.Progressing, func() *scene {
		s := healthy(3)
		s.World.StatefulSet.Status.CurrentRevision, s.World.StatefulSet.Status.UpdateRevision = "a", "b"
		s.World.Pods[2] = pod(2, waiting("ContainerCreating", ""), func(p *corev1.Pod) { p.Status.Conditions[1].LastTransitionTime = ago(2 * time.Second) })
		s.ring(5, "orders-cache-0", "orders-cache-1")
		s.says(v1alpha1.Progressing, "True", v1alpha1.ReasonRollingOut, "1 of 3 pods are of the wanted template")
		return s
	}},
}

// draining is a cache of five pods of which three are wanted.
func draining() *scene {
	s := healthy(5)
	s.cache.Spec.Replicas = new(int32(3))
	s.ring(5, "orders-cache-0", "orders-cache-1", "orders-cache-2")
	s.drains(map[int]time.Duration{3: 18 * time.Second, 4: 17 * time.Second})
	s.says(v1alpha1.Progressing, "True", v1alpha1.ReasonDraining, "3 pods are wanted and 5 run until their grace is over")
	return s
}
