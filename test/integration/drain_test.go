//go:build integration

package integration

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
)

func graceOf(seconds int32) edit {
	return func(c *v1alpha1.DistributedCache) { c.Spec.Drain.GracePeriodSeconds = &seconds }
}

// size is the StatefulSet's.
func (t tenant) size() int {
	GinkgoHelper()
	return int(*t.set().Spec.Replicas)
}

// expectGone waits until the cache is no more.
func (t tenant) expectGone(within string) {
	GinkgoHelper()
	Eventually(func() bool {
		return apierrors.IsNotFound(k8s.Get(ctx, t.key, &v1alpha1.DistributedCache{}))
	}, within).Should(BeTrue())
}

var _ = Describe("Scale-down", func() {
	It("takes pods out of the ring, marks them, waits the grace, then lets them go", func() {
		t := create(replicas(5), graceOf(3))
		t.expectReady()
		t.change(replicas(3))
		Eventually(func() []string { return t.ring().Members }).Should(Equal(t.members(0, 1, 2)))
		left := time.Now()
		Expect(t.ring().Version).To(BeEquivalentTo(2))
		Expect(t.ringMap().Data[v1alpha1.LedgerKey]).To(Equal(`[{"ordinal":3},{"ordinal":4}]`))
		Eventually(func() string { return t.pod(4).Annotations[v1alpha1.DrainingSinceAnnotation] }, "1s").ShouldNot(BeEmpty())
		Expect(t.pod(0).Annotations).NotTo(HaveKey(v1alpha1.DrainingSinceAnnotation))
		t.expectCondition(v1alpha1.Progressing, metav1.ConditionTrue, v1alpha1.ReasonDraining)
		Eventually(func(g Gomega) { g.Expect(t.get().Status.Drain.Pods).To(HaveLen(2)) }).Should(Succeed())
		Consistently(t.size, time.Until(left.Add(2800*time.Millisecond))).Should(Equal(5))
		Eventually(t.size, "3s").Should(Equal(3))
		c := t.expectReady()
		Expect(c.Status.Drain).To(BeNil())
		Expect(t.ring().Version).To(BeEquivalentTo(2), "who went is no news for clients")
		Expect(t.ringMap().Data).NotTo(HaveKey(v1alpha1.LedgerKey))
		Eventually(func() *corev1.Pod { return t.pod(3) }).Should(BeNil())
	})

	It("to nothing empties the ring", func() {
		t := create(replicas(2), graceOf(1))
		t.expectReady()
		t.change(replicas(0))
		t.expectReady()
		Expect(text(t.ring())).To(Equal(`{"version":2,"members":[]}`))
		Expect(t.size()).To(Equal(0))
	})

	It("without a grace goes as soon as the ring stands", func() {
		t := create(replicas(3), graceOf(0))
		t.expectReady()
		t.change(replicas(1))
		Eventually(t.size, "3s").Should(Equal(1))
		t.expectReady()
	})

	It("D1 is cancelled by a change of mind: marks off, back in the ring, one version more", func() {
		t := create(replicas(3), graceOf(4))
		t.expectReady()
		time.Sleep(timing.JoinDelay) // who was Ready for long is back at once
		t.change(replicas(2))
		Eventually(func() string { return t.pod(2).Annotations[v1alpha1.DrainingSinceAnnotation] }).ShouldNot(BeEmpty())
		t.change(replicas(3))
		Eventually(func() []string { return t.ring().Members }, "2s").Should(Equal(t.members(0, 1, 2)))
		Expect(t.ring().Version).To(BeEquivalentTo(3))
		Eventually(func() map[string]string { return t.pod(2).Annotations }).ShouldNot(HaveKey(v1alpha1.DrainingSinceAnnotation))
		t.expectReady()
		Consistently(t.size, "5s").Should(Equal(3))
	})

	It("D4 survives five changes of mind within one grace", func() {
		t := create(replicas(5), graceOf(4))
		t.expectReady()
		for _, n := range []int32{3, 5, 2, 4, 1, 4} {
			t.change(replicas(n))
			time.Sleep(400 * time.Millisecond)
		}
		t.expectReady()
		Expect(t.ring().Members).To(Equal(t.members(0, 1, 2, 3)))
		Expect(t.size()).To(Equal(4))
		for i := range 4 {
			Expect(t.pod(i).Annotations).NotTo(HaveKey(v1alpha1.DrainingSinceAnnotation))
		}
	})

	It("Z5 B4 keeps the clock of a doomed pod that dies and comes back", func() {
		t := create(replicas(3), graceOf(5))
		t.expectReady()
		t.change(replicas(2))
		Eventually(func() string { return t.pod(2).Annotations[v1alpha1.DrainingSinceAnnotation] }).ShouldNot(BeEmpty())
		left, mark := time.Now(), t.pod(2).Annotations[v1alpha1.DrainingSinceAnnotation]
		Expect(k8s.Delete(ctx, t.pod(2), client.GracePeriodSeconds(0))).To(Succeed())
		Eventually(func(g Gomega) {
			pod := t.pod(2)
			g.Expect(pod).NotTo(BeNil())
			g.Expect(pod.Annotations).To(HaveKeyWithValue(v1alpha1.DrainingSinceAnnotation, mark))
		}, "3s").Should(Succeed())
		Expect(t.ring().Members).To(Equal(t.members(0, 1)))
		Eventually(t.size, time.Until(left.Add(8*time.Second))).Should(Equal(2))
		t.expectReady()
	})

	It("waits while no other pod serves", func() {
		t := create(replicas(3), graceOf(1))
		t.expectReady()
		t.ready(0, corev1.ConditionFalse)
		Eventually(func() []string { return t.ring().Members }).Should(Equal(t.members(1, 2)))
		t.change(replicas(1))
		Consistently(func(g Gomega) {
			g.Expect(t.size()).To(Equal(3))
			g.Expect(t.ring().Members).To(Equal(t.members(1, 2)))
		}, "3s").Should(Succeed())
		t.ready(0, corev1.ConditionTrue)
		t.expectReady()
		Expect(t.ring().Members).To(Equal(t.members(0)))
		Expect(t.size()).To(Equal(1))
	})

	It("B1 goes on after the operator was away", func() {
		t := create(replicas(4), graceOf(3))
		t.expectReady()
		t.change(replicas(2))
		Eventually(func() []string { return t.ring().Members }).Should(Equal(t.members(0, 1)))
		stop()
		time.Sleep(500 * time.Millisecond)
		Expect(t.size()).To(Equal(4))
		startOperator()
		t.expectReady()
		Expect(t.size()).To(Equal(2))
	})

	It("is not hurried by the loss of the StatefulSet", func() {
		t := create(replicas(4), graceOf(4))
		t.expectReady()
		t.change(replicas(2))
		Eventually(func() []string { return t.ring().Members }).Should(Equal(t.members(0, 1)))
		set := t.set()
		Expect(k8s.Delete(ctx, set, client.PropagationPolicy(metav1.DeletePropagationOrphan))).To(Succeed())
		Eventually(func(g Gomega) {
			now := t.set()
			g.Expect(now).NotTo(BeNil())
			g.Expect(now.UID).NotTo(Equal(set.UID))
		}).Should(Succeed())
		Expect(t.size()).To(Equal(4), "the pods that were left behind count")
		t.expectReady()
		Expect(t.size()).To(Equal(2))
	})
})

var _ = Describe("Deletion of a cache", func() {
	It("empties the ring, waits the grace, and goes with its objects", func() {
		t := create(replicas(3), graceOf(2))
		c := t.expectReady()
		Expect(c.Finalizers).To(Equal([]string{v1alpha1.Finalizer}))
		Expect(k8s.Delete(ctx, c)).To(Succeed())
		Eventually(func() string { return text(t.ring()) }, "2s").Should(Equal(`{"version":2,"members":[]}`))
		emptied := time.Now()
		Eventually(func(g Gomega) {
			g.Expect(t.pod(0).Annotations).To(HaveKey(v1alpha1.DrainingSinceAnnotation))
		}).Should(Succeed())
		Consistently(t.size, time.Until(emptied.Add(1800*time.Millisecond))).Should(Equal(3))
		t.expectGone("5s")
		Eventually(t.set).Should(BeNil())
	})

	It("goes at once when there is nothing to drain", func() {
		t := create(replicas(0), graceOf(3600))
		t.expectReady()
		Expect(k8s.Delete(ctx, t.get())).To(Succeed())
		t.expectGone("3s")
	})

	It("that is paused goes all the same", func() {
		t := create(replicas(1), graceOf(1))
		t.expectReady()
		t.change(func(c *v1alpha1.DistributedCache) { c.Spec.Paused = true })
		Expect(k8s.Delete(ctx, t.get())).To(Succeed())
		t.expectGone("6s")
	})

	It("A2 does not touch the next one of its name", func() {
		t := create(replicas(2), graceOf(1))
		t.expectReady()
		Expect(k8s.Delete(ctx, t.get())).To(Succeed())
		t.expectGone("6s")
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
		Eventually(func() []string { return t.get().Finalizers }, "5s").Should(Equal([]string{"example.com/theirs"}))
		version := t.get().ResourceVersion
		Expect(k8s.Delete(ctx, t.service())).To(Succeed())
		Consistently(func(g Gomega) {
			g.Expect(t.service()).To(BeNil(), "nothing is created for a cache that is being deleted")
			g.Expect(t.get().Finalizers).To(Equal([]string{"example.com/theirs"}))
		}, "3s").Should(Succeed())
		_ = version
		patch(t.get(), `{"metadata":{"finalizers":null}}`)
		t.expectGone("3s")
	})

	It("E6 waits for the operator", func() {
		t := create(replicas(1), graceOf(1))
		t.expectReady()
		stop()
		Expect(k8s.Delete(ctx, t.get())).To(Succeed())
		time.Sleep(time.Second)
		Expect(t.get().Finalizers).To(ContainElement(v1alpha1.Finalizer))
		startOperator()
		t.expectGone("8s")
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
