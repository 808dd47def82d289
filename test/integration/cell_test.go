//go:build integration

package integration

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
)

// born gives the versions under which the kinds of a cell first stood, and under which its quota
// was first in force.
func born(t tenant) map[string]int64 {
	GinkgoHelper()
	first := map[string]int64{}
	note := func(kind string, object client.Object) {
		if _, known := first[kind]; !known {
			first[kind] = version(object)
		}
	}
	for _, e := range watching.Of(t.key) {
		switch object := e.Object.(type) {
		case *corev1.Namespace:
			note("Namespace", object)
		case *networkingv1.NetworkPolicy:
			note("NetworkPolicy", object)
		case *corev1.ResourceQuota:
			note("ResourceQuota", object)
			if object.Status.Hard.Pods().Value() > 0 {
				note("quota in force", object)
			}
		case *corev1.Pod:
			note("Pod", object)
		}
	}
	return first
}

var _ = Describe("A Cell", func() {
	It("E2 holds all of its cache, and nothing of it refers to another namespace", func() {
		t := isolated(replicas(2))
		c := t.expectReady()
		Expect(c.Status.CellNamespace).To(Equal("cache-" + t.key.Name))
		Expect(c.Status.CellUID).To(Equal(t.cell().UID))
		t.expectCondition(v1alpha1.TenantIsolated, metav1.ConditionTrue, v1alpha1.ReasonReconciled)
		t.expectCondition(v1alpha1.Available, metav1.ConditionTrue, v1alpha1.ReasonReconciled)
		Expect(t.ring().Members).To(Equal(t.members(0, 1)))
		for _, object := range t.owned() {
			Expect(object.GetOwnerReferences()).To(BeEmpty(), "E2 %T", object)
			Expect(object.GetLabels()).To(HaveKeyWithValue(v1alpha1.OwnerUIDLabel, string(c.UID)), "%T", object)
		}
		Expect(t.pods()).To(HaveLen(2))
		for _, pod := range t.pods() {
			Expect(metav1.IsControlledBy(&pod, t.set())).To(BeTrue())
			Expect(pod.OwnerReferences).To(HaveLen(1))
		}
		Expect(contents(t.key.Namespace)).To(Equal([]string{"*v1.ConfigMap kube-root-ca.crt"}))
		Expect(t.cell().Labels).To(HaveKeyWithValue("pod-security.kubernetes.io/enforce", "restricted"))
	})

	It("I1 is fenced, and its quota in force, before the first pod", func() {
		t := isolated(replicas(3))
		t.expectReady()
		first := born(t)
		Expect(first).To(HaveLen(5), "%v", first)
		for _, kind := range []string{"Namespace", "NetworkPolicy", "ResourceQuota", "quota in force"} {
			Expect(first[kind]).To(BeNumerically("<", first["Pod"]), kind)
		}
		Expect(first["Namespace"]).To(BeNumerically("<", first["NetworkPolicy"]))
		Expect(first["NetworkPolicy"]).To(BeNumerically("<", first["ResourceQuota"]))
	})

	It("that is idle is written to by nobody, also after a restart", func() {
		t := isolated(replicas(2))
		t.expectReady()
		own := func(r request) bool {
			return r.ObjectRef.Namespace == t.home || r.ObjectRef.Namespace == t.key.Namespace
		}
		time.Sleep(2 * time.Second)
		from := time.Now()
		time.Sleep(8 * time.Second)
		stop()
		startOperator()
		time.Sleep(4 * time.Second)
		writes, reads := requests(from, time.Now())
		Expect(writes).NotTo(ContainElement(Satisfy(own)))
		Expect(reads).NotTo(ContainElement(Satisfy(own)))
	})

	It("of a cache without replicas stands all the same, and the cache grows in it", func() {
		t := isolated(replicas(0))
		t.expectReady()
		t.expectCondition(v1alpha1.TenantIsolated, metav1.ConditionTrue, v1alpha1.ReasonReconciled)
		t.change(replicas(2))
		t.expectReady()
		Expect(t.ring().Members).To(Equal(t.members(0, 1)))
	})
})
