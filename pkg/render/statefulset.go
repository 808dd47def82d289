package render

import (
	"maps"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	appsv1ac "k8s.io/client-go/applyconfigurations/apps/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/plan"
	"github.com/sk1-services/distributed-cache/templates"
)

func statefulSet(cache *v1alpha1.DistributedCache, p plan.Plan, options Options) (*appsv1ac.StatefulSetApplyConfiguration, error) {
	object, err := decode[appsv1ac.StatefulSetApplyConfiguration](templates.StatefulSet)
	if err != nil {
		return nil, err
	}
	object.WithName(v1alpha1.StatefulSetName(cache.Name)).
		WithNamespace(cache.Home()).
		WithLabels(labels(cache)).
		WithAnnotations(map[string]string{v1alpha1.GenerationAnnotation: strconv.FormatInt(cache.Generation, 10)}).
		WithOwnerReferences(owner(cache)...)
	object.Spec.
		WithServiceName(v1alpha1.ServiceName(cache.Name)).
		WithReplicas(int32(p.Replicas)).
		WithSelector(metav1ac.LabelSelector().WithMatchLabels(selector(cache)))

	object.Spec.UpdateStrategy.WithRollingUpdate(appsv1ac.RollingUpdateStatefulSetStrategy().WithPartition(int32(p.Partition)))

	pod := object.Spec.Template
	podLabels := maps.Clone(cache.Spec.Pod.Labels)
	if podLabels == nil {
		podLabels = map[string]string{}
	}
	maps.Copy(podLabels, labels(cache))
	pod.WithLabels(podLabels).WithAnnotations(cache.Spec.Pod.Annotations)
	if err := passOn(cache.Spec.Pod, selector(cache), pod.Spec); err != nil {
		return nil, err
	}
	container(cache, options, &pod.Spec.Containers[0])
	return object, nil
}

func container(cache *v1alpha1.DistributedCache, options Options, c *corev1ac.ContainerApplyConfiguration) {
	image := cache.Spec.Image
	if image == "" {
		image = options.CacheImage
	}
	c.WithImage(image)
	if policy := cache.Spec.Pod.ImagePullPolicy; policy != "" {
		c.WithImagePullPolicy(policy)
	}
	c.WithResources(resources(cache))
}

// resources always has a memory request and limit, so that a quota on either lets the pod in.
func resources(cache *v1alpha1.DistributedCache) *corev1ac.ResourceRequirementsApplyConfiguration {
	memory := cache.Memory()
	requests := corev1.ResourceList{corev1.ResourceMemory: memory}
	limits := corev1.ResourceList{corev1.ResourceMemory: memory}
	maps.Copy(requests, cache.Spec.Pod.Resources.Requests)
	maps.Copy(limits, cache.Spec.Pod.Resources.Limits)
	return corev1ac.ResourceRequirements().WithRequests(requests).WithLimits(limits)
}
