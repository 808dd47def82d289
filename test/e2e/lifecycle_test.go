//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// nothingLost expects that no request of a scenario was lost.
func nothingLost(scenario string, o outcome) {
	GinkgoHelper()
	noneFailed(scenario, o, o.Errors+o.Unreachable+o.NoRing)
}

// noneFailed says how many requests of a scenario failed, by what counts in it, and expects none.
func noneFailed(scenario string, o outcome, failed int) {
	GinkgoHelper()
	fmt.Printf("\nfigure e2e.%s.requests %d requests\n", scenario, o.Requests)
	fmt.Printf("\nfigure e2e.%s.failed %d requests\n", scenario, failed)
	Expect(failed).To(BeZero(), "%+v", o)
}

var _ = Describe("Under a load of 200 requests a second", Ordered, func() {
	BeforeAll(loadImageOnce)

	It("no request fails when the cache grows and shrinks, also with a change of mind", func() {
		newCache("shrink", "{replicas: 3, drain: {gracePeriodSeconds: 5}}")
		ready("shrink")
		l := underLoad("shrink")
		must("scale", "dc", "shrink", "--replicas=5")
		ready("shrink")
		Expect(ring("shrink").Members).To(HaveLen(5))
		must("scale", "dc", "shrink", "--replicas=3")
		ready("shrink")
		Expect(ring("shrink").Members).To(HaveLen(3))
		must("scale", "dc", "shrink", "--replicas=2")
		Eventually(func() int { return len(ring("shrink").Members) }).Should(Equal(2))
		must("scale", "dc", "shrink", "--replicas=3")
		ready("shrink")
		Expect(ring("shrink").Members).To(HaveLen(3))
		nothingLost("shrink", l.stop())
	})

	It("no request fails when pods are replaced, deleted and evicted", func() {
		newCache("replace", "{replicas: 3, drain: {gracePeriodSeconds: 3}}")
		ready("replace")
		l := underLoad("replace")
		must("patch", "dc", "replace", "--type=merge", "-p", `{"spec":{"memoryPerPod":"160Mi"}}`)
		Eventually(func() string {
			return must("get", "pods", "-l", "app.kubernetes.io/instance=replace", "-o", "jsonpath={.items[*].spec.containers[0].resources.limits.memory}")
		}, "120s").Should(Equal("160Mi 160Mi 160Mi"))
		ready("replace")

		must("delete", "pod", "replace-1", "--wait=false")
		Eventually(func() []string { return ring("replace").Members }, "5s").Should(Equal([]string{"replace-0", "replace-2"}))
		Eventually(func() int { return len(ring("replace").Members) }, "60s").Should(Equal(3))

		evict("replace-0")
		Eventually(func() []string { return ring("replace").Members }, "5s").Should(Equal([]string{"replace-1", "replace-2"}))
		Eventually(func() int { return len(ring("replace").Members) }, "60s").Should(Equal(3))
		ready("replace")
		nothingLost("replace", l.stop())
	})

	It("F1 a bad image halts the rollout with one member away, and a mended one goes on by itself", func() {
		newCache("halt", "{replicas: 3, drain: {gracePeriodSeconds: 2}}")
		ready("halt")
		l := underLoad("halt")
		must("patch", "dc", "halt", "--type=merge", "-p", `{"spec":{"image":"localhost:1/none:v0"}}`)
		Eventually(func() string { return condition("halt", "Degraded") }, "60s").Should(HavePrefix("True ImagePullFailed: pod halt-2: "))
		Consistently(func() []string { return ring("halt").Members }, "10s", "500ms").Should(Equal([]string{"halt-0", "halt-1"}))
		must("patch", "dc", "halt", "--type=json", "-p", `[{"op":"remove","path":"/spec/image"}]`)
		Eventually(func() int { return len(ring("halt").Members) }, "60s").Should(Equal(3))
		ready("halt")
		nothingLost("halt", l.stop())
	})

	It("deletion fails nobody before the ring is empty, and ends", func() {
		for _, grace := range []int{5, 0} {
			name := fmt.Sprintf("gone-%d", grace)
			newCache(name, fmt.Sprintf("{replicas: 3, drain: {gracePeriodSeconds: %d}}", grace))
			ready(name)
			l := underLoad(name)
			begin := time.Now()
			must("delete", "dc", name)
			Eventually(func() string {
				return must("get", "pods", "-l", "app.kubernetes.io/instance="+name, "-o", "name")
			}, "60s").Should(BeEmpty())
			fmt.Printf("\nfigure e2e.deletion_grace_%d_s %.1f s\n", grace, time.Since(begin).Seconds())
			o := l.stop()
			failed := o.Errors
			if grace > 0 {
				failed += o.Unreachable
			}
			noneFailed(fmt.Sprintf("deletion_grace_%d", grace), o, failed)
		}
	})

	It("a crash is a miss, and the member leaves the ring", func() {
		newCache("crash", "{replicas: 3}")
		ready("crash")
		l := underLoad("crash")
		version := ring("crash").Version
		run("kill", "-KILL", pid("tiny-cache", "HOSTNAME=crash-1"))
		begin := time.Now()
		Eventually(func() int64 { return ring("crash").Version }, "10s", "50ms").Should(BeNumerically(">", version))
		fmt.Printf("\nfigure e2e.crash_to_ring_s %.2f s\n", time.Since(begin).Seconds())
		Eventually(func() int { return len(ring("crash").Members) }, "60s").Should(Equal(3))
		o := l.stop()
		noneFailed("crash", o, o.Errors+o.NoRing)
	})
})

// evict asks the API server to evict a pod, as a node drain does.
func evict(pod string) {
	GinkgoHelper()
	file := filepath.Join(GinkgoT().TempDir(), "eviction.json")
	Expect(os.WriteFile(file, fmt.Appendf(nil, `{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":%q,"namespace":"default"}}`, pod), 0o600)).To(Succeed())
	must("create", "--raw", "/api/v1/namespaces/default/pods/"+pod+"/eviction", "-f", file)
}
