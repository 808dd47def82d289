//go:build e2e

package e2e

import (
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// fetched is what a pod of a Deployment answers.
func fetched(app, path string) string {
	GinkgoHelper()
	ip := must("get", "pods", "-l", "app.kubernetes.io/name="+app, "-o", "jsonpath={.items[0].status.podIP}")
	return run(localkube, "exec", "--name", instance, "--", "curl", "-sS", "--max-time", "5", "http://"+ip+":8080"+path)
}

// twice says that a second request is answered as the first was.
func twice(app, path string) bool {
	GinkgoHelper()
	first := fetched(app, path)
	return first == fetched(app, path)
}

var _ = Describe("The examples", func() {
	example := func(name string) string { return filepath.Join(root, "examples", name) }

	It("serve from the cache what they loaded once: the ring by a watch", func() {
		loadProgram("ghcr.io/sk1-services/example-api:dev", "example-api", "../../examples/api")
		must("apply", "--server-side", "-f", example("api/deployment.yaml"))
		DeferCleanup(func() { must("delete", "-f", example("api/deployment.yaml")) })
		must("rollout", "status", "deployment/profiles", "--timeout=60s")
		Eventually(func() bool { return twice("profiles", "/profiles/ann") }).
			Should(BeTrue(), "the second comes from the cache, with the time of the first")
		Expect(fetched("profiles", "/profiles/ann")).To(HavePrefix("profile of ann, loaded "))
	})

	It("serve from the cache what they loaded once: the ring from a file, without a right", func() {
		loadProgram("ghcr.io/sk1-services/example-file:dev", "example-file", "../../examples/file")
		must("apply", "--server-side", "-f", example("file/cache.yaml"))
		DeferCleanup(deleteAtOnce, "sessions-cache")
		ready("sessions-cache")
		must("apply", "--server-side", "-f", example("file/deployment.yaml"))
		DeferCleanup(func() { must("delete", "-f", example("file/deployment.yaml")) })
		must("rollout", "status", "deployment/sessions", "--timeout=60s")
		Eventually(func() bool { return twice("sessions", "/profiles/bob") }).
			Should(BeTrue(), "the second comes from the cache, with the time of the first")
	})

	It("measure a cache from inside of the cluster", func() {
		must("apply", "--server-side", "-f", example("bench/job.yaml"))
		DeferCleanup(func() { must("delete", "-f", example("bench/job.yaml")) })
		must("wait", "job/orders-cache-bench", "--for=condition=Complete", "--timeout=60s")
		Expect(must("logs", "job/orders-cache-bench")).To(ContainSubstring("hits      100.0 %"))
	})
})
