//go:build integration

package integration

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
)

// request is what matters of a line of the audit log.
type request struct {
	Stage     string
	Verb      string
	UserAgent string
	ObjectRef struct{ Resource, Namespace, Name, Subresource string }
	Received  time.Time `json:"requestReceivedTimestamp"`
}

// requests are the operator's requests that the API server finished, as its audit log has them.
// Long watches are left out.
func requests(from, to time.Time) (writes, reads []request) {
	GinkgoHelper()
	file, err := os.Open(auditLog)
	Expect(err).NotTo(HaveOccurred())
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r request
		if json.Unmarshal(lines.Bytes(), &r) != nil || r.Stage != "ResponseComplete" || r.UserAgent != userAgent {
			continue
		}
		if r.Received.Before(from) || r.Received.After(to) {
			continue
		}
		switch r.Verb {
		case "watch":
		case "get", "list":
			reads = append(reads, r)
		default:
			writes = append(writes, r)
		}
	}
	Expect(lines.Err()).NotTo(HaveOccurred())
	return writes, reads
}

// others lists the namespaces of other specs.
func others(own string) func() []string {
	return func() []string {
		GinkgoHelper()
		var list corev1.NamespaceList
		Expect(k8s.List(ctx, &list)).To(Succeed())
		var names []string
		for _, ns := range list.Items {
			if strings.HasPrefix(ns.Name, "t-") && ns.Name != own {
				names = append(names, ns.Name)
			}
		}
		return names
	}
}

var _ = Describe("An idle operator", Serial, func() {
	It("makes no write and no uncached read, nor does a restart of it write", func() {
		begin := time.Now()
		ns := namespace()
		var tenants []tenant
		for i := range 10 {
			tenants = append(tenants, createIn(ns, fmt.Sprintf("cache-%d", i), replicas(int32(i%4))))
		}
		for _, t := range tenants {
			t.expectReady()
		}
		writes, _ := requests(begin, time.Now())
		Expect(writes).NotTo(BeEmpty(), "the audit log shows the operator at work")

		Eventually(others(ns), "60s").Should(BeEmpty(), "namespaces of other specs go first")
		from := time.Now()
		time.Sleep(30 * time.Second)
		to := time.Now()
		// The audit log is written in the background.
		time.Sleep(2 * time.Second)
		writes, reads := requests(from, to)
		fmt.Printf("\nfigure idle.api_writes %d requests\n", len(writes))
		fmt.Printf("\nfigure idle.api_reads %d requests\n", len(reads))
		Expect(writes).To(BeEmpty())
		Expect(reads).To(BeEmpty())

		from = time.Now()
		stop()
		startOperator()
		time.Sleep(5 * time.Second)
		writes, _ = requests(from, time.Now())
		Expect(writes).To(BeEmpty(), "a restarted operator finds everything as it left it")
	})
})
