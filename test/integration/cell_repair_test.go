//go:build integration

package integration

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
)

// fenceOf is what the fence of a cache says, without what the API server adds.
func fenceOf(t tenant) string {
	GinkgoHelper()
	said := []any{t.cell().Labels}
	if p := t.policy(); p != nil {
		said = append(said, p.Labels, p.Spec)
	}
	if q := t.quota(); q != nil {
		said = append(said, q.Labels, q.Spec)
	}
	if r := t.role(); r != nil {
		said = append(said, r.Labels, r.Rules)
	}
	if b := t.binding(); b != nil {
		said = append(said, b.Labels, b.Subjects, b.RoleRef)
	}
	return text(said)
}

func remove(object client.Object) {
	GinkgoHelper()
	Expect(k8s.Delete(ctx, object)).To(Succeed())
}

var _ = Describe("Somebody and a Cell", func() {
	DescribeTable("opens the fence: it is closed again",
		func(open func(tenant)) {
			t := isolated(replicas(0))
			t.expectReady()
			before := fenceOf(t)
			open(t)
			Eventually(func() string { return fenceOf(t) }).Should(Equal(before))
			t.expectCondition(v1alpha1.TenantIsolated, metav1.ConditionTrue, v1alpha1.ReasonReconciled)
			t.expectReady()
		},
		Entry("a policy for all ingress", func(t tenant) { patch(t.policy(), `{"spec":{"ingress":[{}]}}`) }),
		Entry("a policy for other pods", func(t tenant) { patch(t.policy(), `{"spec":{"podSelector":{"matchLabels":{"no":"pod"}}}}`) }),
		Entry("a policy that is not of ingress", func(t tenant) { patch(t.policy(), `{"spec":{"policyTypes":["Egress"]}}`) }),
		Entry("no policy", func(t tenant) { remove(t.policy()) }),
		Entry("a wide quota", func(t tenant) { patch(t.quota(), `{"spec":{"hard":{"pods":"1000"}}}`) }),
		Entry("a quota without memory", func(t tenant) { patch(t.quota(), `{"spec":{"hard":{"limits.memory":null}}}`) }),
		Entry("a quota of much memory", func(t tenant) { patch(t.quota(), `{"spec":{"hard":{"requests.memory":"1Ti"}}}`) }),
		Entry("no quota", func(t tenant) { remove(t.quota()) }),
		Entry("a role over more", func(t tenant) { patch(t.role(), `{"rules":[{"apiGroups":["*"],"resources":["*"],"verbs":["*"]}]}`) }),
		Entry("no role", func(t tenant) { remove(t.role()) }),
		Entry("a binding of somebody", func(t tenant) {
			patch(t.binding(), `{"subjects":[{"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":"somebody"}]}`)
		}),
		Entry("no binding", func(t tenant) { remove(t.binding()) }),
		Entry("no Pod security", func(t tenant) {
			patch(t.cell(), `{"metadata":{"labels":{"pod-security.kubernetes.io/enforce":null}}}`)
		}),
		Entry("little Pod security", func(t tenant) {
			patch(t.cell(), `{"metadata":{"labels":{"pod-security.kubernetes.io/enforce":"privileged"}}}`)
		}),
		Entry("a fence without labels", func(t tenant) {
			for _, object := range []client.Object{t.policy(), t.quota(), t.role(), t.binding()} {
				patch(object, `{"metadata":{"labels":null}}`)
			}
		}),
		Entry("a namespace without our labels", func(t tenant) {
			patch(t.cell(), `{"metadata":{"labels":{"`+v1alpha1.OwnerNameLabel+`":null,"`+v1alpha1.OwnerNamespaceLabel+`":null,"`+
				v1alpha1.OwnerUIDLabel+`":null,"`+v1alpha1.ManagedByLabel+`":null}}}`)
		}),
		Entry("a namespace of another owner", func(t tenant) {
			patch(t.cell(), `{"metadata":{"labels":{"`+v1alpha1.OwnerUIDLabel+`":"somebody"}}}`)
		}),
	)

	It("strips the labels off the namespace while the operator is away: they are put back", func() {
		t := isolated(replicas(1))
		t.expectReady()
		cell, before := t.cell().UID, fenceOf(t)
		stop()
		patch(t.cell(), `{"metadata":{"labels":null}}`)
		startOperator()
		Eventually(func() string { return fenceOf(t) }, "10s").Should(Equal(before))
		Expect(t.cell().UID).To(Equal(cell))
		Expect(t.ring().Version).To(BeEquivalentTo(1))
	})

	It("puts a binding of theirs in the place of ours: it is named and left, and heals when it goes", func() {
		t := isolated(replicas(1))
		t.expectReady()
		stop()
		theirs := &rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Namespace: t.home, Name: t.binding().Name},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "view"},
		}
		remove(t.binding())
		Expect(k8s.Create(ctx, theirs)).To(Succeed())
		startOperator()
		c := t.expectCondition(v1alpha1.TenantIsolated, metav1.ConditionFalse, v1alpha1.ReasonNameConflict)
		Expect(c.Message).To(HavePrefix("RoleBinding " + t.home + "/" + theirs.Name + " exists"))
		Expect(text(t.binding())).To(Equal(text(theirs)))
		Expect(t.ring().Members).To(Equal(t.members(0)), "who serves goes on")
		remove(theirs)
		t.expectReadyWithin("70s")
	})

	It("E3 deletes it under a living cache: it is made anew, under a higher version of the ring", func() {
		t := isolated(replicas(2))
		t.expectReady()
		old, ring := t.cell().UID, t.ring().Version
		guest := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: t.home, Name: "guest", Finalizers: []string{"example.com/held"}}}
		Expect(k8s.Create(ctx, guest)).To(Succeed())
		remove(t.cell())
		t.expectCondition(v1alpha1.TenantIsolated, metav1.ConditionFalse, v1alpha1.ReasonCellTerminating)
		time.Sleep(time.Second)
		from := time.Now()
		time.Sleep(3 * time.Second)
		patch(guest, `{"metadata":{"finalizers":null}}`)
		writes, _ := requests(from, from.Add(3*time.Second))
		Expect(writes).NotTo(ContainElement(Satisfy(func(r request) bool { return r.ObjectRef.Namespace == t.home })), "nothing can be made in it")
		Eventually(func(g Gomega) {
			cell := t.cell()
			g.Expect(cell).NotTo(BeNil())
			g.Expect(cell.UID).NotTo(Equal(old))
		}, "90s").Should(Succeed())
		t.expectReadyWithin("60s")
		Expect(t.ring().Version).To(BeNumerically(">", ring))
		Expect(t.ring().Members).To(Equal(t.members(0, 1)))
		Expect(t.get().Status.CellUID).To(Equal(t.cell().UID))
	})

	It("E3 deletes it while the cache is being deleted: both go", func() {
		t := isolated(replicas(1), graceOf(3))
		t.expectReady()
		Expect(k8s.Delete(ctx, t.get())).To(Succeed())
		remove(t.cell())
		t.expectGone("60s")
		Expect(t.cell()).To(BeNil())
	})
})
