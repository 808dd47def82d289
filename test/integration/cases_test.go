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

var _ = Describe("What went wrong elsewhere", func() {
	It("B5 writes nothing for a cache that is gone", func() {
		t := create(replicas(2), graceOf(1))
		t.expectReady()
		Expect(k8s.Delete(ctx, t.get())).To(Succeed())
		t.expectGone("20s")
		from := time.Now()
		time.Sleep(10 * time.Second)
		writes, _ := requests(from, time.Now())
		for _, r := range writes {
			Expect(r.ObjectRef.Namespace).NotTo(Equal(t.key.Namespace), "%+v", r)
		}
	})

	It("D8 has a member that is told to end and never does: it is out of the ring at once, it is named, and deletion does not wait for it", func() {
		t := create(replicas(2), graceOf(1))
		t.expectReady()
		patch(t.pod(1), `{"metadata":{"finalizers":["example.com/stuck"]}}`)
		DeferCleanup(func() {
			if pod := t.pod(1); pod != nil {
				patch(pod, `{"metadata":{"finalizers":null}}`)
			}
		})
		Expect(k8s.Delete(ctx, t.pod(1), client.GracePeriodSeconds(1))).To(Succeed())
		Eventually(func() []string { return t.ring().Members }).Should(Equal(t.members(0)))
		Eventually(func() string { return t.condition(v1alpha1.Degraded).Reason }, "45s").Should(Equal(v1alpha1.ReasonPodStuck))
		Expect(t.condition(v1alpha1.Degraded).Message).To(HavePrefix("pod orders-1: should have ended by "))
		Expect(t.condition(v1alpha1.Available).Status).To(Equal(metav1.ConditionTrue))
		Expect(k8s.Delete(ctx, t.get())).To(Succeed())
		t.expectGone("20s")
	})

	It("C2 has a middle pod that is away for a second: it is out, and back in the same slot", func() {
		t := create(replicas(10))
		t.expectReady()
		before := t.ring().Members
		t.ready(3, corev1.ConditionFalse)
		Eventually(func() int { return len(t.ring().Members) }).Should(Equal(9))
		time.Sleep(time.Second)
		t.ready(3, corev1.ConditionTrue)
		Eventually(func() []string { return t.ring().Members }).Should(Equal(before))
		Expect(t.ring().Version).To(BeEquivalentTo(3))
	})

	It("A8 is created fortyfold at once: one of each object, and no more", func() {
		ns := namespace()
		var tenants []tenant
		for i := range 40 {
			tenants = append(tenants, createIn(ns, "c"+string(rune('a'+i/26))+string(rune('a'+i%26)), replicas(1)))
		}
		for _, t := range tenants {
			t.expectReady()
		}
		var services corev1.ServiceList
		var rings corev1.ConfigMapList
		mine := client.MatchingLabels{v1alpha1.ManagedByLabel: v1alpha1.FieldManager}
		Expect(k8s.List(ctx, &services, client.InNamespace(ns), mine)).To(Succeed())
		Expect(k8s.List(ctx, &rings, client.InNamespace(ns), mine)).To(Succeed())
		Expect(services.Items).To(HaveLen(len(tenants)))
		Expect(rings.Items).To(HaveLen(len(tenants)))
	})
})
