//go:build integration

package faults

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/ring"
)

// tenant is the cache of a run, in a namespace of its own.
type tenant = types.NamespacedName

func (l *lab) namespace(t *testing.T) string {
	t.Helper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "f-"}}
	check(t, l.k8s.Create(t.Context(), ns))
	return ns.Name
}

// create makes a cache. One that is called after its namespace is isolated.
func (l *lab) create(t *testing.T, key tenant, replicas, grace int32) {
	t.Helper()
	c := &v1alpha1.DistributedCache{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}}
	c.Spec.Replicas, c.Spec.Drain.GracePeriodSeconds = &replicas, &grace
	c.Spec.Tenant.Isolate = key.Name == key.Namespace
	check(t, l.k8s.Create(t.Context(), c))
}

// get is the cache, nil if it is gone.
func (l *lab) get(t *testing.T, key tenant) *v1alpha1.DistributedCache {
	t.Helper()
	c := &v1alpha1.DistributedCache{}
	err := l.k8s.Get(t.Context(), key, c)
	if apierrors.IsNotFound(err) {
		return nil
	}
	check(t, err)
	return c
}

func (l *lab) scale(t *testing.T, key tenant, replicas int32) {
	t.Helper()
	c := l.get(t, key)
	base := c.DeepCopy()
	c.Spec.Replicas = &replicas
	check(t, l.k8s.Patch(t.Context(), c, client.MergeFrom(base)))
}

func (l *lab) delete(t *testing.T, key tenant) {
	t.Helper()
	c := &v1alpha1.DistributedCache{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}}
	check(t, client.IgnoreNotFound(l.k8s.Delete(t.Context(), c)))
}

// ring is the published ring, the zero document if there is none.
func (l *lab) ring(t *testing.T, key tenant) ring.Document {
	t.Helper()
	m := &corev1.ConfigMap{}
	err := l.k8s.Get(t.Context(), types.NamespacedName{Namespace: key.Namespace, Name: v1alpha1.RingName(key.Name)}, m)
	if apierrors.IsNotFound(err) {
		return ring.Document{}
	}
	check(t, err)
	document, err := ring.Decode([]byte(m.Data[v1alpha1.RingKey]))
	check(t, err)
	return document
}

// marked counts the pods that are told that they drain.
func (l *lab) marked(t *testing.T, key tenant) int {
	t.Helper()
	pods, count := &corev1.PodList{}, 0
	check(t, l.k8s.List(t.Context(), pods, client.InNamespace(key.Namespace)))
	for i := range pods.Items {
		if pods.Items[i].Annotations[v1alpha1.DrainingSinceAnnotation] != "" {
			count++
		}
	}
	return count
}

// finished reports whether the cache says that it is as wanted.
func finished(c *v1alpha1.DistributedCache) bool {
	return c != nil && c.Status.ObservedGeneration == c.Generation && meta.IsStatusConditionTrue(c.Status.Conditions, v1alpha1.Ready)
}

func (l *lab) expectReady(t *testing.T, key tenant) {
	t.Helper()
	NewWithT(t).Eventually(func() bool { return finished(l.get(t, key)) }).Should(BeTrue(), "%s is not ready", key)
}

// expectNothing waits until the cache and all that it owned is gone.
func (l *lab) expectNothing(t *testing.T, key tenant, within time.Duration) {
	t.Helper()
	NewWithT(t).Eventually(func() string { return l.snapshot(t, key) }, within).Should(Equal(nothing))
}
