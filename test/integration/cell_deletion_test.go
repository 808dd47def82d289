//go:build integration

package integration

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
)

// strippable is a cache that strip can be used on.
func strippable(c *v1alpha1.DistributedCache) { c.Finalizers = []string{"example.com/force"} }

// strip takes the finalizer off a deleted cache by force. Another stays for a moment, and a note:
// they show the judge who did it.
func (t tenant) strip() {
	GinkgoHelper()
	patch(t.get(), `{"metadata":{"annotations":{"example.com/force":"x"},"finalizers":["example.com/force"]}}`)
	patch(t.get(), `{"metadata":{"finalizers":null}}`)
	t.expectGone("20s")
}

var _ = Describe("Deletion of a cache in a Cell", func() {
	It("drains, and the cell goes with it", func() {
		t := isolated(replicas(3), graceOf(2))
		t.expectReady()
		before := time.Now()
		Expect(k8s.Delete(ctx, t.get())).To(Succeed())
		Eventually(func() string { return text(t.ring()) }).Should(Equal(`{"version":2,"members":[]}`))
		Eventually(func() map[string]string { return t.pod(0).Annotations }).Should(HaveKey(v1alpha1.DrainingSinceAnnotation))
		t.expectCondition(v1alpha1.TenantIsolated, metav1.ConditionFalse, v1alpha1.ReasonDeleting)
		t.expectGone("40s")
		Expect(time.Since(before)).To(BeNumerically(">=", 2*time.Second), "the grace")
		Expect(t.cell()).To(BeNil(), "the cache goes last")
	})

	It("without pods goes at once", func() {
		t := isolated(replicas(0), graceOf(3600))
		t.expectReady()
		Expect(k8s.Delete(ctx, t.get())).To(Succeed())
		t.expectGone("15s")
		Expect(t.cell()).To(BeNil())
	})

	It("that is paused goes all the same", func() {
		t := isolated(replicas(1), graceOf(1))
		t.expectReady()
		t.change(func(c *v1alpha1.DistributedCache) { c.Spec.Paused = true })
		Expect(k8s.Delete(ctx, t.get())).To(Succeed())
		t.expectGone("16s")
	})

	It("is held by what somebody put there, names it, and goes when that goes", func() {
		t := isolated(replicas(1), graceOf(0))
		t.expectReady()
		guest := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: t.home, Name: "guest", Finalizers: []string{"example.com/held"}}}
		Expect(k8s.Create(ctx, guest)).To(Succeed())
		free := func() { patch(guest, `{"metadata":{"finalizers":null}}`) }
		DeferCleanup(func() {
			if fetch(t, "guest", &corev1.ConfigMap{}) != nil {
				free()
			}
		})
		Expect(k8s.Delete(ctx, t.get())).To(Succeed())
		c := t.expectCondition(v1alpha1.Degraded, metav1.ConditionTrue, v1alpha1.ReasonCellNamespaceStuck)
		Expect(c.Message).To(And(HavePrefix("namespace "+t.home+" is being deleted and does not go: "), ContainSubstring("example.com/held")))
		Expect(t.get().Finalizers).To(ContainElement(v1alpha1.Finalizer))
		Expect(t.pods()).To(BeEmpty())
		free()
		t.expectGone("60s")
		Expect(t.cell()).To(BeNil())
	})

	It("E7 ends when the namespace that holds the cache is deleted", func() {
		t := isolated(replicas(2), graceOf(2))
		t.expectReady()
		Expect(k8s.Delete(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: t.key.Namespace}})).To(Succeed())
		t.expectGone("17s")
		Expect(t.cell()).To(BeNil())
		Eventually(func() *corev1.Namespace { return namespaceOf(t.key.Namespace) }, "30s").Should(BeNil())
	})

	// The garbage collector finds nothing to let go of in a cell, and the wish is gone at once.
	It("that orphans is as any other", func() {
		t := isolated(replicas(1), graceOf(0))
		t.expectReady()
		Expect(k8s.Delete(ctx, t.get(), client.PropagationPolicy(metav1.DeletePropagationOrphan))).To(Succeed())
		t.expectGone("15s")
		Expect(t.cell()).To(BeNil())
	})
})

var _ = Describe("A Cell whose cache is gone", func() {
	It("is collected when the finalizer was taken off by force", func() {
		t := isolated(strippable, replicas(1), graceOf(3600))
		t.expectReady()
		Expect(k8s.Delete(ctx, t.get())).To(Succeed())
		Eventually(func() []string { return t.ring().Members }).Should(BeEmpty())
		t.strip()
		Eventually(t.cell, "60s").Should(BeNil())
	})

	It("is collected when that happened while the operator was away", func() {
		t := isolated(strippable, replicas(1), graceOf(3600))
		t.expectReady()
		stop()
		Expect(k8s.Delete(ctx, t.get())).To(Succeed())
		t.strip()
		startOperator()
		Eventually(t.cell, "60s").Should(BeNil())
	})

	It("makes room for the next cache of the name", func() {
		t := isolated(strippable, replicas(1), graceOf(1))
		t.expectReady()
		old := t.cell().UID
		stop()
		Expect(k8s.Delete(ctx, t.get())).To(Succeed())
		t.strip()
		next := isolatedIn(t.key.Namespace, t.key.Name, replicas(1))
		startOperator()
		next.expectReadyWithin("90s")
		Expect(next.cell().UID).NotTo(Equal(old))
		Expect(next.ring().Version).To(BeEquivalentTo(1))
	})
})
