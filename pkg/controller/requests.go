package controller

import (
	"context"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
)

// ownerRequest finds the cache of an object by its labels: unlike owner references they also
// reach across namespaces. An object that just lost its labels leaves the informer with a last
// event that still carries them.
func ownerRequest(_ context.Context, object client.Object) []reconcile.Request {
	name, namespace := object.GetLabels()[v1alpha1.OwnerNameLabel], object.GetLabels()[v1alpha1.OwnerNamespaceLabel]
	if name == "" || namespace == "" {
		return nil
	}
	return []reconcile.Request{{NamespacedName: types.NamespacedName{Namespace: namespace, Name: name}}}
}

// namespaceRequests finds the caches that a namespace concerns: the one whose cell it says it is,
// those that want its name for theirs, and those whose clients it may be among.
func namespaceRequests(reader client.Reader) handler.MapFunc {
	return func(ctx context.Context, namespace client.Object) []reconcile.Request {
		requests := ownerRequest(ctx, namespace)
		var caches v1alpha1.DistributedCacheList
		if err := reader.List(ctx, &caches); err != nil {
			log.FromContext(ctx).Error(err, "list the caches that a namespace concerns", "namespace", namespace.GetName())
			return requests
		}
		for i := range caches.Items {
			c := &caches.Items[i]
			if tenant := c.Spec.Tenant; tenant.Isolate && (c.Home() == namespace.GetName() || len(tenant.Clients) > 0) {
				requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(c)})
			}
		}
		return requests
	}
}
