//go:build integration

package integration

import (
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/render"
	"github.com/sk1-services/distributed-cache/test/history"
)

// images counts the pods of a cache that run each image.
func (t tenant) images() map[string]int {
	GinkgoHelper()
	var pods corev1.PodList
	Expect(k8s.List(ctx, &pods, client.InNamespace(t.home), client.MatchingLabels{v1alpha1.OwnerNameLabel: t.key.Name})).To(Succeed())
	count := map[string]int{}
	for _, pod := range pods.Items {
		count[pod.Spec.Containers[0].Image]++
	}
	return count
}

var _ = Describe("A new release of the operator", func() {
	It("F8: a new release of the operator that changes the template rolls every cache, each one pod at a time", func() {
		const caches, size = 20, 5
		const next = image + "-next"
		DeferCleanup(func() { // after the namespace, lest this release rolls the caches back
			stop()
			startOperator()
		})
		ns := namespace()
		var tenants []tenant
		for i := range caches {
			tenants = append(tenants, createIn(ns, fmt.Sprintf("cache-%d", i), replicas(size), graceOf(1)))
		}
		for _, t := range tenants {
			t.expectReady()
		}
		before := time.Now()
		stop()
		startRelease(render.Options{CacheImage: next})
		for _, t := range tenants {
			Eventually(t.images, "180s", "500ms").Should(Equal(map[string]int{next: size}), t.key.Name)
		}
		for _, t := range tenants {
			t.expectReady()
			Eventually(func() int { return len(t.ring().Members) }).Should(Equal(size))
		}
		for _, t := range tenants {
			members, serving := history.Fewest(watching.Of(t.key), before)
			// A pod that is away for a moment only does not show in the ring.
			Expect(members).To(BeNumerically(">=", size-1), "the ring of %s, whose history is\n%s", t.key, told(t))
			Expect(serving).To(Equal(size-1), "the pods of %s, whose history is\n%s", t.key, told(t))
		}
	})
})

// told is the history of a cache.
func told(t tenant) string { return history.Tell(watching.Of(t.key)) }
