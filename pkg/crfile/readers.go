package crfile

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
)

// readers are the namespaces that tenant.clients selects, as far as it names them. Which
// namespaces carry other labels only a cluster can tell.
func (r *Rendering) readers(cache *v1alpha1.DistributedCache) []string {
	var names []string
	for i := range cache.Spec.Tenant.Clients {
		named, ok := namedBy(&cache.Spec.Tenant.Clients[i])
		if !ok {
			r.note("spec.tenant.clients[%d] selects namespaces by their labels; those that it selects are subjects of the RoleBinding, too.", i)
		}
		names = append(names, named...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// namedBy are the namespaces of a selector that selects by nothing but the label that holds a
// namespace's name.
func namedBy(s *metav1.LabelSelector) ([]string, bool) {
	name, labelled := s.MatchLabels[corev1.LabelMetadataName]
	switch {
	case labelled && len(s.MatchLabels) == 1 && len(s.MatchExpressions) == 0:
		return []string{name}, true
	case len(s.MatchLabels) == 0 && len(s.MatchExpressions) == 1:
		e := s.MatchExpressions[0]
		if e.Key == corev1.LabelMetadataName && e.Operator == metav1.LabelSelectorOpIn {
			return e.Values, true
		}
	}
	return nil, false
}
