package render

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	appsv1ac "k8s.io/client-go/applyconfigurations/apps/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/plan"
)

// Options are what a rendering depends on besides the cache and its plan.
type Options struct {
	// CacheImage runs where the cache names no image.
	CacheImage string
}

// Objects are the objects of one cache, nil where the plan wants none.
type Objects struct {
	Fence       *Fence
	Service     *corev1ac.ServiceApplyConfiguration
	StatefulSet *appsv1ac.StatefulSetApplyConfiguration
	Ring        *corev1ac.ConfigMapApplyConfiguration
}

// Render gives the objects that the plan wants to stand. Every call gives new ones, to be
// applied once.
func Render(cache *v1alpha1.DistributedCache, p plan.Plan, options Options) (Objects, error) {
	var objects Objects
	var err error
	if p.Fence != nil {
		if objects.Fence, err = fence(cache, *p.Fence); err != nil {
			return Objects{}, err
		}
	}
	if p.Workload {
		if objects.Service, err = service(cache); err != nil {
			return Objects{}, err
		}
	}
	if p.Workload || p.Empty {
		if objects.StatefulSet, err = statefulSet(cache, p, options); err != nil {
			return Objects{}, err
		}
	}
	if objects.Ring, err = ringMap(cache, p); err != nil {
		return Objects{}, err
	}
	return objects, nil
}

// Selector is the label selector of the cache's pods, in string form.
func Selector(cache *v1alpha1.DistributedCache) string {
	return fmt.Sprintf("%s=%s,%s=%s", v1alpha1.InstanceLabel, cache.Name, v1alpha1.NameLabel, "tiny-cache")
}

// List gives the objects in the order in which they are applied.
func (o Objects) List() []runtime.ApplyConfiguration {
	var list []runtime.ApplyConfiguration
	if o.Fence != nil {
		list = append(list, o.Fence.List()...)
	}
	if o.Service != nil {
		list = append(list, o.Service)
	}
	if o.StatefulSet != nil {
		list = append(list, o.StatefulSet)
	}
	if o.Ring != nil {
		list = append(list, o.Ring)
	}
	return list
}
