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

// expectShrink waits until the StatefulSet has a size, and holds that those who had to go left the
// ring, which was after a certain time, for no less than the grace.
func (t tenant) expectShrink(size int, before time.Time, grace time.Duration) {
	GinkgoHelper()
	Eventually(t.size).Should(Equal(size))
	Expect(time.Since(before)).To(BeNumerically(">=", grace), "the grace is for who still holds the old ring")
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
		before := time.Now()
		t.change(replicas(3))
		Eventually(func() []string { return t.ring().Members }).Should(Equal(t.members(0, 1, 2)))
		Expect(t.ring().Version).To(BeEquivalentTo(2))
		Expect(t.ringMap().Data[v1alpha1.LedgerKey]).To(Equal(`[{"ordinal":3},{"ordinal":4}]`))
		Eventually(func() string { return t.pod(4).Annotations[v1alpha1.DrainingSinceAnnotation] }).ShouldNot(BeEmpty())
		Expect(t.pod(0).Annotations).NotTo(HaveKey(v1alpha1.DrainingSinceAnnotation))
		t.expectCondition(v1alpha1.Progressing, metav1.ConditionTrue, v1alpha1.ReasonDraining)
		Eventually(func(g Gomega) { g.Expect(t.get().Status.Drain.Pods).To(HaveLen(2)) }).Should(Succeed())
		t.expectShrink(3, before, 3*time.Second)
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
		Eventually(t.size).Should(Equal(1))
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
		before := time.Now()
		t.change(replicas(2))
		Eventually(func() string { return t.pod(2).Annotations[v1alpha1.DrainingSinceAnnotation] }).ShouldNot(BeEmpty())
		mark := t.pod(2).Annotations[v1alpha1.DrainingSinceAnnotation]
		Expect(k8s.Delete(ctx, t.pod(2), client.GracePeriodSeconds(0))).To(Succeed())
		Eventually(func(g Gomega) {
			pod := t.pod(2)
			g.Expect(pod).NotTo(BeNil())
			g.Expect(pod.Annotations).To(HaveKeyWithValue(v1alpha1.DrainingSinceAnnotation, mark))
		}).Should(Succeed())
		Expect(t.ring().Members).To(Equal(t.members(0, 1)))
		t.expectShrink(2, before, 5*time.Second)
		t.expectReady()
	})

	It("D5 goes through when the pods that drain stop being Ready before their grace is over", func() {
		t := create(replicas(4), graceOf(4))
		t.expectReady()
		before := time.Now()
		t.change(replicas(2))
		Eventually(func() []string { return t.ring().Members }).Should(Equal(t.members(0, 1)))
		t.ready(2, corev1.ConditionFalse)
		t.ready(3, corev1.ConditionFalse)
		t.expectShrink(2, before, 4*time.Second)
		for _, i := range []int{2, 3} {
			Eventually(func() *corev1.Pod { return t.pod(i) }).Should(BeNil())
		}
		t.expectReady()
		Expect(t.ring().Version).To(BeEquivalentTo(2), "who has left is no member that fails")
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
