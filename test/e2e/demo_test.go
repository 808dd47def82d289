//go:build e2e

package e2e

import (
	"regexp"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	ringpkg "github.com/sk1-services/distributed-cache/pkg/ring"
)

var _ = Describe("The demo", func() {
	It("shows an available cache, its pods and its ring", func() {
		Expect(demo).To(MatchRegexp(`(?m)^orders-cache +True +3 +1 +\d+s$`))
		Expect(regexp.MustCompile(`(?m)^orders-cache-\d +1/1 +Running`).FindAllString(demo, -1)).To(HaveLen(3))
		Expect(demo).To(ContainSubstring(`{"version":1,"members":["orders-cache-0","orders-cache-1","orders-cache-2"]}`))
		for line := range strings.SplitSeq(demo, "\n") {
			if strings.HasPrefix(line, "figure ") {
				GinkgoWriter.Println(line)
			}
		}
	})

	It("routes the sample keys to the owners that the ring gives them, and reads back what it wrote", func() {
		router, err := ringpkg.NewRouter([]string{"orders-cache-0", "orders-cache-1", "orders-cache-2"})
		Expect(err).NotTo(HaveOccurred())
		Expect(demo).To(ContainSubstring("ring version  1\nservice       orders-cache.default.svc.cluster.local\n"))
		for _, key := range []string{"foo", "bar", "baz", "user-1234", "session-abcd", "orders-99"} {
			owner, _ := router.LocateString(key)
			Expect(demo).To(MatchRegexp(`(?m)^%s +%s +true +true$`, regexp.QuoteMeta(key), owner))
		}
	})

	It("can be run again", func() {
		out := run(localkube, "up", "--name", instance, "--node", "real")
		Expect(out).To(ContainSubstring("already up"))
		must("delete", "job", "cache-cli-demo")
		must("apply", "--server-side", "-f", "../../config/samples/cli-job.yaml")
		must("wait", "job/cache-cli-demo", "--for=condition=Complete", "--timeout=60s")
	})
})
