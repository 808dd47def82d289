//go:build realnode

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sk1-services/distributed-cache/hack/localkube/internal/node"
)

// prefix of the names of the instances that these tests make.
const prefix = "lktest-"

// instance drives the real program, as a person would.
type instance struct {
	t           *testing.T
	name        string
	state       string
	kubectlPath string
}

var program string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "lk")
	if err != nil {
		panic(err)
	}
	program = filepath.Join(dir, "localkube")
	build := exec.Command("go", "build", "-buildvcs=false", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		panic(fmt.Sprintf("build: %v\n%s", err, out))
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

func newInstance(t *testing.T, name string) *instance {
	t.Helper()
	if why := node.Obstacles(t.Context()); len(why) > 0 {
		t.Skipf("no real node is possible here: %s", strings.Join(why, "; "))
	}
	dir, err := os.MkdirTemp("", "lk") //nolint:usetesting // the path of a socket in it must be short
	if err != nil {
		t.Fatal(err)
	}
	i := &instance{t: t, name: prefix + name, state: filepath.Join(dir, "s")}
	t.Cleanup(func() {
		i.run(context.Background(), "down")
		_ = os.RemoveAll(dir)
	})
	i.kubectlPath = strings.TrimSpace(i.must("build", "--only", "kubectl"))
	// Once, so that what it installs is not taken for a leftover.
	i.must("build")
	return i
}

// run returns standard output, and both outputs with the error.
func (i *instance) run(ctx context.Context, args ...string) (string, error) {
	i.t.Helper()
	if args[0] != "build" {
		args = append([]string{"--name", i.name, "--state", i.state}, args...)
	}
	cmd := exec.CommandContext(ctx, program, args...)
	var text, out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &text
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("localkube %s: %w\n%s%s", strings.Join(args, " "), err, &text, &out)
	}
	return out.String(), nil
}

func (i *instance) must(args ...string) string {
	i.t.Helper()
	out, err := i.run(i.t.Context(), args...)
	if err != nil {
		i.t.Fatal(err)
	}
	return out
}

func (i *instance) up() {
	i.t.Helper()
	start := time.Now()
	i.must("up", "--node", "real")
	i.t.Logf("%s: up after %s", i.name, time.Since(start).Round(100*time.Millisecond))
}

func (i *instance) kubectl(stdin string, args ...string) string {
	i.t.Helper()
	cmd := exec.CommandContext(i.t.Context(), i.kubectlPath, append([]string{"--kubeconfig", filepath.Join(i.state, "kubeconfig")}, args...)...)
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if err != nil {
		i.t.Fatalf("kubectl %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// supervisor is the host's pid of the instance.
func (i *instance) supervisor() int {
	i.t.Helper()
	var status struct {
		PID int `json:"supervisorPID"`
	}
	if err := json.Unmarshal([]byte(i.must("status", "-o", "json")), &status); err != nil || status.PID == 0 {
		i.t.Fatalf("status: %v, pid %d", err, status.PID)
	}
	return status.PID
}

// pod runs one pod with volumes that are mounts, and waits for it.
const pod = `
apiVersion: v1
kind: Pod
metadata: {name: sleeper}
spec:
  containers:
  - name: c
    image: localkube/pause:1
    resources: {limits: {memory: 32Mi, cpu: 100m}}
    volumeMounts: [{name: memory, mountPath: /memory}]
  volumes: [{name: memory, emptyDir: {medium: Memory}}]
`

func (i *instance) runPod() {
	i.t.Helper()
	i.kubectl(pod, "apply", "-f", "-")
	i.kubectl("", "wait", "--for=condition=Ready", "pod/sleeper", "--timeout=60s")
}

func TestRealNodeLeavesNothing(t *testing.T) {
	i := newInstance(t, "one")
	before := look(t, i.state)

	i.up()
	i.runPod()
	if again := i.must("up"); again != "" {
		t.Errorf("a second up printed %q", again)
	}
	// The machine's out-of-memory killer might do this to the instance.
	if err := syscall.Kill(i.supervisor(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if _, err := i.run(t.Context(), "status"); err == nil {
		t.Error("status of a killed instance is healthy")
	}
	i.up()
	i.runPod()
	i.must("down")

	compare(t, before, look(t, i.state))
	if _, err := os.Stat(i.state); !os.IsNotExist(err) {
		t.Errorf("the state directory is still there: %v", err)
	}
}

// A start that is cut short at any moment must leave nothing that the next one can't remove.
func TestInterruptedUpLeavesNothing(t *testing.T) {
	i := newInstance(t, "cut")
	before := look(t, i.state)
	for _, after := range []time.Duration{20 * time.Millisecond, 50 * time.Millisecond, 90 * time.Millisecond, 300 * time.Millisecond, 1500 * time.Millisecond, 4 * time.Second} {
		for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGKILL} {
			cmd := exec.Command(program, "--name", i.name, "--state", i.state, "up", "--node", "real")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(after)
			_ = cmd.Process.Signal(signal)
			_ = cmd.Wait()
		}
	}
	i.up()
	i.must("down")
	compare(t, before, look(t, i.state))
}

func TestTwoInstancesSideBySide(t *testing.T) {
	a, b := newInstance(t, "a"), newInstance(t, "b")
	before := look(t, a.state, b.state)
	failed := make(chan error, 1)
	go func() {
		_, err := b.run(t.Context(), "up", "--node", "real")
		failed <- err
	}()
	a.up()
	if err := <-failed; err != nil {
		t.Fatal(err)
	}
	a.runPod()
	b.runPod()
	a.must("down")
	// The end of one is nothing to the other.
	b.must("status")
	b.kubectl("", "delete", "pod", "sleeper", "--wait", "--timeout=60s", "--grace-period=1")
	b.runPod()
	b.must("down")
	compare(t, before, look(t, a.state, b.state))
}

// A control plane alone is what integration tests start; they wait for it often.
func TestControlPlaneOnly(t *testing.T) {
	i := newInstance(t, "plane")
	before := look(t, i.state)
	start := time.Now()
	i.must("up", "--node", "none")
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("up after %s", took)
	} else {
		t.Logf("up after %s", took.Round(100*time.Millisecond))
	}
	i.kubectl("", "create", "namespace", "n")
	i.kubectl("", "wait", "--for=create", "serviceaccount/default", "-n", "n", "--timeout=20s")
	// Whoever kills the supervisor takes its components along.
	if err := syscall.Kill(i.supervisor(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	i.must("up", "--node", "none")
	i.must("down")
	compare(t, before, look(t, i.state))
}
