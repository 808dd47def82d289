//go:build e2e

package e2e

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("Clients that keep their connections", Ordered, func() {
	BeforeAll(loadImageOnce)

	It("D7 fifty of them, with 100 requests a second in all, see no failure and no reset when the cache shrinks", func() {
		newCache("keep", "{replicas: 5, drain: {gracePeriodSeconds: 3}}")
		ready("keep")
		l := underLoad("keep", "-clients=50", "-rate=100")
		time.Sleep(5 * time.Second) // each client has connections to each member
		must("scale", "dc", "keep", "--replicas=3")
		Eventually(func() string {
			return must("get", "pods", "-l", "app.kubernetes.io/instance=keep", "-o", "jsonpath={.items[*].metadata.name}")
		}, "60s").Should(Equal("keep-0 keep-1 keep-2"))
		ready("keep")
		Expect(ring("keep").Members).To(HaveLen(3))
		time.Sleep(3 * time.Second) // what is left of old connections is used
		o := l.stop()
		nothingLost("keepalive", o)
		Expect(o.Resets).To(BeZero(), "%+v", o)
	})
})
