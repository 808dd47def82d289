//go:build e2e

// Package e2e tests the product as a user has it: a real node, the operator in the cluster with
// its own rights, cache pods that serve, and clients in pods. The cluster is the demo's, made by
// the demo's own script.
package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

const instance = "e2e"

var (
	root      = filepath.Join("..", "..")
	localkube = filepath.Join(root, "bin", "localkube")
	auditLog  string
	demo      string
	program   string
	config    string
	// bothSources runs beside the specs.
	bothSources *sources
)

func TestE2E(t *testing.T) {
	RegisterFailHandler(Fail)
	SetDefaultEventuallyTimeout(30 * time.Second)
	SetDefaultEventuallyPollingInterval(100 * time.Millisecond)
	RunSpecs(t, "End to end")
}

var _ = BeforeSuite(func() {
	said := run(localkube, "up", "--name", instance, "--node", "auto")
	DeferCleanup(func() { run(localkube, "down", "--name", instance) })
	var status struct{ Mode, AuditLog string }
	Expect(json.Unmarshal([]byte(run(localkube, "status", "--name", instance, "-o", "json")), &status)).To(Succeed())
	if status.Mode != "real" {
		Skip("this machine cannot run a real node:\n" + said)
	}
	auditLog = status.AuditLog
	cmd := exec.Command(filepath.Join(root, "hack", "demo.sh"))
	cmd.Env = append(os.Environ(), "LOCALKUBE_NAME="+instance)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	GinkgoWriter.Write(out.Bytes())
	Expect(err).NotTo(HaveOccurred(), out.String())
	demo = out.String()
	program = last(run(localkube, "build", "--only", "kubectl"))
	config = last(run(localkube, "kubeconfig", "--name", instance))
	if GinkgoLabelFilter() != fillLabel {
		bothSources = startSources()
	}
})

// What runs beside the specs, and what would be in their way, comes last.
var _ = AfterSuite(func() {
	if bothSources == nil {
		return
	}
	bothSources.judge()
	outage()
	uninstall()
})

// uninstall goes the documented way: it ends, and leaves nothing of ours (case E6).
func uninstall() {
	GinkgoHelper()
	By("E6: the documented way to uninstall ends, and leaves nothing of ours")
	apply(cache("left", "{replicas: 1, tenant: {isolate: true}}"))
	must("wait", "dc/left", "--for=condition=Ready", "--timeout=90s")
	cmd := exec.Command("make", "-s", "undeploy", "KUBECTL="+program)
	cmd.Dir, cmd.Env = root, append(os.Environ(), "KUBECONFIG="+config)
	out, err := cmd.CombinedOutput()
	Expect(err).NotTo(HaveOccurred(), string(out))
	Expect(must("get", "crd,clusterrole,clusterrolebinding", "-o", "name")).NotTo(ContainSubstring("distributed-cache"))
	Expect(must("get", "services,statefulsets,pods", "-l", "app.kubernetes.io/managed-by=distributedcache-operator", "-A", "-o", "name")).NotTo(ContainSubstring("statefulset"))
	Expect(must("get", "namespaces", "-o", "name")).NotTo(ContainSubstring("namespace/cache-"))
}

func run(name string, args ...string) string {
	GinkgoHelper()
	out, err := exec.Command(name, args...).CombinedOutput()
	Expect(err).NotTo(HaveOccurred(), "%s %s: %s", name, strings.Join(args, " "), out)
	return string(out)
}

func last(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// kubectl runs kubectl with a time limit and gives its output.
func kubectl(args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, program, append([]string{"--kubeconfig", config}, args...)...).CombinedOutput()
	return string(out), err
}

func must(args ...string) string {
	GinkgoHelper()
	out, err := kubectl(args...)
	Expect(err).NotTo(HaveOccurred(), "kubectl %s: %s", strings.Join(args, " "), out)
	return out
}

// apply applies a manifest as a user does.
func apply(manifest string) {
	GinkgoHelper()
	out, err := applied(manifest)
	Expect(err).NotTo(HaveOccurred(), out)
}

// applied is an apply that may be refused.
func applied(manifest string) (string, error) {
	cmd := exec.Command(program, "--kubeconfig", config, "apply", "--server-side", "-f", "-")
	cmd.Stdin = strings.NewReader(manifest)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// loadProgram builds a program of the tests and brings it into the node, as an image.
func loadProgram(image, name, source string) {
	GinkgoHelper()
	binary := filepath.Join(root, "bin", name)
	cmd := exec.Command("go", "build", "-ldflags", "-s -w", "-o", binary, source)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	Expect(err).NotTo(HaveOccurred(), string(out))
	run(localkube, "load", "--name", instance, image, "--binary", binary)
}

type document struct {
	Version int64
	Members []string
}

func ring(cache string) document {
	GinkgoHelper()
	var d document
	text := must("get", "configmap", cache+"-ring", "-o", `jsonpath={.data.ring\.json}`)
	Expect(json.Unmarshal([]byte(text), &d)).To(Succeed(), text)
	return d
}
