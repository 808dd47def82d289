//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

const (
	fillImage = "e2e-fill:dev"
	fillLabel = "fill"
)

// Full pods take minutes: they are filled by make test-pods alone.
var _ = Describe("A full pod", Label(fillLabel), Ordered, func() {
	BeforeAll(func() {
		if GinkgoLabelFilter() != fillLabel {
			Skip("make test-pods fills pods up to 1Gi")
		}
		loadProgram(fillImage, "e2e-fill", "./fill")
	})
	for _, memory := range []string{"64Mi", "128Mi", "1Gi"} {
		for _, size := range []int{10, 1 << 10, 100 << 10} {
			It(fmt.Sprintf("of %s is not killed, filled five times over with values of %d bytes (J12)", memory, size), func() {
				name := fmt.Sprintf("full-%s-%d", strings.ToLower(memory), size)
				newCache(name, fmt.Sprintf("{replicas: 1, memoryPerPod: %s}", memory))
				ready(name)
				entries, resident := filled(name, size)
				Expect(must("get", "pod", name+"-0", "-o", "jsonpath={.status.containerStatuses[0].restartCount} {.status.containerStatuses[0].lastState}")).To(Equal("0 {}"))
				limit := quantity(memory)
				used := 100 * resident / limit
				figure := fmt.Sprintf("figure cache.pod_%s_%dB", memory, size)
				fmt.Printf("\n%s.memory_used %.0f %%\n%s.entries %d entries\n", figure, used, figure, entries)
				Expect(resident).To(BeNumerically("<", limit))
				if memory == "128Mi" {
					Expect(used).To(BeNumerically(">=", 60))
				}
			})
		}
	}
})

// filled fills the one pod of a cache from a pod beside it, and gives the entries and the memory in
// use in the end.
func filled(cache string, size int) (entries int, resident float64) {
	GinkgoHelper()
	root := "http://" + must("get", "pod", cache+"-0", "-o", "jsonpath={.status.podIP}") + ":8080"
	filler := "fill-" + cache
	apply(pod("default", filler, fillImage, fmt.Sprintf(", args: [--url=%s, --value-size=%d]", root, size)))
	defer must("delete", "pod", filler, "--ignore-not-found", "--grace-period=0", "--force")
	var said struct {
		Entries  int
		Resident float64
		Error    string
	}
	Eventually(func() error {
		out, _ := kubectl("logs", filler)
		return json.Unmarshal([]byte(out), &said)
	}, "11m", "1s").Should(Succeed())
	Expect(said.Error).To(BeEmpty())
	return said.Entries, said.Resident
}

// quantity is a number of Mi or Gi in bytes.
func quantity(text string) float64 {
	GinkgoHelper()
	number, unit := text[:len(text)-2], text[len(text)-2:]
	value, err := strconv.ParseFloat(number, 64)
	Expect(err).NotTo(HaveOccurred())
	return value * map[string]float64{"Mi": 1 << 20, "Gi": 1 << 30}[unit]
}
