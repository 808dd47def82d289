package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"time"

	"github.com/go-logr/logr"
	"go.uber.org/zap/zapcore"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	local "k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/filters"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/sk1-services/distributed-cache/pkg/apitime"
	"github.com/sk1-services/distributed-cache/pkg/controller"
	"github.com/sk1-services/distributed-cache/pkg/lease"
	"github.com/sk1-services/distributed-cache/pkg/render"
)

// leaseName is the lease that the leading operator holds.
const leaseName = "distributedcache-operator"

// leaseDuration is how long the lease lasts after it was renewed.
const leaseDuration = 15 * time.Second

func start(ctx context.Context, config *rest.Config, o *options) error {
	logger := o.logger()
	ctrl.SetLogger(logger)
	klog.SetLogger(logger)

	clock := apitime.New()
	config = rest.CopyConfig(config)
	config.Wrap(clock.Wrap)
	if o.leaderElect {
		config.Wrap(lease.New(leaseDuration).Wrap)
	}
	watches := &controller.Watches{Clock: local.RealClock{}}
	informers := controller.Cache()
	informers.DefaultWatchErrorHandler = watches.Failed
	mgr, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                        controller.Scheme(),
		Cache:                         informers,
		Metrics:                       o.metrics(),
		HealthProbeBindAddress:        o.probeAddress,
		LeaderElection:                o.leaderElect,
		LeaderElectionID:              leaseName,
		LeaderElectionNamespace:       o.leaderNamespace,
		LeaderElectionReleaseOnCancel: true,
		LeaseDuration:                 new(leaseDuration),
	})
	if err != nil {
		return fmt.Errorf("set up: %w", err)
	}
	if err := controller.Add(mgr, controller.Options{
		Render:      render.Options{CacheImage: o.cacheImage},
		Timing:      o.timing,
		Clock:       clock,
		Concurrency: o.concurrency,
	}); err != nil {
		return fmt.Errorf("set up the controller: %w", err)
	}
	if err := mgr.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return err
	}
	if err := mgr.AddReadyzCheck("informers", informersSynced(mgr)); err != nil {
		return err
	}
	if err := mgr.AddReadyzCheck("watches", watches.Check); err != nil {
		return err
	}
	logger.Info("starting", "version", version, "cacheImage", o.cacheImage)
	if err := mgr.Start(ctx); err != nil {
		return fmt.Errorf("run: %w", err)
	}
	return nil
}

// informersSynced fails while an informer has no data, for example because a watch is forbidden.
func informersSynced(mgr ctrl.Manager) healthz.Checker {
	return func(request *http.Request) error {
		ctx, cancel := context.WithTimeout(request.Context(), time.Second)
		defer cancel()
		if !mgr.GetCache().WaitForCacheSync(ctx) {
			return fmt.Errorf("informers have not synced: look in the log for a forbidden list or watch")
		}
		return nil
	}
}

func (o *options) logger() logr.Logger {
	return zap.New(zap.UseDevMode(o.logConsole), zap.Level(zapcore.Level(-o.logLevel)))
}

func (o *options) metrics() metricsserver.Options {
	m := metricsserver.Options{BindAddress: o.metricsAddress, TLSOpts: []func(*tls.Config){
		func(c *tls.Config) { c.NextProtos = []string{"http/1.1"} },
	}}
	if !o.metricsInsecure {
		m.SecureServing = true
		m.FilterProvider = filters.WithAuthenticationAndAuthorization
	}
	return m
}
