//go:build e2e

package e2e

import (
	"fmt"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// cache is a minimal manifest. Its grace is short, for specs wait for it, where the spec of the
// cache does not say otherwise.
func cache(name, spec string) string {
	if !strings.Contains(spec, "drain:") {
		spec = strings.TrimSuffix(spec, "}") + ", drain: {gracePeriodSeconds: 2}}"
	}
	return fmt.Sprintf("apiVersion: cache.sk1.services.com/v1alpha1\nkind: DistributedCache\nmetadata: {name: %s, namespace: default}\nspec: %s\n", name, spec)
}

func newCache(name, spec string) {
	GinkgoHelper()
	apply(cache(name, spec))
	DeferCleanup(func() { must("delete", "dc", name, "--ignore-not-found", "--timeout=60s") })
}

func ready(name string) {
	GinkgoHelper()
	must("wait", "dc/"+name, "--for=condition=Ready", "--timeout=90s")
}

func condition(name, kind string) string {
	GinkgoHelper()
	return must("get", "dc", name, "-o", fmt.Sprintf(`jsonpath={.status.conditions[?(@.type=="%s")].status} {.status.conditions[?(@.type=="%s")].reason}: {.status.conditions[?(@.type=="%s")].message}`, kind, kind, kind))
}

var _ = Describe("A cache on a real node", func() {
	It("grows by kubectl scale, and the new members join in one version", func() {
		newCache("grow", "{replicas: 2}")
		ready("grow")
		must("scale", "dc", "grow", "--replicas=4")
		ready("grow")
		Expect(ring("grow")).To(Equal(document{2, []string{"grow-0", "grow-1", "grow-2", "grow-3"}}))
	})

	It("rolls right after its creation with one member away at a time", func() {
		newCache("roll", "{replicas: 3}")
		must("wait", "dc/roll", "--for=condition=Available", "--timeout=90s")
		must("patch", "dc", "roll", "--type=merge", "-p", `{"spec":{"memoryPerPod":"160Mi"}}`)
		fewest := 3
		Eventually(func(g Gomega) {
			fewest = min(fewest, len(ring("roll").Members))
			g.Expect(must("get", "pods", "-l", "app.kubernetes.io/instance=roll", "-o", "jsonpath={.items[*].spec.containers[0].resources.limits.memory}")).
				To(Equal("160Mi 160Mi 160Mi"))
			g.Expect(ring("roll").Members).To(HaveLen(3))
		}, "150s").Should(Succeed())
		Expect(fewest).To(BeNumerically(">=", 2))
		ready("roll")
	})

	It("drops a pod that dies and takes it back", func() {
		newCache("die", "{replicas: 2}")
		ready("die")
		must("delete", "pod", "die-1", "--force", "--grace-period=0")
		Eventually(func() []string { return ring("die").Members }, "5s").Should(Equal([]string{"die-0"}))
		Eventually(func() []string { return ring("die").Members }, "40s").Should(Equal([]string{"die-0", "die-1"}))
		Expect(ring("die").Version).To(BeEquivalentTo(3))
		ready("die")
	})

	It("says why when its image cannot be pulled, and comes up when the image is mended", func() {
		newCache("pull", "{replicas: 1, image: 'localhost:1/none:v0'}")
		Eventually(func() string { return condition("pull", "Degraded") }, "60s").
			Should(Equal(`True ImagePullFailed: pod pull-0: image "localhost:1/none:v0" cannot be pulled`))
		must("patch", "dc", "pull", "--type=json", "-p", `[{"op":"remove","path":"/spec/image"}]`)
		ready("pull")
	})

	It("says why when no node takes it", func() {
		newCache("wide", "{replicas: 1, memoryPerPod: 512Gi}")
		Eventually(func() string { return condition("wide", "Degraded") }, "60s").
			Should(HavePrefix("True PodUnschedulable: pod wide-0: 0/1 nodes are available"))
	})

	It("runs restricted: no root, no token, a read-only file system", func() {
		must("label", "namespace", "default", "pod-security.kubernetes.io/enforce=restricted", "--overwrite")
		DeferCleanup(func() { must("label", "namespace", "default", "pod-security.kubernetes.io/enforce-") })
		newCache("strict", "{replicas: 1}")
		ready("strict")
		Expect(must("get", "pod", "strict-0", "-o", "jsonpath={.spec.volumes[*].name}")).To(Equal("podinfo"))
	})

	It("answers by name and serves its API", func() {
		newCache("api", "{replicas: 1}")
		ready("api")
		address := must("get", "pod", "api-0", "-o", "jsonpath={.status.podIP}")
		url := "http://" + address + ":8080"
		curl := func(args ...string) string {
			return run(localkube, append([]string{"exec", "--name", instance, "--", "curl", "-sS", "-w", "\n%{http_code}"}, args...)...)
		}
		Expect(curl("-X", "PUT", "--data-binary", "hello", url+"/v1/cache/a%2Fb?ttl=60")).To(HaveSuffix("204"))
		Expect(curl(url + "/v1/cache/a%2Fb")).To(Equal("hello\n200"))
		Expect(curl("-X", "PUT", "--data-binary", "hello", url+"/v1/cache/a?ttl=-1")).To(HaveSuffix("400"))
		Expect(curl(url + "/metrics")).To(ContainSubstring("tiny_cache_"))
		Expect(curl(url + "/readyz")).To(HaveSuffix("200"))
	})
})

var _ = Describe("The operator in the cluster", Ordered, func() {
	const namespace = "distributed-cache-system"

	It("serves its metrics to those who may read them and to nobody else", func() {
		address := must("get", "pod", "-n", namespace, "-l", "app.kubernetes.io/name=distributed-cache-operator", "-o", "jsonpath={.items[0].status.podIP}")
		url := "https://" + address + ":8443/metrics"
		curl := func(args ...string) string {
			return run(localkube, append([]string{"exec", "--name", instance, "--", "curl", "-sSk", "-w", "\n%{http_code}"}, args...)...)
		}
		Expect(curl(url)).To(HaveSuffix("401"))
		must("create", "serviceaccount", "stranger", "-n", "default")
		must("create", "serviceaccount", "scraper", "-n", "default")
		must("create", "clusterrolebinding", "scraper", "--clusterrole=distributed-cache-metrics-reader", "--serviceaccount=default:scraper")
		token := func(name string) string {
			return "Authorization: Bearer " + strings.TrimSpace(must("create", "token", name, "-n", "default"))
		}
		Expect(curl("-H", token("stranger"), url)).To(HaveSuffix("403"))
		Expect(curl("-H", token("scraper"), url)).To(ContainSubstring("controller_runtime_reconcile_total"))
	})

	It("hands over to another replica when the leader goes", func() {
		holder := func() string {
			return must("get", "lease", "distributedcache-operator", "-n", namespace, "-o", "jsonpath={.spec.holderIdentity}")
		}
		must("scale", "deployment/distributed-cache-operator", "-n", namespace, "--replicas=2")
		must("rollout", "status", "deployment/distributed-cache-operator", "-n", namespace, "--timeout=60s")
		before := holder()
		must("delete", "pod", "-n", namespace, strings.Split(before, "_")[0], "--wait=false")
		Eventually(holder, "40s").ShouldNot(Equal(before))
		newCache("after", "{replicas: 1}")
		ready("after")
	})

	It("used every right that it has, and asked for none that it lacks", func() {
		newCache("fenced", "{replicas: 1, tenant: {isolate: true}}") // whatever the order of the specs
		ready("fenced")
		must("delete", "dc", "fenced", "--timeout=60s")
		time.Sleep(2 * time.Second)
		refused, unused := rights(namespace)
		Expect(refused).To(BeEmpty())
		Expect(unused).To(BeEmpty())
	})
})
