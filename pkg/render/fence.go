package render

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
	networkingv1ac "k8s.io/client-go/applyconfigurations/networking/v1"
	rbacv1ac "k8s.io/client-go/applyconfigurations/rbac/v1"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/plan"
	"github.com/sk1-services/distributed-cache/templates"
)

// Fence is what stands around an isolated cache.
type Fence struct {
	Namespace *corev1ac.NamespaceApplyConfiguration
	Policy    *networkingv1ac.NetworkPolicyApplyConfiguration
	Quota     *corev1ac.ResourceQuotaApplyConfiguration
	Role      *rbacv1ac.RoleApplyConfiguration
	Binding   *rbacv1ac.RoleBindingApplyConfiguration
}

// List gives the objects in the order in which they are applied.
func (f Fence) List() []runtime.ApplyConfiguration {
	return []runtime.ApplyConfiguration{f.Namespace, f.Policy, f.Quota, f.Role, f.Binding}
}

func fence(cache *v1alpha1.DistributedCache, f plan.Fence) (*Fence, error) {
	objects := &Fence{}
	var err error
	if objects.Namespace, err = namespace(cache); err != nil {
		return nil, err
	}
	if objects.Policy, err = policy(cache); err != nil {
		return nil, err
	}
	if objects.Quota, err = quota(cache, f.Quota); err != nil {
		return nil, err
	}
	if objects.Role, err = role(cache); err != nil {
		return nil, err
	}
	objects.Binding, err = binding(cache, f.Readers)
	return objects, err
}

func namespace(cache *v1alpha1.DistributedCache) (*corev1ac.NamespaceApplyConfiguration, error) {
	object, err := decode[corev1ac.NamespaceApplyConfiguration](templates.Namespace)
	if err != nil {
		return nil, err
	}
	return object.WithName(cache.Home()).WithLabels(labels(cache)), nil
}

func policy(cache *v1alpha1.DistributedCache) (*networkingv1ac.NetworkPolicyApplyConfiguration, error) {
	object, err := decode[networkingv1ac.NetworkPolicyApplyConfiguration](templates.NetworkPolicy)
	if err != nil {
		return nil, err
	}
	object.WithName(v1alpha1.PolicyName(cache.Name)).WithNamespace(cache.Home()).WithLabels(labels(cache))
	clients := networkingv1ac.NetworkPolicyIngressRule().WithPorts(networkingv1ac.NetworkPolicyPort().
		WithProtocol(corev1.ProtocolTCP).WithPort(intstr.FromInt32(v1alpha1.Port)))
	for i := range cache.Spec.Tenant.Clients {
		selected := metav1ac.LabelSelector()
		if err := convert(cache.Spec.Tenant.Clients[i], selected); err != nil {
			return nil, fmt.Errorf("spec.tenant.clients[%d]: %w", i, err)
		}
		clients.WithFrom(networkingv1ac.NetworkPolicyPeer().WithNamespaceSelector(selected))
	}
	if len(clients.From) > 0 {
		object.Spec.WithIngress(clients)
	}
	return object, nil
}

func quota(cache *v1alpha1.DistributedCache, q plan.Quota) (*corev1ac.ResourceQuotaApplyConfiguration, error) {
	object, err := decode[corev1ac.ResourceQuotaApplyConfiguration](templates.ResourceQuota)
	if err != nil {
		return nil, err
	}
	memory := *resource.NewQuantity(q.Memory, resource.BinarySI)
	return object.WithName(v1alpha1.QuotaName(cache.Name)).
		WithNamespace(cache.Home()).
		WithLabels(labels(cache)).
		WithSpec(corev1ac.ResourceQuotaSpec().WithHard(corev1.ResourceList{
			corev1.ResourcePods:           *resource.NewQuantity(int64(q.Pods), resource.DecimalSI),
			corev1.ResourceRequestsMemory: memory,
			corev1.ResourceLimitsMemory:   memory,
		})), nil
}

func role(cache *v1alpha1.DistributedCache) (*rbacv1ac.RoleApplyConfiguration, error) {
	object, err := decode[rbacv1ac.RoleApplyConfiguration](templates.Role)
	if err != nil {
		return nil, err
	}
	object.WithName(v1alpha1.ReaderName(cache.Name)).WithNamespace(cache.Home()).WithLabels(labels(cache))
	object.Rules[0].WithResourceNames(v1alpha1.RingName(cache.Name))
	return object, nil
}

// binding binds the service accounts of the clients' namespaces, each by its group, and first
// those of the cell itself: a list that is never empty is always ours, and who is added to it by
// hand is taken off again.
func binding(cache *v1alpha1.DistributedCache, readers []string) (*rbacv1ac.RoleBindingApplyConfiguration, error) {
	object, err := decode[rbacv1ac.RoleBindingApplyConfiguration](templates.RoleBinding)
	if err != nil {
		return nil, err
	}
	object.WithName(v1alpha1.ReaderName(cache.Name)).WithNamespace(cache.Home()).WithLabels(labels(cache))
	object.RoleRef.WithName(v1alpha1.ReaderName(cache.Name))
	for _, ns := range append([]string{cache.Home()}, readers...) {
		object.WithSubjects(rbacv1ac.Subject().
			WithAPIGroup(rbacv1.GroupName).
			WithKind(rbacv1.GroupKind).
			WithName("system:serviceaccounts:" + ns))
	}
	return object, nil
}
