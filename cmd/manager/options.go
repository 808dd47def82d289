package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/sk1-services/distributed-cache/pkg/plan"
)

// version is set by the linker.
var version = "dev"

// options are the flags.
type options struct {
	kubeconfig      string
	cacheImage      string
	leaderElect     bool
	leaderNamespace string
	metricsAddress  string
	metricsInsecure bool
	probeAddress    string
	concurrency     int
	timing          plan.Timing
	logLevel        int
	logConsole      bool
	version         bool
}

func defaults() *options {
	return &options{timing: plan.DefaultTiming}
}

func (o *options) flags() *pflag.FlagSet {
	f := pflag.NewFlagSet("manager", pflag.ContinueOnError)
	f.SortFlags = false
	f.StringVar(&o.kubeconfig, "kubeconfig", "", "path of a kubeconfig; empty, the pod's service account or $KUBECONFIG")
	f.StringVar(&o.cacheImage, "cache-image", "ghcr.io/sk1-services/tiny-cache:"+version, "image of caches that name none")
	f.BoolVar(&o.leaderElect, "leader-elect", false, "act only while holding the lease, so that several replicas may run")
	f.StringVar(&o.leaderNamespace, "leader-election-namespace", "", "namespace of the lease; empty, the pod's own")
	f.StringVar(&o.metricsAddress, "metrics-bind-address", ":8443", "address of the metrics, 0 for none")
	f.BoolVar(&o.metricsInsecure, "metrics-insecure", false, "serve the metrics over plain HTTP and to everybody, for development")
	f.StringVar(&o.probeAddress, "health-probe-bind-address", ":8081", "address of /healthz and /readyz, 0 for none")
	f.IntVar(&o.concurrency, "concurrency", 4, "caches reconciled at once")
	f.DurationVar(&o.timing.JoinDelay, "join-delay", o.timing.JoinDelay, "how long a pod must have been Ready before it enters a standing ring")
	f.DurationVar(&o.timing.JoinWindow, "join-window", o.timing.JoinWindow, "how long joins wait for each other; below 1s they may miss each other, since readiness has whole seconds")
	f.DurationVar(&o.timing.BootstrapLimit, "bootstrap-limit", o.timing.BootstrapLimit, "how long the first ring waits for pods that are not Ready")
	f.IntVarP(&o.logLevel, "verbosity", "v", 0, "0 for what is done, 1 for why, field by field")
	f.BoolVar(&o.logConsole, "log-console", false, "log for people rather than as JSON")
	f.BoolVar(&o.version, "version", false, "print the version and exit")
	return f
}

func (o *options) parse(args []string, help io.Writer) error {
	f := o.flags()
	f.SetOutput(help)
	f.Usage = func() {
		fmt.Fprintf(help, "manager is the operator for DistributedCache objects.\n\nFlags:\n%s", f.FlagUsages())
	}
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q: only flags are taken", f.Arg(0))
	}
	return o.validate()
}

func (o *options) validate() error {
	switch {
	case strings.TrimSpace(o.cacheImage) == "" || strings.ContainsAny(o.cacheImage, " \t\n"):
		return fmt.Errorf("--cache-image %q: an image reference is needed, for example ghcr.io/sk1-services/tiny-cache:v1", o.cacheImage)
	case o.concurrency < 1:
		return fmt.Errorf("--concurrency %d: at least 1 is needed", o.concurrency)
	case o.timing.JoinDelay < 0 || o.timing.JoinWindow < 0 || o.timing.BootstrapLimit < 0:
		return errors.New("--join-delay, --join-window and --bootstrap-limit: durations of 0s or more are needed")
	case o.timing.JoinDelay+o.timing.JoinWindow > o.timing.MinReady:
		return fmt.Errorf("--join-delay plus --join-window: at most %s, the minReadySeconds of the cache pods, or a rolling update would run ahead of the ring", o.timing.MinReady)
	}
	return nil
}

func (o *options) restConfig() (*rest.Config, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = o.kubeconfig
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, nil).ClientConfig()
	switch {
	case err != nil && o.kubeconfig != "":
		return nil, fmt.Errorf("--kubeconfig %s: %w", o.kubeconfig, err)
	case err != nil:
		return nil, fmt.Errorf("no way to the API server: %w; run in a pod, or give --kubeconfig", err)
	}
	return config, nil
}
