//go:build e2e

package e2e

import (
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
)

// The namespaces and caches that stand side by side: closed and admits have cells, open has none.
// The shop is a client of admits; the street is nobody's.
const (
	closedCell = "cache-closed"
	admitsCell = "cache-admits"
	openHome   = "default"
	shop       = "shop"
	street     = "street"
)

const admitsURL = "http://admits-0.admits.cache-admits.svc.cluster.local:8080/readyz"

const (
	passes  = "passes"
	keptOut = "kept out"
)

// flow is a line of the table: who asks whom, and whether that is to pass.
type flow struct{ from, to, want string }

var flows = []flow{
	{closedCell, "closed", passes},
	{closedCell, "admits", keptOut},
	{closedCell, "open", passes},
	{closedCell, "closed, another port", passes},
	{closedCell, "DNS by udp", passes},
	{closedCell, "DNS by tcp", passes},

	{admitsCell, "closed", keptOut},
	{admitsCell, "admits", passes},
	{admitsCell, "open", passes},
	{admitsCell, "admits, another port", passes},
	{admitsCell, "DNS by udp", passes},
	{admitsCell, "DNS by tcp", passes},

	{openHome, "closed", keptOut},
	{openHome, "admits", keptOut},
	{openHome, "open", passes},

	{shop, "closed", keptOut},
	{shop, "admits", passes},
	{shop, "admits, another pod", passes},
	{shop, "admits, another port", keptOut},
	{shop, "open", passes},

	{street, "closed", keptOut},
	{street, "admits", keptOut},
	{street, "open", passes},
	{street, "open, another port", passes},
}

// targets are where the flows go. A kept out one names its target as one that passes does, so
// that it is seen to be resolved, and each of them passes from somewhere.
func targets() map[string]string {
	address := func(namespace string) string {
		return "http://" + must("get", "pod", "probe", "-n", namespace, "-o", "jsonpath={.status.podIP}") + ":9090/"
	}
	return map[string]string{
		"closed":               "http://closed-0.closed.cache-closed.svc.cluster.local:8080/readyz",
		"closed, another port": address(closedCell),
		"admits":               admitsURL,
		"admits, another pod":  "http://admits-1.admits.cache-admits.svc.cluster.local:8080/readyz",
		"admits, another port": address(admitsCell),
		"open":                 "http://open-0.open.default.svc.cluster.local:8080/readyz",
		"open, another port":   address(openHome),
		"DNS by udp":           "udp:kubernetes.default.svc.cluster.local",
		"DNS by tcp":           "tcp:kubernetes.default.svc.cluster.local",
	}
}

// ask lets the probe of a namespace ask all targets at once and gives its words.
func ask(namespace string, targets ...string) ([]string, error) {
	out, err := kubectl(append([]string{"exec", "-n", namespace, "probe", "--", "/e2e-probe"}, targets...)...)
	words := strings.Split(strings.TrimSpace(out), "\n")
	if err == nil && len(words) != len(targets) {
		err = fmt.Errorf("%d answers to %d questions", len(words), len(targets))
	}
	if err != nil {
		return nil, fmt.Errorf("probe of %s: %w: %s", namespace, err, out)
	}
	return words, nil
}

// fits compares what a probe said with what is wanted. A packet that is dropped times out, one
// that is rejected is refused.
func fits(want, got string) bool {
	return got == want || want == keptOut && (got == "refused" || got == "times out")
}

// met asks along every flow and gives the table, and the lines of it that are not as wanted.
func met() (table string, wrong []string, err error) {
	where := targets()
	var text strings.Builder
	for _, from := range []string{closedCell, admitsCell, openHome, shop, street} {
		var lines []flow
		var urls []string
		for _, f := range flows {
			if f.from == from {
				lines, urls = append(lines, f), append(urls, where[f.to])
			}
		}
		got, err := ask(from, urls...)
		if err != nil {
			return "", nil, err
		}
		for i, f := range lines {
			line := fmt.Sprintf("flow %-13s → %-21s %-9s (wanted: %s)\n", f.from, f.to, got[i], f.want)
			text.WriteString(line)
			if !fits(f.want, got[i]) {
				wrong = append(wrong, line)
			}
		}
	}
	return text.String(), wrong, nil
}

// placeProbe puts a probe into a namespace: restricted, and small enough for what a quota has to
// spare.
func placeProbe(namespace string) {
	GinkgoHelper()
	apply(pod(namespace, "probe", probeImage, `, resources: {requests: {memory: 16Mi}, limits: {memory: 16Mi}}`))
	DeferCleanup(func() {
		must("delete", "pod", "probe", "-n", namespace, "--ignore-not-found", "--grace-period=0", "--force")
	})
	must("wait", "pod/probe", "-n", namespace, "--for=condition=Ready", "--timeout=60s")
}

// pod is the manifest of a pod that the restricted standard lets in.
func pod(namespace, name, image, more string) string {
	return fmt.Sprintf(`
apiVersion: v1
kind: Pod
metadata: {name: %s, namespace: %s}
spec:
  automountServiceAccountToken: false
  terminationGracePeriodSeconds: 1
  securityContext: {runAsNonRoot: true, runAsUser: 65532, seccompProfile: {type: RuntimeDefault}}
  containers:
    - {name: main, image: %q, securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}%s}
`, name, namespace, image, more)
}
