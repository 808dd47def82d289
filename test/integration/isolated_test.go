//go:build integration

package integration

import (
	"fmt"
	"strconv"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/rand"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
)

// fresh is a name that no other spec uses: cells of all namespaces share one space of names.
func fresh(prefix string) string { return prefix + "-" + rand.String(5) }

func isolate(c *v1alpha1.DistributedCache) { c.Spec.Tenant.Isolate = true }

// isolated makes an isolated cache in a namespace of its own.
func isolated(edits ...edit) tenant {
	GinkgoHelper()
	return isolatedIn(namespace(), fresh("orders"), edits...)
}

func isolatedIn(namespace, name string, edits ...edit) tenant {
	GinkgoHelper()
	return createIn(namespace, name, append([]edit{isolate}, edits...)...)
}

// cell is the namespace of the cache's objects, nil if there is none.
func (t tenant) cell() *corev1.Namespace { return namespaceOf(t.home) }

func (t tenant) policy() *networkingv1.NetworkPolicy {
	return fetch(t, t.key.Name, &networkingv1.NetworkPolicy{})
}

func (t tenant) quota() *corev1.ResourceQuota { return fetch(t, t.key.Name, &corev1.ResourceQuota{}) }

func (t tenant) role() *rbacv1.Role { return fetch(t, t.key.Name+"-ring-reader", &rbacv1.Role{}) }

func (t tenant) binding() *rbacv1.RoleBinding {
	return fetch(t, t.key.Name+"-ring-reader", &rbacv1.RoleBinding{})
}

// owned are the cache's objects but its pods.
func (t tenant) owned() []client.Object {
	GinkgoHelper()
	return []client.Object{t.cell(), t.policy(), t.quota(), t.role(), t.binding(), t.service(), t.set(), t.ringMap()}
}

// pods are all pods where the cache's are.
func (t tenant) pods() []corev1.Pod {
	GinkgoHelper()
	var list corev1.PodList
	Expect(k8s.List(ctx, &list, client.InNamespace(t.home))).To(Succeed())
	return list.Items
}

// namespaceOf reads a namespace, nil if there is none.
func namespaceOf(name string) *corev1.Namespace {
	GinkgoHelper()
	ns := &corev1.Namespace{}
	err := k8s.Get(ctx, types.NamespacedName{Name: name}, ns)
	if apierrors.IsNotFound(err) {
		return nil
	}
	Expect(err).NotTo(HaveOccurred())
	return ns
}

// theirNamespace makes a namespace of somebody else, with something in it.
func theirNamespace(name string, labels map[string]string) (*corev1.Namespace, *corev1.ConfigMap) {
	GinkgoHelper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}
	Expect(k8s.Create(ctx, ns, client.FieldOwner("kubectl-create"))).To(Succeed())
	DeferCleanup(func() { Expect(client.IgnoreNotFound(k8s.Delete(ctx, ns))).To(Succeed()) })
	content := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: name, Name: "theirs"}, Data: map[string]string{"a": "b"}}
	Expect(k8s.Create(ctx, content)).To(Succeed())
	return ns, content
}

// contents are the kinds and names of all that somebody could have put into a namespace.
func contents(namespace string) []string {
	GinkgoHelper()
	var names []string
	for _, list := range []client.ObjectList{
		&corev1.ConfigMapList{}, &corev1.ServiceList{}, &corev1.PodList{}, &corev1.ResourceQuotaList{},
		&networkingv1.NetworkPolicyList{}, &rbacv1.RoleList{}, &rbacv1.RoleBindingList{},
	} {
		Expect(k8s.List(ctx, list, client.InNamespace(namespace))).To(Succeed())
		objects, err := meta.ExtractList(list)
		Expect(err).NotTo(HaveOccurred())
		for _, object := range objects {
			names = append(names, fmt.Sprintf("%T %s", object, object.(client.Object).GetName()))
		}
	}
	return names
}

func version(object client.Object) int64 {
	GinkgoHelper()
	v, err := strconv.ParseInt(object.GetResourceVersion(), 10, 64)
	Expect(err).NotTo(HaveOccurred())
	return v
}

// guest is a pod of somebody else that the restricted standard lets in.
func guest(namespace, name, memory string) *corev1.Pod {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: corev1.PodSpec{
			SecurityContext: &corev1.PodSecurityContext{
				RunAsNonRoot:   new(true),
				SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
			},
			Containers: []corev1.Container{{Name: "guest", Image: image, SecurityContext: &corev1.SecurityContext{
				AllowPrivilegeEscalation: new(false),
				Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
			}}},
		},
	}
	if memory != "" {
		list := corev1.ResourceList{corev1.ResourceMemory: resource.MustParse(memory)}
		pod.Spec.Containers[0].Resources = corev1.ResourceRequirements{Requests: list, Limits: list}
	}
	return pod
}
