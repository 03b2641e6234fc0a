package main

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"reconform.dev/reconform/controller/api/v1beta1"
	"reconform.dev/reconform/controller/webapp"
)

// newManager returns a manager with the controller of WebApps in it.
func newManager(ctx context.Context, config *rest.Config, o *options) (ctrl.Manager, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1beta1.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, fmt.Errorf("registering types: %w", err)
		}
	}
	var lock resourcelock.Interface
	if o.leaderElect {
		var err error
		if lock, err = newLock(config, o); err != nil {
			return nil, err
		}
	}
	grace := shutdownGrace
	mgr, err := ctrl.NewManager(config, ctrl.Options{
		Scheme: scheme,
		Cache: cache.Options{
			DefaultNamespaces:           o.served(),
			DefaultTransform:            cache.TransformStripManagedFields(),
			ReaderFailOnMissingInformer: true, // All kinds are watched; a read must not start another watch.
		},
		Metrics:                 metricsserver.Options{BindAddress: o.metricsAddress},
		HealthProbeBindAddress:  o.probeAddress,
		GracefulShutdownTimeout: &grace,

		LeaderElection:                      o.leaderElect,
		LeaderElectionID:                    o.leaderElectName,
		LeaderElectionResourceLockInterface: lock,
		LeaseDuration:                       &o.leaseDuration,
		RenewDeadline:                       &o.renewDeadline,
		RetryPeriod:                         &o.retryPeriod,
		// Sound, as the process ends with the manager.
		LeaderElectionReleaseOnCancel: true,
	})
	if err != nil {
		return nil, fmt.Errorf("creating the manager: %w", err)
	}
	if err := mgr.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return nil, fmt.Errorf("adding the health check: %w", err)
	}
	if err := webapp.Setup(ctx, mgr, webapp.Options{Workers: o.workers, Registry: metrics.Registry}); err != nil {
		return nil, fmt.Errorf("setting up the controller: %w", err)
	}
	return mgr, nil
}
