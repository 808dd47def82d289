//go:build integration

package integration

import (
	"context"
	"encoding/json"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/ring"
)

var ctx = context.Background()

// namespace makes a namespace for one spec.
func namespace() string {
	GinkgoHelper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "t-"}}
	Expect(k8s.Create(ctx, ns)).To(Succeed())
	DeferCleanup(func() { Expect(client.IgnoreNotFound(k8s.Delete(ctx, ns))).To(Succeed()) })
	return ns.Name
}

// tenant is one cache of a spec.
type tenant struct {
	key types.NamespacedName
	// home is the namespace of its objects.
	home string
}

type edit func(*v1alpha1.DistributedCache)

func replicas(n int32) edit {
	return func(c *v1alpha1.DistributedCache) { c.Spec.Replicas = &n }
}

// create makes a cache in a namespace of its own.
func create(edits ...edit) tenant {
	GinkgoHelper()
	return createIn(namespace(), "orders", edits...)
}

func createIn(namespace, name string, edits ...edit) tenant {
	GinkgoHelper()
	c := &v1alpha1.DistributedCache{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	for _, e := range edits {
		e(c)
	}
	Expect(k8s.Create(ctx, c)).To(Succeed())
	return tenant{types.NamespacedName{Namespace: namespace, Name: name}, c.Home()}
}

func (t tenant) get() *v1alpha1.DistributedCache {
	GinkgoHelper()
	c := &v1alpha1.DistributedCache{}
	Expect(k8s.Get(ctx, t.key, c)).To(Succeed())
	return c
}

func (t tenant) change(e edit) {
	GinkgoHelper()
	c := t.get()
	base := c.DeepCopy()
	e(c)
	Expect(k8s.Patch(ctx, c, client.MergeFrom(base))).To(Succeed())
}

func (t tenant) set() *appsv1.StatefulSet   { return fetch(t, t.key.Name, &appsv1.StatefulSet{}) }
func (t tenant) service() *corev1.Service   { return fetch(t, t.key.Name, &corev1.Service{}) }
func (t tenant) ringMap() *corev1.ConfigMap { return fetch(t, t.key.Name+"-ring", &corev1.ConfigMap{}) }

// fetch reads an object of the cache, nil if there is none.
func fetch[T client.Object](t tenant, name string, object T) T {
	GinkgoHelper()
	var none T
	err := k8s.Get(ctx, types.NamespacedName{Namespace: t.home, Name: name}, object)
	if apierrors.IsNotFound(err) {
		return none
	}
	Expect(err).NotTo(HaveOccurred())
	return object
}

// ring is the published ring, the zero document if there is none.
func (t tenant) ring() ring.Document {
	GinkgoHelper()
	m := t.ringMap()
	if m == nil {
		return ring.Document{}
	}
	document, err := ring.Decode([]byte(m.Data[v1alpha1.RingKey]))
	Expect(err).NotTo(HaveOccurred())
	return document
}

func (t tenant) condition(kind string) metav1.Condition {
	GinkgoHelper()
	if c := meta.FindStatusCondition(t.get().Status.Conditions, kind); c != nil {
		return *c
	}
	return metav1.Condition{}
}

// expectCondition waits for a condition to have a status and a reason.
func (t tenant) expectCondition(kind string, status metav1.ConditionStatus, reason string) metav1.Condition {
	GinkgoHelper()
	Eventually(func() string {
		c := t.condition(kind)
		return fmt.Sprintf("%s %s: %s", c.Status, c.Reason, c.Message)
	}, "30s").Should(HavePrefix("%s %s: ", status, reason))
	return t.condition(kind)
}

// expectReady waits until the cache is as wanted and its status says so.
func (t tenant) expectReady() *v1alpha1.DistributedCache {
	GinkgoHelper()
	return t.expectReadyWithin("40s")
}

func (t tenant) expectReadyWithin(limit string) *v1alpha1.DistributedCache {
	GinkgoHelper()
	Eventually(func() string {
		c := t.get()
		r := meta.FindStatusCondition(c.Status.Conditions, v1alpha1.Ready)
		if r == nil || c.Status.ObservedGeneration != c.Generation {
			return "not observed"
		}
		return fmt.Sprintf("%s %s: %s", r.Status, r.Reason, r.Message)
	}, limit).Should(HavePrefix("True "))
	return t.get()
}

func (t tenant) pod(ordinal int) *corev1.Pod {
	GinkgoHelper()
	return fetch(t, v1alpha1.PodName(t.key.Name, ordinal), &corev1.Pod{})
}

// ready sets a pod's Ready condition, as its kubelet would after a probe.
func (t tenant) ready(ordinal int, status corev1.ConditionStatus) {
	GinkgoHelper()
	Eventually(func() error {
		pod := t.pod(ordinal)
		for i := range pod.Status.Conditions {
			if c := &pod.Status.Conditions[i]; c.Type == corev1.PodReady {
				c.Status, c.LastTransitionTime = status, metav1.Now()
			}
		}
		return k8s.Status().Update(ctx, pod)
	}).Should(Succeed())
}

// members are the names of the pods with the given ordinals.
func (t tenant) members(ordinals ...int) []string {
	names := []string{}
	for _, i := range ordinals {
		names = append(names, v1alpha1.PodName(t.key.Name, i))
	}
	return names
}

func text(object any) string {
	GinkgoHelper()
	data, err := json.Marshal(object)
	Expect(err).NotTo(HaveOccurred())
	return string(data)
}
