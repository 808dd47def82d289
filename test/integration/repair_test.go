//go:build integration

package integration

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
)

// patch changes an object as a user would, under another manager's name.
func patch(object client.Object, change string) {
	GinkgoHelper()
	Expect(k8s.Patch(ctx, object, client.RawPatch(types.MergePatchType, []byte(change)), client.FieldOwner("somebody"))).To(Succeed())
}

var _ = Describe("Somebody else", func() {
	It("changes an object: what is ours comes back, what is theirs stays", func() {
		t := create()
		t.expectReady()
		patch(t.service(), `{"metadata":{"labels":{"theirs":"x"}},"spec":{"publishNotReadyAddresses":false}}`)
		patch(t.set(), `{"metadata":{"annotations":{"theirs":"x"}},"spec":{"replicas":1,"minReadySeconds":0}}`)
		Eventually(func(g Gomega) {
			g.Expect(t.service().Spec.PublishNotReadyAddresses).To(BeTrue())
			g.Expect(t.set().Spec.MinReadySeconds).To(BeEquivalentTo(5))
			g.Expect(*t.set().Spec.Replicas).To(BeEquivalentTo(3))
		}).Should(Succeed())
		Expect(t.service().Labels).To(HaveKeyWithValue("theirs", "x"))
		Expect(t.set().Annotations).To(HaveKeyWithValue("theirs", "x"))
	})

	It("adds a port: it is not ours, and stays", func() {
		t := create(replicas(1))
		t.expectReady()
		service := t.service()
		service.Spec.Ports = append(service.Spec.Ports, corev1.ServicePort{Name: "extra", Port: 9, Protocol: corev1.ProtocolTCP, TargetPort: intstr.FromInt32(9)})
		Expect(k8s.Update(ctx, service, client.FieldOwner("somebody"))).To(Succeed())
		Consistently(func() int { return len(t.service().Spec.Ports) }).Should(Equal(2))
	})

	It("strips the labels from an object: they come back", func() {
		t := create(replicas(1))
		t.expectReady()
		for _, object := range []client.Object{t.service(), t.set(), t.ringMap()} {
			patch(object, `{"metadata":{"labels":null}}`)
		}
		Eventually(func(g Gomega) {
			for _, object := range []client.Object{t.service(), t.set(), t.ringMap()} {
				g.Expect(object.GetLabels()).To(HaveKey(v1alpha1.ManagedByLabel), "%T", object)
			}
		}, "10s").Should(Succeed())
		Expect(t.ring().Version).To(BeEquivalentTo(1), "the ring itself was not touched")
	})

	It("deletes the Service: it is back", func() {
		t := create(replicas(1))
		t.expectReady()
		Expect(k8s.Delete(ctx, t.service())).To(Succeed())
		Eventually(t.service).ShouldNot(BeNil())
	})

	DescribeTable("F6 deletes the StatefulSet: it is back and the ring goes on",
		func(propagation metav1.DeletionPropagation) {
			t := create()
			t.expectReady()
			set := t.set()
			Expect(k8s.Delete(ctx, set, client.PropagationPolicy(propagation))).To(Succeed())
			last := t.ring().Version
			Eventually(func(g Gomega) {
				version := t.ring().Version
				Expect(version).To(BeNumerically(">=", last))
				last = version
				now := t.set()
				g.Expect(now).NotTo(BeNil())
				g.Expect(now.UID).NotTo(Equal(set.UID))
			}).Should(Succeed())
			t.expectReady()
			Expect(t.ring().Members).To(Equal(t.members(0, 1, 2)))
			if propagation == metav1.DeletePropagationOrphan {
				Expect(t.ring().Version).To(BeEquivalentTo(1), "the orphans served on and were adopted")
			}
		},
		Entry("in the background", metav1.DeletePropagationBackground),
		Entry("orphaning the pods", metav1.DeletePropagationOrphan),
	)

	It("deletes the ring: it is back under a higher version", func() {
		t := create()
		t.expectReady()
		Expect(k8s.Delete(ctx, t.ringMap())).To(Succeed())
		Eventually(func() []string { return t.ring().Members }).Should(Equal(t.members(0, 1, 2)))
		Expect(t.ring().Version).To(BeNumerically(">", 1))
	})

	DescribeTable("writes into the ring: it is replaced under a higher version",
		func(document string) {
			t := create()
			t.expectReady()
			m := t.ringMap()
			m.Data[v1alpha1.RingKey] = document
			Expect(k8s.Update(ctx, m, client.FieldOwner("somebody"))).To(Succeed())
			Eventually(func(g Gomega) {
				text := t.ringMap().Data[v1alpha1.RingKey]
				g.Expect(text).NotTo(Equal(document))
				g.Expect(text).To(MatchRegexp(`^\{"version":(\d+),"members":\["orders-0","orders-1","orders-2"\]\}$`))
			}).Should(Succeed())
			Expect(t.ring().Version).To(BeNumerically(">", 1))
			t.expectReady()
		},
		Entry("other members", `{"version":1,"members":["orders-0"]}`),
		Entry("an older version", `{"version":1,"members":[]}`),
		Entry("a far version", `{"version":41,"members":["orders-0"]}`),
		Entry("no document", `hello`),
		Entry("another spelling", `{ "version": 1, "members": ["orders-0","orders-1","orders-2"] }`),
	)

	It("holds a wanted name: their object is untouched, and it heals when they go", func() {
		ns := namespace()
		theirs := &corev1.Service{
			ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "orders", Labels: map[string]string{"theirs": "x"}},
			Spec:       corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}},
		}
		Expect(k8s.Create(ctx, theirs)).To(Succeed())
		t := createIn(ns, "orders", replicas(1))
		c := t.expectCondition(v1alpha1.Degraded, metav1.ConditionTrue, v1alpha1.ReasonNameConflict)
		Expect(c.Message).To(Equal("Service " + ns + "/orders exists and was not created by this operator; it is left untouched"))
		Expect(text(t.service())).To(Equal(text(theirs)))
		Expect(k8s.Delete(ctx, theirs)).To(Succeed())
		Eventually(func() metav1.ConditionStatus { return t.condition(v1alpha1.Ready).Status }, "70s").Should(Equal(metav1.ConditionTrue))
	})

	It("F5 left a StatefulSet of ours that cannot be changed in place: the field is named, and orphaning heals", func() {
		ns := namespace()
		labels := map[string]string{v1alpha1.NameLabel: "tiny-cache", v1alpha1.InstanceLabel: "orders"}
		set := &appsv1.StatefulSet{
			ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "orders", Labels: map[string]string{
				v1alpha1.ManagedByLabel: v1alpha1.FieldManager, v1alpha1.OwnerNameLabel: "orders", v1alpha1.OwnerNamespaceLabel: ns,
			}},
			Spec: appsv1.StatefulSetSpec{
				ServiceName: "orders", PodManagementPolicy: appsv1.OrderedReadyPodManagement, Replicas: new(int32(0)),
				Selector: &metav1.LabelSelector{MatchLabels: labels},
				Template: corev1.PodTemplateSpec{
					ObjectMeta: metav1.ObjectMeta{Labels: labels},
					Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "tiny-cache", Image: image}}},
				},
			},
		}
		Expect(k8s.Create(ctx, set)).To(Succeed())
		t := createIn(ns, "orders", replicas(1))
		c := t.expectCondition(v1alpha1.Degraded, metav1.ConditionTrue, v1alpha1.ReasonImmutableField)
		Expect(c.Message).To(ContainSubstring("StatefulSet " + ns + "/orders: spec"))
		Expect(k8s.Delete(ctx, set, client.PropagationPolicy(metav1.DeletePropagationOrphan))).To(Succeed())
		t.expectReady()
	})
})
