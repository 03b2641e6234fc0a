// Site-operator is a small controller of Sites. It stands for your controller: the example
// shows how a repository tests the conformance of its controller.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

func main() {
	metrics := flag.String("metrics-bind-address", "0", "address that serves /metrics; 0: none")
	probes := flag.String("health-probe-bind-address", "0", "address that serves /healthz and /readyz; 0: none")
	elect := flag.Bool("leader-elect", false, "of several replicas, let only the holder of a Lease act")
	flag.Parse()
	ctrl.SetLogger(zap.New())
	if err := run(ctrl.SetupSignalHandler(), *metrics, *probes, *elect); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, metrics, probes string, elect bool) error {
	scheme, err := newScheme()
	if err != nil {
		return fmt.Errorf("registering types: %w", err)
	}
	config, err := ctrl.GetConfig()
	if err != nil {
		return fmt.Errorf("finding the cluster: %w", err)
	}
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                 scheme,
		Metrics:                metricsserver.Options{BindAddress: metrics},
		HealthProbeBindAddress: probes,
		LeaderElection:         elect,
		LeaderElectionID:       "site-operator",
	})
	if err != nil {
		return fmt.Errorf("making the manager: %w", err)
	}
	if err := manager.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return fmt.Errorf("adding the health check: %w", err)
	}
	if err := manager.AddReadyzCheck("ping", healthz.Ping); err != nil {
		return fmt.Errorf("adding the readiness check: %w", err)
	}
	err = ctrl.NewControllerManagedBy(manager).
		For(&Site{}).
		Owns(&appsv1.Deployment{}).
		WithOptions(controller.Options{
			RateLimiter: workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](100*time.Millisecond, 15*time.Second),
		}).
		Complete(&reconciler{manager.GetClient()})
	if err != nil {
		return fmt.Errorf("adding the controller: %w", err)
	}
	return manager.Start(ctx)
}
