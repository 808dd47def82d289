//go:build integration

package integration

import (
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
)

func memory(quantity string) edit {
	return func(c *v1alpha1.DistributedCache) { c.Spec.MemoryPerPod = new(resource.MustParse(quantity)) }
}

// kill ends pods as if their nodes had died.
func (t tenant) kill(ordinals ...int) {
	GinkgoHelper()
	for _, i := range ordinals {
		if pod := t.pod(i); pod != nil {
			Expect(client.IgnoreNotFound(k8s.Delete(ctx, pod, client.GracePeriodSeconds(0)))).To(Succeed())
		}
	}
}

// hard is what the quota of a cache lets in.
func hard(t tenant) string {
	GinkgoHelper()
	h := t.quota().Spec.Hard
	pods, requests, limits := h[corev1.ResourcePods], h[corev1.ResourceRequestsMemory], h[corev1.ResourceLimitsMemory]
	return fmt.Sprintf("%s pods, %s, %s", pods.String(), requests.String(), limits.String())
}

var _ = Describe("The quota of a Cell", func() {
	It("never stands in the way of a change of size", func() {
		t := isolated(replicas(10), graceOf(1))
		t.expectReadyWithin("60s")
		Expect(hard(t)).To(Equal("11 pods, 1600Mi, 1600Mi"))
		t.change(replicas(3))
		t.kill(1, 9)
		t.expectReadyWithin("90s")
		Eventually(func() string { return hard(t) }).Should(Equal("4 pods, 480Mi, 480Mi"))
		t.change(replicas(10))
		t.kill(0, 2)
		t.expectReadyWithin("90s")
		t.change(replicas(3))
		time.Sleep(500 * time.Millisecond)
		t.change(replicas(10))
		t.kill(4)
		t.expectReadyWithin("90s")
		Expect(t.ring().Members).To(HaveLen(10))
		Expect(hard(t)).To(Equal("11 pods, 1600Mi, 1600Mi"))
	})

	It("never stands in the way of a change of memory", func() {
		t := isolated(replicas(3), graceOf(1))
		t.expectReady()
		t.change(memory("256Mi"))
		t.kill(1)
		t.expectReadyWithin("120s")
		Eventually(func() string { return hard(t) }).Should(Equal("4 pods, 960Mi, 960Mi"))
		t.change(memory("128Mi"))
		t.kill(0)
		t.expectReadyWithin("120s")
		Eventually(func() string { return hard(t) }).Should(Equal("4 pods, 480Mi, 480Mi"), "it falls with the last larger pod")
		t.change(memory("256Mi"))
		time.Sleep(3 * time.Second)
		t.change(func(c *v1alpha1.DistributedCache) { memory("128Mi")(c); replicas(4)(c) })
		t.kill(2)
		t.expectReadyWithin("120s")
		Eventually(func() string { return hard(t) }).Should(Equal("5 pods, 640Mi, 640Mi"))
	})

	It("refuses a guest without a limit, and Pod security one that is not restricted", func() {
		t := isolated(replicas(1))
		t.expectReady()
		Expect(k8s.Create(ctx, guest(t.home, "guest", ""))).To(MatchError(And(
			ContainSubstring("failed quota: "+t.key.Name), ContainSubstring("must specify limits.memory for: guest"))))
		Expect(k8s.Create(ctx, guest(t.home, "guest", "1Gi"))).To(MatchError(ContainSubstring("exceeded quota: " + t.key.Name)))
		wild := guest(t.home, "guest", "16Mi")
		wild.Spec.Containers[0].SecurityContext = nil
		Expect(k8s.Create(ctx, wild)).To(MatchError(ContainSubstring(`violates PodSecurity "restricted:latest"`)))
	})
})

// reads reports whether the service accounts of a namespace may do something with a ConfigMap.
func reads(namespace, verb, in, name string) bool {
	GinkgoHelper()
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User:               "system:serviceaccount:" + namespace + ":default",
		Groups:             []string{"system:serviceaccounts", "system:serviceaccounts:" + namespace, "system:authenticated"},
		ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: in, Verb: verb, Resource: "configmaps", Name: name},
	}}
	Expect(k8s.Create(ctx, review)).To(Succeed())
	return review.Status.Allowed
}

var _ = Describe("The clients of a Cell", func() {
	It("are the namespaces that are selected, as their labels change", func() {
		key := fresh("client")
		t := isolated(replicas(0), func(c *v1alpha1.DistributedCache) {
			c.Spec.Tenant.Clients = []metav1.LabelSelector{{MatchLabels: map[string]string{key: "yes"}}}
		})
		t.expectReady()
		Expect(text(t.policy().Spec.Ingress)).To(Equal(`[{"from":[{"podSelector":{}}]},{"ports":[{"protocol":"TCP","port":8080}],"from":[{"namespaceSelector":{"matchLabels":{"` + key + `":"yes"}}}]}]`))
		shop, stranger, ring := namespace(), namespace(), t.ringMap().Name
		subjects := func() []string {
			GinkgoHelper()
			names := []string{}
			for _, s := range t.binding().Subjects {
				names = append(names, s.Kind+" "+s.Name)
			}
			return names
		}
		own := "Group system:serviceaccounts:" + t.home
		Expect(subjects()).To(Equal([]string{own}), "the cell's own, and nobody else")
		label := func(value string) {
			patch(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: shop}}, `{"metadata":{"labels":{"`+key+`":`+value+`}}}`)
		}
		label(`"yes"`)
		Eventually(subjects).Should(Equal([]string{own, "Group system:serviceaccounts:" + shop}))
		Eventually(func() bool { return reads(shop, "get", t.home, ring) }).Should(BeTrue())
		Expect(reads(shop, "watch", t.home, ring)).To(BeTrue())
		Expect(reads(shop, "update", t.home, ring)).To(BeFalse())
		Expect(reads(shop, "get", t.home, "kube-root-ca.crt")).To(BeFalse())
		Expect(reads(stranger, "get", t.home, ring)).To(BeFalse())
		label(`"no"`)
		Eventually(subjects).Should(Equal([]string{own}))
		Eventually(func() bool { return reads(shop, "get", t.home, ring) }).Should(BeFalse())
		label(`"yes"`)
		Eventually(subjects).Should(HaveLen(2))
		t.change(func(c *v1alpha1.DistributedCache) { c.Spec.Tenant.Clients = nil })
		Eventually(subjects).Should(Equal([]string{own}))
		Eventually(func() int { return len(t.policy().Spec.Ingress) }).Should(Equal(1))
		t.expectReady()
	})
})
