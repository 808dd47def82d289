//go:build integration

package integration

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
)

func kstatus(t tenant) status.Status {
	GinkgoHelper()
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(t.get())
	Expect(err).NotTo(HaveOccurred())
	u := &unstructured.Unstructured{Object: content}
	u.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(v1alpha1.Kind))
	result, err := status.Compute(u)
	Expect(err).NotTo(HaveOccurred())
	return result.Status
}

var _ = Describe("A new cache", func() {
	It("gets its three objects, a first ring of all its pods, and a true status", func() {
		t := create()
		c := t.expectReady()
		Expect(text(t.ring())).To(Equal(`{"version":1,"members":["orders-0","orders-1","orders-2"]}`))
		Expect(t.ringMap().Data).To(HaveKeyWithValue("owner-uid", string(c.UID)))
		Expect(t.service().Spec.ClusterIP).To(Equal(corev1.ClusterIPNone))
		Expect(t.set().Spec.Template.Spec.Containers[0].Image).To(Equal(image))

		Expect(c.Status.Replicas).To(BeEquivalentTo(3))
		Expect(c.Status.ReadyReplicas).To(BeEquivalentTo(3))
		Expect(c.Status.RingVersion).To(BeEquivalentTo(1))
		t.expectCondition(v1alpha1.Available, metav1.ConditionTrue, v1alpha1.ReasonReconciled)
		t.expectCondition(v1alpha1.Progressing, metav1.ConditionFalse, v1alpha1.ReasonReconciled)
		t.expectCondition(v1alpha1.Degraded, metav1.ConditionFalse, v1alpha1.ReasonReconciled)
		t.expectCondition(v1alpha1.TenantIsolated, metav1.ConditionFalse, v1alpha1.ReasonNotRequested)
		Expect(c.Status.Conditions).To(HaveLen(5), "Reconciling and Stalled are absent: %v", c.Status.Conditions)
		Expect(kstatus(t)).To(Equal(status.CurrentStatus))
		Expect(kubectl("get", "dc", "-n", t.key.Namespace)).To(MatchRegexp(`NAME +AVAILABLE +REPLICAS +RING +AGE\norders +True +3 +1 +\d+s`))
	})

	It("S10 owns each object by one apply entry and by reference", func() {
		t := create(replicas(1))
		c := t.expectReady()
		for _, object := range []client.Object{t.service(), t.set(), t.ringMap()} {
			var ours []metav1.ManagedFieldsEntry
			for _, entry := range object.GetManagedFields() {
				if entry.Manager == v1alpha1.FieldManager {
					ours = append(ours, entry)
				}
			}
			Expect(ours).To(HaveLen(1), "%T", object)
			Expect(ours[0].Operation).To(Equal(metav1.ManagedFieldsOperationApply))
			Expect(metav1.IsControlledBy(object, c)).To(BeTrue(), "%T", object)
		}
	})

	It("H2 is never taken for finished before it is", func() {
		stop()
		t := create()
		Expect(kstatus(t)).To(Equal(status.InProgressStatus))
		startOperator()
		for kstatus(t) != status.CurrentStatus {
			time.Sleep(20 * time.Millisecond)
		}
		Expect(t.ring().Members).To(HaveLen(3))
		Expect(t.condition(v1alpha1.Available).Status).To(Equal(metav1.ConditionTrue))
	})

	It("with no replicas has an empty ring and is finished", func() {
		t := create(replicas(0))
		t.expectReady()
		Expect(text(t.ring())).To(Equal(`{"version":1,"members":[]}`))
		t.expectCondition(v1alpha1.Available, metav1.ConditionFalse, v1alpha1.ReasonScaledToZero)
	})

	It("C4 gets a first ring of who is Ready when others never come", func() {
		t := create(func(c *v1alpha1.DistributedCache) {
			c.Spec.Pod.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{
				MaxSkew: 1, TopologyKey: "kubernetes.io/hostname", WhenUnsatisfiable: corev1.DoNotSchedule,
			}}
			c.Spec.Pod.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
					TopologyKey:   "kubernetes.io/hostname",
					LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{v1alpha1.InstanceLabel: "orders"}},
				}},
			}}
		})
		Eventually(func() int { return len(t.ring().Members) }, "30s").Should(Equal(2), "two nodes take two of three pods")
		t.expectCondition(v1alpha1.Available, metav1.ConditionTrue, v1alpha1.ReasonReconciled)
		c := t.expectCondition(v1alpha1.Degraded, metav1.ConditionTrue, v1alpha1.ReasonPodUnschedulable)
		Expect(c.Message).To(ContainSubstring("0/2 nodes are available"))
	})

	It("goes with its objects", func() {
		t := create(replicas(1), graceOf(0))
		t.expectReady()
		Expect(k8s.Delete(ctx, t.get())).To(Succeed())
		Eventually(func(g Gomega) {
			g.Expect(t.service()).To(BeNil())
			g.Expect(t.set()).To(BeNil())
			g.Expect(t.ringMap()).To(BeNil())
		}).Should(Succeed())
	})
})
