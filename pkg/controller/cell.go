package controller

import (
	"context"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
)

// collect deletes the cell of a former cache of the name. The garbage collector would do it if
// owner references crossed namespaces.
func (r *Reconciler) collect(ctx context.Context, name types.NamespacedName, present *v1alpha1.DistributedCache) error {
	leftover, err := r.Observer.Leftover(ctx, name, present)
	if err != nil || leftover == nil {
		return err
	}
	log.FromContext(ctx).Info("collecting the cell of a cache that is no more", "namespace", leftover.Name, "owner", leftover.Labels[v1alpha1.OwnerUIDLabel])
	return r.Applier.Delete(ctx, leftover)
}
