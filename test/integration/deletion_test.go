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

var _ = Describe("Deletion of a cache", func() {
	It("empties the ring, waits the grace, and goes with its objects", func() {
		t := create(replicas(3), graceOf(2))
		c := t.expectReady()
		Expect(c.Finalizers).To(Equal([]string{v1alpha1.Finalizer}))
		before := time.Now()
		Expect(k8s.Delete(ctx, c)).To(Succeed())
		Eventually(func() string { return text(t.ring()) }).Should(Equal(`{"version":2,"members":[]}`))
		Eventually(func(g Gomega) {
			g.Expect(t.pod(0).Annotations).To(HaveKey(v1alpha1.DrainingSinceAnnotation))
		}).Should(Succeed())
		t.expectGone("20s")
		Expect(time.Since(before)).To(BeNumerically(">=", 2*time.Second), "the grace")
		Eventually(t.set).Should(BeNil())
	})

	It("goes at once when there is nothing to drain", func() {
		t := create(replicas(0), graceOf(3600))
		t.expectReady()
		Expect(k8s.Delete(ctx, t.get())).To(Succeed())
		t.expectGone("20s")
	})

	It("that is paused goes all the same", func() {
		t := create(replicas(1), graceOf(1))
		t.expectReady()
		t.change(func(c *v1alpha1.DistributedCache) { c.Spec.Paused = true })
		Expect(k8s.Delete(ctx, t.get())).To(Succeed())
		t.expectGone("20s")
	})

	It("A2 does not touch the next one of its name", func() {
		t := create(replicas(2), graceOf(1))
		t.expectReady()
		Expect(k8s.Delete(ctx, t.get())).To(Succeed())
		t.expectGone("20s")
		t = createIn(t.key.Namespace, t.key.Name, replicas(2))
		Eventually(func(g Gomega) {
			g.Expect(t.condition(v1alpha1.Ready).Status).To(Equal(metav1.ConditionTrue))
		}, "90s").Should(Succeed())
		Expect(t.ring().Version).To(BeEquivalentTo(1), "a recreated cache begins at 1")
		Expect(t.ringMap().Data[v1alpha1.OwnerUIDKey]).To(Equal(string(t.get().UID)))
	})

	It("E4 with only somebody's finalizer left is left alone", func() {
		t := create(replicas(1), graceOf(0), func(c *v1alpha1.DistributedCache) { c.Finalizers = []string{"example.com/theirs"} })
		t.expectReady()
		Expect(k8s.Delete(ctx, t.get())).To(Succeed())
		Eventually(func() []string { return t.get().Finalizers }).Should(Equal([]string{"example.com/theirs"}))
		Expect(k8s.Delete(ctx, t.service())).To(Succeed())
		Consistently(func(g Gomega) {
			g.Expect(t.service()).To(BeNil(), "nothing is created for a cache that is being deleted")
			g.Expect(t.get().Finalizers).To(Equal([]string{"example.com/theirs"}))
		}, "3s").Should(Succeed())
		patch(t.get(), `{"metadata":{"finalizers":null}}`)
		t.expectGone("20s")
	})

	It("E6 waits for the operator", func() {
		t := create(replicas(1), graceOf(1))
		t.expectReady()
		stop()
		Expect(k8s.Delete(ctx, t.get())).To(Succeed())
		time.Sleep(time.Second)
		Expect(t.get().Finalizers).To(ContainElement(v1alpha1.Finalizer))
		startOperator()
		t.expectGone("20s")
	})

	It("that orphans its objects leaves them serving", func() {
		t := create(replicas(2))
		t.expectReady()
		before := t.ring()
		Expect(k8s.Delete(ctx, t.get(), client.PropagationPolicy(metav1.DeletePropagationOrphan))).To(Succeed())
		t.expectGone("40s")
		Expect(t.ring()).To(Equal(before))
		Expect(t.set().DeletionTimestamp).To(BeNil())
		DeferCleanup(func() { Expect(k8s.Delete(ctx, t.set())).To(Succeed()) })
	})

	It("in the foreground ends", func() {
		t := create(replicas(2), graceOf(1))
		t.expectReady()
		Expect(k8s.Delete(ctx, t.get(), client.PropagationPolicy(metav1.DeletePropagationForeground))).To(Succeed())
		t.expectGone("60s")
	})

	It("E7 ends when its namespace is deleted", func() {
		t := create(replicas(2), graceOf(2))
		t.expectReady()
		Expect(k8s.Delete(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: t.key.Namespace}})).To(Succeed())
		t.expectGone("12s")
	})
})
