package observe

import (
	"context"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/plan"
)

// Cell is the namespace of an isolated cache with what fences it; nil where there is none. Of a
// namespace that is somebody else's nothing is read.
type Cell struct {
	Namespace *corev1.Namespace
	Policy    *networkingv1.NetworkPolicy
	Quota     *corev1.ResourceQuota
	Role      *rbacv1.Role
	Binding   *rbacv1.RoleBinding
	// Clients are the namespaces that tenant.clients selects, in order.
	Clients []string
}

// cell reads the cell of an isolated cache.
func (o *Observer) cell(ctx context.Context, cache *v1alpha1.DistributedCache) (*Cell, error) {
	c := &Cell{}
	var err error
	if c.Namespace, err = get(ctx, o.Cached, types.NamespacedName{Name: cache.Home()}, &corev1.Namespace{}); err != nil {
		return c, err
	}
	if c.Clients, err = o.clients(ctx, cache); err != nil || !c.ours(cache) {
		return c, err
	}
	if c.Policy, err = get(ctx, o.Cached, key(cache, v1alpha1.PolicyName(cache.Name)), &networkingv1.NetworkPolicy{}); err != nil {
		return c, err
	}
	if c.Quota, err = get(ctx, o.Cached, key(cache, v1alpha1.QuotaName(cache.Name)), &corev1.ResourceQuota{}); err != nil {
		return c, err
	}
	if c.Role, err = get(ctx, o.Cached, key(cache, v1alpha1.ReaderName(cache.Name)), &rbacv1.Role{}); err != nil {
		return c, err
	}
	if c.Binding, err = get(ctx, o.Cached, key(cache, v1alpha1.ReaderName(cache.Name)), &rbacv1.RoleBinding{}); err != nil {
		return c, err
	}
	return c, nil
}

// ours reports whether the namespace was made for this cache: it says so, or it is the one that
// the cache's status names.
func (c *Cell) ours(cache *v1alpha1.DistributedCache) bool {
	if c.Namespace == nil {
		return false
	}
	return c.Namespace.UID == cache.Status.CellUID || c.OwnerUID() == cache.UID && ownerKey(c.Namespace) == client.ObjectKeyFromObject(cache)
}

// OwnerUID is the UID of the cache that the namespace says it was made for.
func (c *Cell) OwnerUID() types.UID { return types.UID(c.Namespace.Labels[v1alpha1.OwnerUIDLabel]) }

func ownerKey(object client.Object) types.NamespacedName {
	labels := object.GetLabels()
	return types.NamespacedName{Namespace: labels[v1alpha1.OwnerNamespaceLabel], Name: labels[v1alpha1.OwnerNameLabel]}
}

// clients are the names of the namespaces that tenant.clients selects. A selector that makes no
// sense selects none; that it makes none the API server says of the NetworkPolicy.
func (o *Observer) clients(ctx context.Context, cache *v1alpha1.DistributedCache) ([]string, error) {
	names := map[string]bool{}
	for i := range cache.Spec.Tenant.Clients {
		selector, err := metav1.LabelSelectorAsSelector(&cache.Spec.Tenant.Clients[i])
		if err != nil {
			continue
		}
		var list corev1.NamespaceList
		if err := o.Cached.List(ctx, &list, client.MatchingLabelsSelector{Selector: selector}); err != nil {
			return nil, fmt.Errorf("list the namespaces of tenant.clients of %s/%s: %w", cache.Namespace, cache.Name, err)
		}
		for _, ns := range list.Items {
			names[ns.Name] = true
		}
	}
	return slices.Sorted(maps.Keys(names)), nil
}

// state is the cell as the state machine sees it.
func (c *Cell) state(cache *v1alpha1.DistributedCache) *plan.Cell {
	if c == nil {
		return nil
	}
	memory := cache.Memory()
	s := &plan.Cell{Standing: c.ours(cache), Memory: memory.Value(), Readers: c.Clients}
	s.Foreign = c.Namespace != nil && !s.Standing
	s.Going = s.Standing && c.Namespace.DeletionTimestamp != nil
	if c.Quota != nil {
		hard := c.Quota.Status.Hard
		requests, limits := hard[corev1.ResourceRequestsMemory], hard[corev1.ResourceLimitsMemory]
		s.InForce = plan.Quota{Pods: int(hard.Pods().Value()), Memory: min(requests.Value(), limits.Value())}
	}
	return s
}

// Whole reports whether all of the cell is there.
func (c *Cell) Whole() bool {
	return c.Namespace != nil && c.Policy != nil && c.Quota != nil && c.Role != nil && c.Binding != nil
}

// Leftover is the cell of a former cache of the name, nil if there is none: it says that it was
// made for a cache of another UID than the present one, if there is one, our field manager itself
// wrote that, and the API server has no such cache.
func (o *Observer) Leftover(ctx context.Context, name types.NamespacedName, present *v1alpha1.DistributedCache) (*corev1.Namespace, error) {
	ns, err := get(ctx, o.Cached, types.NamespacedName{Name: v1alpha1.CellName(name.Name)}, &corev1.Namespace{})
	if err != nil || ns == nil || ownerKey(ns) != name || ns.DeletionTimestamp != nil || !claimed(ns) {
		return nil, err
	}
	cell := Cell{Namespace: ns}
	if present != nil && present.UID == cell.OwnerUID() {
		return nil, nil //nolint:nilnil // nothing left over
	}
	live, err := get(ctx, o.Live, name, &v1alpha1.DistributedCache{})
	if err != nil || live != nil && live.UID == cell.OwnerUID() {
		return nil, err
	}
	return ns, nil
}
