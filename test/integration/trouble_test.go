//go:build integration

package integration

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/apply"
)

var _ = Describe("A cache that cannot be served", func() {
	It("H10 names the quota that refuses its pods, and heals when it is raised", func() {
		ns := namespace()
		quota := &corev1.ResourceQuota{
			ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "tight"},
			Spec:       corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{corev1.ResourcePods: resource.MustParse("2")}},
		}
		Expect(k8s.Create(ctx, quota)).To(Succeed())
		t := createIn(ns, "orders")
		c := t.expectCondition(v1alpha1.Degraded, metav1.ConditionTrue, v1alpha1.ReasonPodCreationFailed)
		Expect(c.Message).To(Equal("StatefulSet " + ns + "/orders: pods are refused: exceeded quota: tight, requested: pods=1, used: pods=2, limited: pods=2"))
		patch(quota, `{"spec":{"hard":{"pods":"3"}}}`)
		t.expectReady()
	})

	It("gives the server's words for a pod option that the server refuses, and heals when it is mended", func() {
		t := create(replicas(1), func(c *v1alpha1.DistributedCache) {
			c.Spec.Pod.NodeSelector = map[string]string{"zone": "not a label value"}
		})
		c := t.expectCondition(v1alpha1.Degraded, metav1.ConditionTrue, v1alpha1.ReasonStatefulSetReconcileFailed)
		Expect(c.Message).To(And(ContainSubstring("StatefulSet "+t.key.String()), ContainSubstring("spec.template.spec.nodeSelector"), ContainSubstring("not a label value")))
		t.expectCondition(v1alpha1.Stalled, metav1.ConditionTrue, v1alpha1.ReasonStatefulSetReconcileFailed)
		t.change(func(c *v1alpha1.DistributedCache) { c.Spec.Pod.NodeSelector = nil })
		t.expectReady()
	})

	It("names the pod whose image cannot be pulled", func() {
		t := create(replicas(2))
		t.expectReady()
		pod := t.pod(1)
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionFalse, LastTransitionTime: metav1.Now()}}
		pod.Status.ContainerStatuses = []corev1.ContainerStatus{{
			Name: "tiny-cache", Image: image, State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff", Message: "Back-off pulling image"}},
		}}
		Expect(k8s.Status().Update(ctx, pod)).To(Succeed())
		c := t.expectCondition(v1alpha1.Degraded, metav1.ConditionTrue, v1alpha1.ReasonImagePullFailed)
		Expect(c.Message).To(Equal(`pod orders-1: image "` + image + `" cannot be pulled`))
		t.expectCondition(v1alpha1.Available, metav1.ConditionTrue, v1alpha1.ReasonReconciled)
	})

	It("whose namespace is deleted is no trouble, and goes", func() {
		t := create()
		t.expectReady()
		Expect(k8s.Delete(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: t.key.Namespace}})).To(Succeed())
		Eventually(func() error {
			return k8s.Get(ctx, types.NamespacedName{Name: t.key.Namespace}, &corev1.Namespace{})
		}, "40s").Should(MatchError(ContainSubstring("not found")))
	})
})

var _ = Describe("The ring's fence", func() {
	// Z1: two operators read the same ring, the faster writes, the slower must not.
	It("refuses a ring that was computed from an older read", func() {
		ns := namespace()
		applier := &apply.Applier{Writer: k8s, Live: k8s, Manager: v1alpha1.FieldManager}
		ring := func(document string, live client.Object) apply.Result {
			return applier.Apply(ctx, apply.Object{
				Desired: corev1ac.ConfigMap("orders-ring", ns).WithLabels(map[string]string{"owner": "me"}).WithData(map[string]string{"ring.json": document}),
				Live:    live, Fenced: true, Exact: true, Owner: apply.Owner{Labels: map[string]string{"owner": "me"}},
			})
		}
		read := func() *corev1.ConfigMap {
			m := &corev1.ConfigMap{}
			Expect(k8s.Get(ctx, types.NamespacedName{Namespace: ns, Name: "orders-ring"}, m)).To(Succeed())
			return m
		}
		Expect(ring("1", nil).Action).To(Equal(apply.Created))
		Expect(ring("1 by another", nil).Stale()).To(BeTrue(), "a ring is created once")
		old := read()
		Expect(ring("2", old).Action).To(Equal(apply.Updated))
		Expect(ring("2 by another", old).Stale()).To(BeTrue(), "the read is older than the ring")
		Expect(read().Data["ring.json"]).To(Equal("2"))
		Expect(ring("2", read()).Action).To(Equal(apply.Unchanged))
		gone := read()
		Expect(k8s.Delete(ctx, gone)).To(Succeed())
		Expect(ring("3", gone).Stale()).To(BeTrue(), "what was read is gone")
	})
})
