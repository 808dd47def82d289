//go:build integration

// Package faults breaks the operator off at each of its writes, and its connection to the API
// server in chosen places, gives it old data and rivals, and checks that nothing is different in the end and that no law was
// broken on the way. Control plane and controllers are real, kwok plays the kubelets, the operator
// is a process of its own.
//
// Its laws: what happened is judged by a watch that does not pass the proxy; a run whose fault
// did not happen is void, and a write site without a run that is not void fails the suite.
package faults

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	. "github.com/onsi/gomega"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sk1-services/distributed-cache/pkg/controller"
	"github.com/sk1-services/distributed-cache/test/faults/proxy"
	"github.com/sk1-services/distributed-cache/test/history"
)

var localkube = filepath.Join("..", "..", "bin", "localkube")

// lab is all that a run needs.
type lab struct {
	config   *rest.Config
	k8s      client.Client
	program  string
	operator *operator
	// proxy is the operator's.
	proxy *proxy.Endpoint
	// others are operators beside it.
	others     []*operator
	observer   *history.Observer
	references map[string]reference
	tally      *tally
}

// TestFaults works in two labs at once, since runs mostly wait.
func TestFaults(t *testing.T) {
	SetDefaultEventuallyTimeout(40 * time.Second)
	SetDefaultEventuallyPollingInterval(50 * time.Millisecond)
	ctrl.SetLogger(logr.Discard())
	sum, began := &tally{}, time.Now()
	t.Run("labs", func(t *testing.T) {
		t.Run("caches", func(t *testing.T) {
			t.Parallel()
			l := newLab(t, "faults-caches", sum)
			l.disturb(t, workloads)
			t.Run("watches cut", l.cutWatches)
		})
		t.Run("cells and rivals", func(t *testing.T) {
			t.Parallel()
			l := newLab(t, "faults-rivals", sum)
			l.disturb(t, cells)
			t.Run("B2 template, killed at the StatefulSet", l.killRollout)
			t.Run("C9 ring refused", l.refuseRing)
			t.Run("P4 old lists", l.serveOldLists)
			t.Run("two leaders", l.twoLeaders)
			t.Run("I5 zombie leader", l.zombie)
		})
	})
	sum.print(time.Since(began))
}

// disturb does what can be done to every write of the workloads.
func (l *lab) disturb(t *testing.T, list []workload) {
	t.Helper()
	for _, w := range list {
		t.Run(w.name, func(t *testing.T) {
			reference := l.reference(t, w)
			t.Run("killed", func(t *testing.T) { l.killEverywhere(t, w, reference) })
			if w.name == shrink.name {
				t.Run("refused", func(t *testing.T) { l.refuse(t, w, reference) })
				t.Run("frozen", func(t *testing.T) { l.freeze(t, w, reference) })
			}
		})
	}
}

// newLab brings up the control plane with the proxy before it, and an operator behind that.
func newLab(t *testing.T, instance string, sum *tally) *lab {
	t.Helper()
	t.Cleanup(func() { run(t, localkube, "down", "--name", instance) })
	run(t, localkube, "up", "--name", instance, "--node", "kwok", "--kwok-nodes", "2")
	config, err := clientcmd.BuildConfigFromFlags("", run(t, localkube, "kubeconfig", "--name", instance))
	check(t, err)
	config.QPS, config.Burst = 500, 1000
	kubectl(t, instance, "apply", "--server-side", "-k", "../../config/crd")
	kubectl(t, instance, "wait", "--for=condition=Established", "crd/distributedcaches.cache.sk1.services.com", "--timeout=30s")

	l := &lab{config: config, program: build(t), references: map[string]reference{}, tally: sum}
	l.k8s, err = client.New(config, client.Options{Scheme: controller.Scheme()})
	check(t, err)
	watching, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	l.observer, err = history.Observe(watching, config)
	check(t, err)
	l.operator = newOperator(t, "operator", l.program, config)
	l.proxy = l.operator.Endpoint
	l.warmGarbageCollector(t)
	return l
}

// another starts an operator beside the one that there is, for the rest of a test.
func (l *lab) another(t *testing.T, name string, flags ...string) *operator {
	t.Helper()
	o := newOperator(t, name, l.program, l.config, flags...)
	l.others = append(l.others, o)
	t.Cleanup(func() { l.others = nil })
	return o
}

// warmGarbageCollector waits until the garbage collector knows our kind, for which it looks every
// 30 s: until then it does not collect what a cache owns.
func (l *lab) warmGarbageCollector(t *testing.T) {
	t.Helper()
	c := tenant{Namespace: l.namespace(t), Name: "orders"}
	l.create(t, c, 0, 0)
	l.expectReady(t, c)
	l.delete(t, c)
	l.expectNothing(t, c, 90*time.Second)
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// run runs a command and gives its last line.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	command := exec.Command(name, args...)
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v: %s", name, strings.Join(args, " "), err, out)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return lines[len(lines)-1]
}

func kubectl(t *testing.T, instance string, args ...string) {
	t.Helper()
	program := run(t, localkube, "build", "--only", "kubectl")
	kubeconfig := run(t, localkube, "kubeconfig", "--name", instance)
	run(t, program, append([]string{"--kubeconfig", kubeconfig}, args...)...)
}
