package render

import (
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/templates"
)

func service(cache *v1alpha1.DistributedCache) (*corev1ac.ServiceApplyConfiguration, error) {
	object, err := decode[corev1ac.ServiceApplyConfiguration](templates.Service)
	if err != nil {
		return nil, err
	}
	object.WithName(v1alpha1.ServiceName(cache.Name)).
		WithNamespace(cache.Home()).
		WithLabels(labels(cache)).
		WithOwnerReferences(owner(cache)...)
	object.Spec.WithSelector(selector(cache))
	return object, nil
}
