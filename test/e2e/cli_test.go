//go:build e2e

package e2e

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// cli runs cache-cli as the plugin of kubectl that it can be, on this machine.
func cli(args ...string) (code int, stdout, stderr string) {
	GinkgoHelper()
	var out, said strings.Builder
	cmd := exec.Command(program, append([]string{"dcache"}, args...)...)
	bin, err := filepath.Abs(filepath.Join(root, "bin"))
	Expect(err).NotTo(HaveOccurred())
	cmd.Env = append(os.Environ(), "KUBECONFIG="+config, "PATH="+bin+":"+os.Getenv("PATH"))
	cmd.Stdout, cmd.Stderr = &out, &said
	err = cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); !exited {
		Expect(err).NotTo(HaveOccurred())
	}
	return cmd.ProcessState.ExitCode(), out.String(), said.String()
}

// said is what a run that went well printed.
func said(args ...string) string {
	GinkgoHelper()
	code, stdout, stderr := cli(args...)
	Expect(code).To(BeZero(), stdout+stderr)
	Expect(stderr).To(BeEmpty())
	return stdout
}

// changing is what differs from run to run: identities, addresses, times and spans.
var changing = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}|\d{4}-\d\d-\d\dT[0-9:.]+Z|\b\d+(h\d+)?(m\d+)?s\b|\b\d+m\b|\bnode-\S+`)

// blanks fill a column up to the width of what changes.
var blanks = regexp.MustCompile(`~ +`)

// expectGolden compares with a file of testdata; UPDATE_GOLDEN=1 rewrites it.
func expectGolden(name, got string) {
	GinkgoHelper()
	got = blanks.ReplaceAllString(changing.ReplaceAllString(got, "~"), "~ ")
	path := filepath.Join("testdata", name+".txt")
	if os.Getenv("UPDATE_GOLDEN") != "" {
		Expect(os.MkdirAll("testdata", 0o700)).To(Succeed())
		Expect(os.WriteFile(path, []byte(got), 0o600)).To(Succeed())
	}
	want, err := os.ReadFile(path)
	Expect(err).NotTo(HaveOccurred())
	Expect(got).To(Equal(string(want)))
}

var _ = Describe("kubectl dcache", Ordered, func() {
	BeforeAll(func() {
		run("go", "build", "-o", filepath.Join(root, "bin", "kubectl-dcache"), filepath.Join(root, "cmd", "cache-cli"))
		newCache("asked", "{replicas: 2}")
		ready("asked")
	})

	It("says in one command that a cache is healthy", func() {
		time.Sleep(3 * time.Second) // the last event is about the last change
		state, events, _ := strings.Cut(said("explain", "asked"), "\nEvents")
		expectGolden("explain-healthy", state)
		Expect(events).To(ContainSubstring("AvailableTrue  DistributedCache/asked: "))
	})

	It("says why a cache is not, and exits with 7", func() {
		newCache("broken", "{replicas: 2, image: 'localhost:1/none:v0'}")
		Eventually(func() string { return condition("broken", "Degraded") }, "60s").Should(HavePrefix("True ImagePullFailed"))
		code, stdout, _ := cli("explain", "broken")
		Expect(code).To(Equal(7), "unavailable")
		Expect(stdout).To(And(ContainSubstring("broken-0"), ContainSubstring("localhost:1/none:v0")))
		code, stdout, _ = cli("explain", "broken", "-o", "json")
		Expect(code).To(Equal(7))
		Expect(stdout).To(ContainSubstring(`"verdict": "`))
	})

	It("names the caches that there are when one is not", func() {
		code, _, stderr := cli("explain", "askd")
		Expect(code).To(Equal(1))
		Expect(stderr).To(And(ContainSubstring("askd"), ContainSubstring("asked")))
	})

	It("shows the ring, and follows it", func() {
		expectGolden("ring-show", said("ring", "show", "asked"))
		Expect(said("ring", "watch", "asked", "--timeout=2s")).To(MatchRegexp(`^\d\d:\d\d:\d\d  version 1, 2 members\n$`))
		Expect(said("ring", "diff", "asked", "--replicas=3")).To(MatchRegexp(`^\+ asked-2\nversion 1 to 2: 1 joined, 0 left, 33\.\d %`))
	})

	It("stores, reads and removes keys from outside of the cluster", func() {
		owner := strings.Fields(last(said("route", "--cache=asked", "k")))[1]
		Expect(said("set", "--cache=asked", "k", "a value")).To(Equal("stored by " + owner + "\n"))
		Expect(said("get", "--cache=asked", "k")).To(Equal("a value"))
		Expect(said("del", "--cache=asked", "k")).To(Equal("removed by " + owner + "\n"))
		code, stdout, stderr := cli("get", "--cache=asked", "k")
		Expect(code).To(Equal(3))
		Expect(stdout).To(BeEmpty())
		Expect(stderr).To(Equal("not cached by " + owner + "\n"))
		Expect(said("bench", "--cache=asked", "--duration=1s", "--keys=100")).To(ContainSubstring("hits      100.0 %"))
	})

	It("asks for a cache where there are several", func() {
		code, _, stderr := cli("get", "k")
		Expect(code).To(Equal(2))
		Expect(stderr).To(MatchRegexp(`namespace default has \d+ caches: .*asked.*; give --cache`))
	})
})
