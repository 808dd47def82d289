package render

import (
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/types"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	cacheac "github.com/sk1-services/distributed-cache/applyconfiguration/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/plan"
)

// Mark is what the operator sets of a pod: how long it serves on after it has left the ring, and
// since when it has. It holds for the one pod of the UID, not for a successor of its name.
func Mark(cache *v1alpha1.DistributedCache, m plan.Mark, uid types.UID) *corev1ac.PodApplyConfiguration {
	annotations := map[string]string{v1alpha1.DrainGraceAnnotation: strconv.Itoa(int(m.Grace.Seconds()))}
	if !m.Since.IsZero() {
		annotations[v1alpha1.DrainingSinceAnnotation] = m.Since.UTC().Format(time.RFC3339)
	}
	return corev1ac.Pod(m.Pod, cache.Home()).WithUID(uid).WithAnnotations(annotations)
}

// Hold is the cache with our finalizer on, or off. It is written on top of the very object that
// was read.
func Hold(cache *v1alpha1.DistributedCache, on bool) *cacheac.DistributedCacheApplyConfiguration {
	object := cacheac.DistributedCache(cache.Name, cache.Namespace).WithUID(cache.UID).WithResourceVersion(cache.ResourceVersion)
	if on {
		object.WithFinalizers(v1alpha1.Finalizer)
	}
	return object
}
