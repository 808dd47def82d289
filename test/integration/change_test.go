//go:build integration

package integration

import (
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
)

var _ = Describe("A running cache", func() {
	It("grows: new pods join in one version", func() {
		t := create()
		t.expectReady()
		kubectl("scale", "dc", "orders", "-n", t.key.Namespace, "--replicas=5")
		t.expectReady()
		Expect(text(t.ring())).To(Equal(`{"version":2,"members":["orders-0","orders-1","orders-2","orders-3","orders-4"]}`))
	})

	It("grows from nothing", func() {
		t := create(replicas(0))
		t.expectReady()
		t.change(replicas(2))
		t.expectReady()
		Expect(t.ring().Members).To(Equal(t.members(0, 1)))
	})

	It("takes a change of template back midway: no pod of it is left", func() {
		t := create(graceOf(1))
		t.expectReady()
		imageOf := func(name string) { t.change(func(c *v1alpha1.DistributedCache) { c.Spec.Image = name }) }
		imageOf(image + "-other")
		Eventually(func() int { return t.images()[image+"-other"] }).Should(Equal(1))
		imageOf("")
		Eventually(t.images, "60s").Should(Equal(map[string]int{image: 3}))
		t.expectReady()
	})

	It("C1 keeps numeric order beyond ten", func() {
		t := create(replicas(12))
		t.expectReady()
		Expect(t.ring().Members).To(Equal(t.members(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)))
	})

	It("H1 observes a change that alters no object", func() {
		t := create(replicas(1))
		t.expectReady()
		before, pod := t.set().Generation, t.pod(0).UID
		t.change(func(c *v1alpha1.DistributedCache) { c.Spec.Drain.GracePeriodSeconds = new(int32(60)) })
		Eventually(func(g Gomega) {
			c := t.get()
			g.Expect(c.Status.ObservedGeneration).To(Equal(c.Generation))
		}).Should(Succeed())
		Eventually(func() string { return t.pod(0).Annotations[v1alpha1.DrainGraceAnnotation] }).Should(Equal("60"))
		Expect(t.set().Generation).To(Equal(before))
		Expect(t.pod(0).UID).To(Equal(pod), "changing the grace restarts no pod")
	})

	It("D2 loses a pod and takes it back, and never runs fewer", func() {
		t := create()
		t.expectReady()
		t.ready(1, corev1.ConditionFalse)
		Eventually(func() []string { return t.ring().Members }).Should(Equal(t.members(0, 2)))
		Expect(k8s.Delete(ctx, t.pod(1), client.GracePeriodSeconds(0))).To(Succeed())
		Expect(*t.set().Spec.Replicas).To(BeEquivalentTo(3))
		Eventually(func() []string { return t.ring().Members }).Should(Equal(t.members(0, 1, 2)))
		Expect(t.ring().Version).To(BeEquivalentTo(3))
	})

	It("drops a pod that is not Ready at once and takes it back after a few seconds", func() {
		t := create()
		t.expectReady()
		t.ready(1, corev1.ConditionFalse)
		Eventually(func() []string { return t.ring().Members }).Should(Equal(t.members(0, 2)))
		t.ready(1, corev1.ConditionTrue)
		Consistently(func() []string { return t.ring().Members }, "1500ms").Should(Equal(t.members(0, 2)))
		Eventually(func() []string { return t.ring().Members }).Should(Equal(t.members(0, 1, 2)))
		Expect(t.ring().Version).To(BeEquivalentTo(3))
	})

	It("C6 is not shaken by pods that flap", func() {
		t := create(replicas(5))
		t.expectReady()
		for range 6 {
			for _, status := range []corev1.ConditionStatus{corev1.ConditionFalse, corev1.ConditionTrue} {
				t.ready(1, status)
				t.ready(3, status)
				time.Sleep(500 * time.Millisecond)
			}
		}
		Expect(t.ring().Members).To(Equal(t.members(0, 2, 4)))
		Expect(t.ring().Version).To(BeNumerically("<=", 3), "who left stays out while it flaps")
		Eventually(func() []string { return t.ring().Members }).Should(HaveLen(5))
	})

	It("C11 keeps its last ring when no pod is Ready, and says that it is not available", func() {
		t := create(replicas(2))
		t.expectReady()
		t.ready(0, corev1.ConditionFalse)
		t.ready(1, corev1.ConditionFalse)
		t.expectCondition(v1alpha1.Available, metav1.ConditionFalse, v1alpha1.ReasonInsufficientReplicas)
		Expect(t.ring().Members).NotTo(BeEmpty())
		t.ready(0, corev1.ConditionTrue)
		t.ready(1, corev1.ConditionTrue)
		t.expectCondition(v1alpha1.Available, metav1.ConditionTrue, v1alpha1.ReasonReconciled)
		t.expectReady()
	})

	It("C13 does not publish when only an address changes", func() {
		t := create(replicas(1))
		t.expectReady()
		pod := t.pod(0)
		pod.Status.PodIP, pod.Status.PodIPs = "10.1.2.3", []corev1.PodIP{{IP: "10.1.2.3"}}
		Expect(k8s.Status().Update(ctx, pod)).To(Succeed())
		Consistently(func() int64 { return t.ring().Version }).Should(BeEquivalentTo(1))
	})

	It("F4 does not roll for quantities in another spelling", func() {
		t := create(replicas(1), func(c *v1alpha1.DistributedCache) {
			c.Spec.MemoryPerPod = new(resource.MustParse("1024Mi"))
			c.Spec.Pod.Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1000m")}
		})
		t.expectReady()
		before := t.set().Generation
		t.change(func(c *v1alpha1.DistributedCache) { c.Spec.MemoryPerPod = new(resource.MustParse("1Gi")) })
		t.expectReady()
		Consistently(func() int64 { return t.set().Generation }).Should(Equal(before))
	})

	It("rolls one pod at a time when its pods change", func() {
		t := create()
		t.expectReady()
		t.change(func(c *v1alpha1.DistributedCache) { c.Spec.MemoryPerPod = new(resource.MustParse("192Mi")) })
		t.expectCondition(v1alpha1.Progressing, metav1.ConditionTrue, v1alpha1.ReasonRollingOut)
		fewest := 3
		Eventually(func(g Gomega) {
			fewest = min(fewest, len(t.ring().Members))
			set := t.set()
			g.Expect(set.Status.CurrentRevision).To(Equal(set.Status.UpdateRevision))
			g.Expect(set.Status.UpdatedReplicas).To(BeEquivalentTo(3))
			g.Expect(t.ring().Members).To(HaveLen(3))
		}, "60s").Should(Succeed())
		Expect(fewest).To(BeNumerically(">=", 2), "one member is away at a time")
		t.expectReady()
	})

	It("F9 lets every pod restart by kubectl rollout restart", func() {
		t := create(replicas(2))
		t.expectReady()
		before := []any{t.pod(0).UID, t.pod(1).UID}
		kubectl("rollout", "restart", "statefulset/orders", "-n", t.key.Namespace)
		Eventually(func(g Gomega) {
			for i := range 2 {
				pod := t.pod(i)
				g.Expect(pod).NotTo(BeNil())
				g.Expect(before).NotTo(ContainElement(pod.UID))
			}
		}, "60s").Should(Succeed())
		t.expectReady()
	})

	It("is left alone while it is paused", func() {
		t := create()
		t.expectReady()
		t.change(func(c *v1alpha1.DistributedCache) { c.Spec.Paused = true; c.Spec.Replicas = new(int32(5)) })
		t.expectCondition(v1alpha1.Progressing, metav1.ConditionFalse, v1alpha1.ReasonPaused)
		t.ready(1, corev1.ConditionFalse)
		Consistently(func(g Gomega) {
			g.Expect(*t.set().Spec.Replicas).To(BeEquivalentTo(3))
			g.Expect(t.ring().Version).To(BeEquivalentTo(1))
		}).Should(Succeed())
		t.ready(1, corev1.ConditionTrue)
		t.change(func(c *v1alpha1.DistributedCache) { c.Spec.Paused = false })
		t.expectReady()
		Expect(t.ring().Members).To(HaveLen(5))
	})

	It("I10 is told apart from its namesake in another namespace", func() {
		a, b := create(), create(replicas(2))
		a.expectReady()
		b.expectReady()
		version := b.ringMap().ResourceVersion
		a.ready(0, corev1.ConditionFalse)
		Eventually(func() int64 { return a.ring().Version }).Should(BeEquivalentTo(2))
		Expect(b.ringMap().ResourceVersion).To(Equal(version))
		Expect(b.ring().Members).To(Equal(b.members(0, 1)))
	})

	It("I10 does not take a stranger's pod for a member", func() {
		t := create(replicas(1))
		c := t.expectReady()
		stranger := t.pod(0).DeepCopy()
		stranger.ObjectMeta = metav1.ObjectMeta{
			Namespace: t.key.Namespace, Name: "orders-7", Labels: stranger.Labels,
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "v1", Kind: "ReplicationController", Name: "other", UID: "x", Controller: new(true),
			}},
		}
		stranger.Spec.NodeName = ""
		Expect(k8s.Create(ctx, stranger)).To(Succeed())
		Consistently(func(g Gomega) {
			g.Expect(t.ring().Members).To(Equal(t.members(0)))
			g.Expect(t.get().Status.Replicas).To(BeEquivalentTo(1))
		}).Should(Succeed(), fmt.Sprint(c.Name))
	})
})
