//go:build integration

package integration

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
)

// expectConflict waits until the cache says that its cell is somebody else's.
func (t tenant) expectConflict() metav1.Condition {
	GinkgoHelper()
	c := t.expectCondition(v1alpha1.Degraded, metav1.ConditionTrue, v1alpha1.ReasonCellNamespaceConflict)
	t.expectCondition(v1alpha1.TenantIsolated, metav1.ConditionFalse, v1alpha1.ReasonCellNamespaceConflict)
	t.expectCondition(v1alpha1.Ready, metav1.ConditionFalse, v1alpha1.ReasonCellNamespaceConflict)
	Expect(t.get().Status.CellNamespace).To(BeEmpty())
	return c
}

var _ = Describe("A Cell whose name is taken", func() {
	It("E1 by a namespace that was there before: it outlives the cache byte for byte", func() {
		name := fresh("orders")
		ns, content := theirNamespace("cache-"+name, map[string]string{"theirs": "x"})
		Eventually(func() []string { return contents(ns.Name) }).Should(HaveLen(2), "theirs and kube-root-ca.crt")
		before := []string{text(namespaceOf(ns.Name)), text(content)}
		held := contents(ns.Name)

		t := isolatedIn(namespace(), name, replicas(2), graceOf(1))
		c := t.expectConflict()
		Expect(c.Message).To(HavePrefix("namespace " + ns.Name + " exists and was not created for this cache; it is left untouched."))
		t.expectCondition(v1alpha1.Stalled, metav1.ConditionTrue, v1alpha1.ReasonCellNamespaceConflict)
		untouched := func(g Gomega) {
			g.Expect(text(namespaceOf(ns.Name))).To(Equal(before[0]))
			g.Expect(text(fetch(t, content.Name, &corev1.ConfigMap{}))).To(Equal(before[1]))
			g.Expect(contents(ns.Name)).To(Equal(held))
		}
		Consistently(untouched).Should(Succeed())
		t.change(replicas(3))
		Consistently(untouched).Should(Succeed())
		Expect(k8s.Delete(ctx, t.get())).To(Succeed())
		t.expectGone("20s")
		Consistently(untouched, "4s").Should(Succeed())
	})

	It("E1 heals by itself when that namespace goes", func() {
		name := fresh("orders")
		ns, _ := theirNamespace("cache-"+name, nil)
		t := isolatedIn(namespace(), name, replicas(1))
		t.expectConflict()
		Expect(k8s.Delete(ctx, ns)).To(Succeed())
		t.expectReadyWithin("60s")
		Expect(t.cell().UID).NotTo(Equal(ns.UID))
		t.expectCondition(v1alpha1.TenantIsolated, metav1.ConditionTrue, v1alpha1.ReasonReconciled)
	})

	It("E10 by the cell of a cache in another namespace: the first wins, the second heals when that goes", func() {
		name, a, b := fresh("foo"), namespace(), namespace()
		names := []string{name, name + "-bar"}
		var first, second []tenant
		for _, n := range names {
			first = append(first, isolatedIn(a, n, replicas(1), graceOf(0)))
		}
		for _, t := range first {
			t.expectReady()
		}
		for _, n := range names {
			second = append(second, isolatedIn(b, n, replicas(1), graceOf(0)))
		}
		for i, t := range second {
			c := t.expectConflict()
			Expect(c.Message).To(HavePrefix("namespace " + t.home + " is the cell of DistributedCache " + a + "/" + names[i] + "; it is left untouched."))
			first[i].expectReady()
			Expect(first[i].ring().Version).To(BeEquivalentTo(1))
		}
		Expect(k8s.Delete(ctx, first[0].get())).To(Succeed())
		first[0].expectGone("15s")
		second[0].expectReadyWithin("60s")
		Expect(second[0].cell().Labels).To(HaveKeyWithValue(v1alpha1.OwnerNamespaceLabel, b))
		second[1].expectConflict()
		first[1].expectReady()
		// One that lost takes nothing along.
		Expect(k8s.Delete(ctx, second[1].get())).To(Succeed())
		second[1].expectGone("20s")
		Consistently(func() string { return text(first[1].ring()) }).Should(Equal(text(first[1].ring())))
		Expect(first[1].cell().DeletionTimestamp).To(BeNil())
	})

	It("by somebody's copy of our labels: it is never deleted and never filled", func() {
		name, ns := fresh("orders"), namespace()
		copied, content := theirNamespace("cache-"+name, map[string]string{
			v1alpha1.ManagedByLabel: v1alpha1.FieldManager, v1alpha1.OwnerNameLabel: name,
			v1alpha1.OwnerNamespaceLabel: ns, v1alpha1.OwnerUIDLabel: "11111111-2222-3333-4444-555555555555",
		})
		Eventually(func() []string { return contents(copied.Name) }).Should(HaveLen(2))
		before, held := text(namespaceOf(copied.Name)), contents(copied.Name)
		untouched := func(g Gomega) {
			g.Expect(text(namespaceOf(copied.Name))).To(Equal(before))
			g.Expect(contents(copied.Name)).To(Equal(held))
		}
		Consistently(untouched).Should(Succeed(), "without a cache of the name")
		t := isolatedIn(ns, name, replicas(1))
		c := t.expectConflict()
		Expect(c.Message).To(ContainSubstring("was created for a former cache of this name (UID 11111111-2222-3333-4444-555555555555)"))
		Consistently(untouched, "4s").Should(Succeed())
		stop()
		startOperator()
		Consistently(untouched, "3s").Should(Succeed())
		Expect(k8s.Delete(ctx, t.get())).To(Succeed())
		t.expectGone("20s")
		Consistently(untouched, "3s").Should(Succeed())
		Expect(fetch(t, content.Name, &corev1.ConfigMap{})).NotTo(BeNil())
	})
})

var _ = Describe("I10 One name of an isolated and a plain cache, and not a Cell in common", func() {
	It("and a pod under their labels: what happens to the one is nothing to the other", func() {
		name, a, b := fresh("orders"), namespace(), namespace()
		plain := createIn(a, name, replicas(2), graceOf(1))
		walled := isolatedIn(b, name, replicas(2), graceOf(1))
		plain.expectReady()
		walled.expectReady()
		for _, t := range []tenant{plain, walled} {
			pod := guest(t.home, "guest", "64Mi")
			pod.Labels = t.pod(0).Labels
			for _, label := range []string{"apps.kubernetes.io/pod-index", "statefulset.kubernetes.io/pod-name"} {
				delete(pod.Labels, label)
			}
			Expect(k8s.Create(ctx, pod)).To(Succeed())
		}
		whole := func(t tenant) string {
			GinkgoHelper()
			return text([]any{t.ring(), t.pod(0).UID, t.pod(1).UID, t.set().UID, fetch(t, "guest", &corev1.Pod{}).UID})
		}
		was := whole(plain)
		Consistently(func() []string { return []string{text(plain.ring().Members), text(walled.ring().Members)} }, "5s").
			Should(HaveEach(text(plain.members(0, 1))), "a guest is no member")
		walled.change(replicas(1))
		walled.expectReady()
		Expect(walled.ring().Members).To(Equal(walled.members(0)))
		Expect(fetch(walled, "guest", &corev1.Pod{})).NotTo(BeNil())
		Expect(whole(plain)).To(Equal(was))
		Expect(k8s.Delete(ctx, walled.get())).To(Succeed())
		walled.expectGone("40s")
		Expect(whole(plain)).To(Equal(was))
		Expect(k8s.Delete(ctx, plain.get())).To(Succeed())
		plain.expectGone("20s")
		Expect(fetch(plain, "guest", &corev1.Pod{}).DeletionTimestamp).To(BeNil())
	})

	It("the plain one goes, and the cell stays", func() {
		name, a, b := fresh("orders"), namespace(), namespace()
		plain := createIn(a, name, replicas(1), graceOf(0))
		walled := isolatedIn(b, name, replicas(1))
		plain.expectReady()
		walled.expectReady()
		was := text([]client.Object{walled.cell(), walled.ringMap()})
		Expect(k8s.Delete(ctx, plain.get())).To(Succeed())
		plain.expectGone("20s")
		Consistently(func() string { return text([]client.Object{walled.cell(), walled.ringMap()}) }).Should(Equal(was))
	})
})
