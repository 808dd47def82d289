package main

import (
	"io"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/rest"

	"github.com/sk1-services/distributed-cache/pkg/plan"
)

func parsed(t *testing.T, args ...string) *options {
	t.Helper()
	o := defaults()
	if err := o.parse(args, io.Discard); err != nil {
		t.Fatal(err)
	}
	return o
}

func TestDefaults(t *testing.T) {
	want := &options{
		cacheImage: "ghcr.io/sk1-services/tiny-cache:" + version, metricsAddress: ":8443", probeAddress: ":8081",
		concurrency: 4, timing: plan.DefaultTiming,
	}
	if diff := cmp.Diff(want, parsed(t), cmp.AllowUnexported(options{})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestEveryFlagIsHeard(t *testing.T) {
	got := parsed(t, "--kubeconfig=k", "--cache-image=i", "--leader-elect", "--leader-election-namespace=n", "--metrics-bind-address=m",
		"--metrics-insecure", "--health-probe-bind-address=p", "--concurrency=9", "--join-delay=1s", "--join-window=2s",
		"--bootstrap-limit=3s", "-v=1", "--log-console", "--version")
	timing := plan.DefaultTiming
	timing.JoinDelay, timing.JoinWindow, timing.BootstrapLimit = time.Second, 2*time.Second, 3*time.Second
	want := &options{
		kubeconfig: "k", cacheImage: "i", leaderElect: true, leaderNamespace: "n", metricsAddress: "m", metricsInsecure: true,
		probeAddress: "p", concurrency: 9, timing: timing, logLevel: 1, logConsole: true, version: true,
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(options{})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestBounds(t *testing.T) {
	parsed(t, "--join-delay=0s", "--join-window=0s", "--bootstrap-limit=0s", "--concurrency=1")
	parsed(t, "--join-delay=4s", "--join-window=1s")
}

// The metrics are for those whom the API server knows and allows, unless told otherwise.
func TestMetricsAreGuarded(t *testing.T) {
	guarded := parsed(t).metrics()
	if !guarded.SecureServing || guarded.FilterProvider == nil || guarded.BindAddress != ":8443" {
		t.Errorf("by default: %+v", guarded)
	}
	insecure := parsed(t, "--metrics-insecure", "--metrics-bind-address=:8080").metrics()
	if insecure.SecureServing || insecure.FilterProvider != nil || insecure.BindAddress != ":8080" {
		t.Errorf("insecure: %+v", insecure)
	}
}

func TestRestConfig(t *testing.T) {
	outside(t)
	var config *rest.Config
	var err error
	for name, set := range map[string]func(*options, string){
		"by flag":        func(o *options, path string) { o.kubeconfig = path },
		"by environment": func(_ *options, path string) { t.Setenv("KUBECONFIG", path) },
	} {
		o := defaults()
		set(o, file(t, unreachable))
		if config, err = o.restConfig(); err != nil || config.Host != "http://127.0.0.1:1" {
			t.Errorf("%s: %v, %v", name, config, err)
		}
	}
}
