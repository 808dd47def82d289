//go:build integration

// Package integration tests the operator on a real API server with the real StatefulSet,
// garbage-collection and namespace controllers; only the kubelet is kwok's. The operator runs in
// this process, as its command would run it.
package integration

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/sk1-services/distributed-cache/pkg/apitime"
	"github.com/sk1-services/distributed-cache/pkg/controller"
	"github.com/sk1-services/distributed-cache/pkg/plan"
	"github.com/sk1-services/distributed-cache/pkg/render"
	"github.com/sk1-services/distributed-cache/test/history"
)

const (
	userAgent = "operator-under-test"
	image     = "registry.example.com/tiny-cache:test"
)

var (
	localkube = filepath.Join("..", "..", "bin", "localkube")
	// instance is the name of the control plane; specs that run side by side have one each.
	instance string
	config   *rest.Config
	k8s      client.Client
	auditLog string
	stop     func()
	watching *history.Observer
)

func TestIntegration(t *testing.T) {
	RegisterFailHandler(Fail)
	SetDefaultEventuallyTimeout(20 * time.Second)
	SetDefaultEventuallyPollingInterval(50 * time.Millisecond)
	SetDefaultConsistentlyDuration(2 * time.Second)
	SetDefaultConsistentlyPollingInterval(50 * time.Millisecond)
	RunSpecs(t, "Integration")
}

var _ = BeforeSuite(func() {
	ctrl.SetLogger(zap.New(zap.WriteTo(GinkgoWriter), zap.UseDevMode(true)))
	instance = fmt.Sprintf("integration-%d", GinkgoParallelProcess())
	run(localkube, "up", "--name", instance, "--node", "kwok", "--kwok-nodes", "2")
	kubeconfig := run(localkube, "kubeconfig", "--name", instance)
	auditLog = filepath.Join(filepath.Dir(kubeconfig), "audit.log")

	var err error
	config, err = clientcmd.BuildConfigFromFlags("", kubeconfig)
	Expect(err).NotTo(HaveOccurred())
	config.QPS, config.Burst = 500, 1000
	k8s, err = client.New(config, client.Options{Scheme: controller.Scheme()})
	Expect(err).NotTo(HaveOccurred())
	kubectl("apply", "--server-side", "-k", "../../config/crd")
	kubectl("wait", "--for=condition=Established", "crd/distributedcaches.cache.sk1.services.com", "--timeout=30s")
	watchCtx, stopWatching := context.WithCancel(context.Background())
	DeferCleanup(stopWatching)
	watching, err = history.Observe(watchCtx, config)
	Expect(err).NotTo(HaveOccurred())
	startOperator()
	warmGarbageCollector()
})

// warmGarbageCollector waits until the garbage collector knows our kind, for which it looks every
// 30 s: until then it neither collects nor orphans what a cache owns.
func warmGarbageCollector() {
	GinkgoHelper()
	t := createIn("default", "warm", replicas(0))
	t.expectReady()
	Expect(k8s.Delete(ctx, t.get())).To(Succeed())
	Eventually(t.service, "90s").Should(BeNil())
}

// The laws hold over the whole history of every cache, whatever a spec does. What becomes of it
// afterwards is judged with the specs that follow.
var _ = AfterEach(lawful)

func lawful() {
	if broken := watching.Verdict(); len(broken) > 0 {
		Fail("laws broken:\n" + strings.Join(broken, "\n\n"))
	}
}

var _ = AfterSuite(func() {
	DeferCleanup(func() { run(localkube, "down", "--name", instance) })
	if stop != nil {
		stop()
		lawful()
	}
})

// timing is that of a release, but for the limit of the first ring.
var timing = func() plan.Timing {
	t := plan.DefaultTiming
	t.BootstrapLimit = 5 * time.Second
	return t
}()

// startOperator runs an operator of this release until stop is called.
func startOperator() {
	GinkgoHelper()
	startRelease(render.Options{CacheImage: image})
}

// startRelease runs an operator that renders by certain options.
func startRelease(release render.Options) {
	GinkgoHelper()
	own := rest.CopyConfig(config)
	own.UserAgent = userAgent
	clock := apitime.New()
	own.Wrap(clock.Wrap)
	mgr, err := ctrl.NewManager(own, ctrl.Options{
		Scheme:  controller.Scheme(),
		Cache:   controller.Cache(),
		Metrics: metricsserver.Options{BindAddress: "0"},
	})
	Expect(err).NotTo(HaveOccurred())
	Expect(controller.Add(mgr, controller.Options{
		Render:      release,
		Timing:      timing,
		Clock:       clock,
		Concurrency: 4,
		Name:        "integration",
	})).To(Succeed())
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- mgr.Start(ctx)
		close(ended) // stopped is stopped, however often
	}()
	stop = func() {
		cancel()
		Expect(<-ended).To(Succeed())
	}
	Expect(mgr.GetCache().WaitForCacheSync(ctx)).To(BeTrue())
}

// run runs a command and gives its last line.
func run(name string, args ...string) string {
	GinkgoHelper()
	out, err := exec.Command(name, args...).CombinedOutput()
	Expect(err).NotTo(HaveOccurred(), "%s %s: %s", name, strings.Join(args, " "), out)
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return lines[len(lines)-1]
}

func kubectl(args ...string) string {
	GinkgoHelper()
	program := run(localkube, "build", "--only", "kubectl")
	kubeconfig := run(localkube, "kubeconfig", "--name", instance)
	out, err := exec.Command(program, append([]string{"--kubeconfig", kubeconfig}, args...)...).CombinedOutput()
	Expect(err).NotTo(HaveOccurred(), "kubectl %s: %s", strings.Join(args, " "), out)
	return string(out)
}
