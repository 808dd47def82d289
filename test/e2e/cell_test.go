//go:build e2e

package e2e

import (
	"fmt"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

const probeImage = "e2e-probe:dev"

var _ = Describe("Cells, side by side", Ordered, func() {
	BeforeAll(func() {
		loadProgram(probeImage, "e2e-probe", "./probe")
		for name, labels := range map[string]string{shop: "{e2e-client: admitted}", street: "{e2e-client: stranger}"} {
			apply(fmt.Sprintf("apiVersion: v1\nkind: Namespace\nmetadata: {name: %s, labels: %s}\n", name, labels))
			DeferCleanup(func() { must("delete", "namespace", name, "--timeout=90s") })
		}
		newCache("closed", "{replicas: 1, memoryPerPod: 64Mi, tenant: {isolate: true}}")
		newCache("admits", "{replicas: 2, memoryPerPod: 64Mi, tenant: {isolate: true, clients: [{matchLabels: {e2e-client: admitted}}]}}")
		newCache("open", "{replicas: 1, memoryPerPod: 64Mi}")
		for _, name := range []string{"closed", "admits", "open"} {
			ready(name)
		}
		for _, namespace := range []string{closedCell, admitsCell, openHome, shop, street} {
			placeProbe(namespace)
		}
	})

	It("I2 flows pass and are kept out as the table says, and the kubelet's probes pass", func() {
		var table string
		var wrong []string
		Eventually(func(g Gomega) { // policies reach the node's rules a little later
			var err error
			table, wrong, err = met()
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(wrong).To(BeEmpty())
		}, "45s", "2s").Should(Succeed(), func() string { return table })
		fmt.Printf("\n%s", table)
		time.Sleep(10 * time.Second) // a kubelet that is kept out gives up on a pod by now
		for _, cell := range []string{closedCell, admitsCell} {
			must("wait", "pod", "--all", "-n", cell, "--for=condition=Ready", "--timeout=0s")
			Expect(must("get", "pods", "-n", cell, "-o", "jsonpath={.items[*].status.containerStatuses[*].restartCount}")).To(MatchRegexp("^[0 ]+$"))
		}
		Expect(condition("admits", "TenantIsolated")).To(HavePrefix("True Reconciled"))
	})

	It("only the service accounts of clients read the ring, and nobody writes", func() {
		const ring = "configmap/admits-ring"
		client, stranger := "--as=system:serviceaccount:shop:default", "--as=system:serviceaccount:street:default"
		Expect(must("get", ring, "-n", admitsCell, client, "-o", `jsonpath={.data.ring\.json}`)).To(ContainSubstring(`"members":["admits-0","admits-1"]`))
		out, _ := kubectl("get", ring, "-n", admitsCell, client, "-o", "name", "--watch", "--request-timeout=2s")
		Expect(out).To(HavePrefix(ring))
		refused(client, "delete", ring, "-n", admitsCell)
		refused(client, "patch", ring, "-n", admitsCell, "-p", `{"data":{"ring.json":"{}"}}`)
		refused(client, "create", "configmap", "mine", "-n", admitsCell)
		refused(client, "get", "configmaps", "-n", admitsCell)
		refused(client, "get", "pods", "-n", admitsCell)
		refused(client, "get", "configmap/closed-ring", "-n", closedCell)
		refused(stranger, "get", ring, "-n", admitsCell)
		refused(stranger, "get", "configmap/closed-ring", "-n", closedCell)

		serves()
	})

	It("a pod without a memory limit is refused, and so is what exceeds the quota, and the neighbour serves on", func() {
		out, err := applied(pod(closedCell, "boundless", probeImage, ""))
		Expect(err).To(HaveOccurred())
		Expect(out).To(ContainSubstring("failed quota: closed: must specify limits.memory for: main; requests.memory for: main"))

		By("more memory than there is to spare, and more pods than there may be")
		const small = ", resources: {requests: {memory: %[1]s}, limits: {memory: %[1]s}}"
		must("delete", "pod", "probe", "-n", closedCell, "--grace-period=0", "--force")
		Eventually(func() string {
			return must("get", "quota", "closed", "-n", closedCell, "-o", "jsonpath={.status.used.pods}")
		}).Should(Equal("1"))
		out, err = applied(pod(closedCell, "greedy", probeImage, fmt.Sprintf(small, "32Mi")))
		Expect(err).To(HaveOccurred())
		Expect(out).To(ContainSubstring("exceeded quota: closed, requested: limits.memory=32Mi,requests.memory=32Mi, used: limits.memory=64Mi,requests.memory=64Mi, limited: limits.memory=80Mi,requests.memory=80Mi"))
		taken := 0
		for err = nil; err == nil && taken < 10; taken++ {
			out, err = applied(pod(closedCell, fmt.Sprintf("greedy-%d", taken), probeImage, fmt.Sprintf(small, "4Mi")))
		}
		Expect(taken).To(Equal(2), "pods that were asked for, the last of them refused")
		Expect(out).To(ContainSubstring("exceeded quota: closed, requested: pods=1, used: pods=2, limited: pods=2"))

		Expect(condition("closed", "Ready")).To(HavePrefix("True"))
		Expect(condition("admits", "Ready")).To(HavePrefix("True"))
		serves()
	})

	It("a namespace that is no longer selected is a client no longer, and one that is becomes one", func() {
		reads := func(namespace string) string {
			out, _ := kubectl("auth", "can-i", "get", "configmap/admits-ring", "-n", admitsCell, "--as=system:serviceaccount:"+namespace+":default")
			return last(out)
		}
		reaches := func(namespace string) []string {
			words, _ := ask(namespace, admitsURL) // the next look may go better
			return words
		}
		must("label", "namespace", shop, "e2e-client=former", "--overwrite")
		must("label", "namespace", street, "e2e-client=admitted", "--overwrite")
		Eventually(func() []string { return []string{reads(shop), reads(street)} }).Should(Equal([]string{"no", "yes"}))
		Eventually(func() []string { return append(reaches(shop), reaches(street)...) }, "45s", "1s").
			Should(HaveExactElements(BeElementOf("refused", "times out"), Equal(passes)))
	})
})

var _ = Describe("A cell on a real node", func() {
	It("comes up with its cache and goes with it", func() {
		begin := time.Now()
		newCache("brief", "{replicas: 2, memoryPerPod: 64Mi, drain: {gracePeriodSeconds: 1}, tenant: {isolate: true}}")
		must("wait", "dc/brief", "--for=condition=Available", "--timeout=90s")
		fmt.Printf("\nfigure e2e.cell_available_s %.1f s\n", time.Since(begin).Seconds())
		ready("brief")
		Expect(condition("brief", "TenantIsolated")).To(HavePrefix("True Reconciled"))

		begin = time.Now()
		must("delete", "dc", "brief", "--timeout=60s")
		fmt.Printf("\nfigure e2e.cell_deletion_s %.1f s\n", time.Since(begin).Seconds())
		Expect(must("get", "namespace", "cache-brief", "--ignore-not-found", "-o", "name")).To(BeEmpty())
	})
})

// refused expects that the API server refuses a user a request.
func refused(user string, args ...string) {
	GinkgoHelper()
	out, err := kubectl(append(args, user)...)
	Expect(err).To(HaveOccurred(), strings.Join(args, " "))
	Expect(out).To(ContainSubstring("is forbidden: User"), strings.Join(args, " "))
}

// serves expects that the library reads the ring of admits from the shop, and writes and reads keys.
// It may take more than one attempt: a policy lets a new pod in when its address is known.
func serves() {
	GinkgoHelper()
	must("delete", "pod", "demo", "-n", shop, "--ignore-not-found")
	must("run", "demo", "-n", shop, "--image=ghcr.io/sk1-services/cache-cli:dev", "--restart=OnFailure", "--", "demo", "--cache=admits", "--namespace="+admitsCell)
	out, err := kubectl("wait", "pod/demo", "-n", shop, "--for=jsonpath={.status.phase}=Succeeded", "--timeout=60s")
	said, _ := kubectl("logs", "demo", "-n", shop)
	GinkgoWriter.Println(must("get", "pod", "demo", "-n", shop), said)
	Expect(err).NotTo(HaveOccurred(), "%s%s", out, said)
}
