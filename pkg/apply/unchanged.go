package apply

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	appsv1ac "k8s.io/client-go/applyconfigurations/apps/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	networkingv1ac "k8s.io/client-go/applyconfigurations/networking/v1"
	rbacv1ac "k8s.io/client-go/applyconfigurations/rbac/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// unchanged reports whether applying desired over live would change nothing: what the manager
// owns of live, with its values, is what desired says. An unknown kind counts as changed, for
// the comparison is only there to save a request.
func unchanged(live client.Object, desired runtime.ApplyConfiguration, manager string) (bool, error) {
	owned, err := extract(live, manager)
	if err != nil {
		return false, fmt.Errorf("extract the fields of %s: %w", manager, err)
	}
	return owned != nil && equality.Semantic.DeepEqual(owned, desired), nil
}

func extract(live client.Object, manager string) (runtime.ApplyConfiguration, error) {
	switch object := live.(type) {
	case *corev1.Namespace:
		return corev1ac.ExtractNamespace(object, manager)
	case *networkingv1.NetworkPolicy:
		return networkingv1ac.ExtractNetworkPolicy(object, manager)
	case *corev1.ResourceQuota:
		return corev1ac.ExtractResourceQuota(object, manager)
	case *rbacv1.Role:
		return rbacv1ac.ExtractRole(object, manager)
	case *rbacv1.RoleBinding:
		return rbacv1ac.ExtractRoleBinding(object, manager)
	case *corev1.Service:
		return corev1ac.ExtractService(object, manager)
	case *corev1.ConfigMap:
		return corev1ac.ExtractConfigMap(object, manager)
	case *appsv1.StatefulSet:
		return appsv1ac.ExtractStatefulSet(object, manager)
	default:
		return nil, nil //nolint:nilnil // an unknown kind cannot be compared
	}
}
