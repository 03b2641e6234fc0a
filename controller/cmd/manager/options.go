package main

import (
	"flag"
	"strings"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/cache"
)

// shutdownGrace bounds the wait for running reconciles at the end. Giving the
// Lease back takes two requests on top, and a Pod has 30 s in all.
const shutdownGrace = 15 * time.Second

// options are the command line.
type options struct {
	leaderElect          bool
	leaderElectNamespace string
	leaderElectName      string
	leaseDuration        time.Duration
	renewDeadline        time.Duration
	retryPeriod          time.Duration

	namespaces     string
	metricsAddress string
	probeAddress   string
	workers        int
}

func bindFlags(fs *flag.FlagSet) *options {
	o := &options{}
	fs.BoolVar(&o.leaderElect, "leader-elect", false,
		"Of several replicas, let only the holder of a Lease act.")
	fs.StringVar(&o.leaderElectNamespace, "leader-elect-resource-namespace", "",
		"Namespace of the Lease. Default: the one that the manager runs in.")
	fs.StringVar(&o.leaderElectName, "leader-elect-resource-name", "webapp-controller",
		"Name of the Lease.")
	fs.DurationVar(&o.leaseDuration, "leader-elect-lease-duration", 15*time.Second,
		"How long a standby waits after the last renewal that it saw before it takes over.")
	fs.DurationVar(&o.renewDeadline, "leader-elect-renew-deadline", 10*time.Second,
		"How long the leader tries to renew the Lease before it gives up.")
	fs.DurationVar(&o.retryPeriod, "leader-elect-retry-period", 2*time.Second,
		"Pause between two attempts to acquire or renew the Lease.")
	fs.StringVar(&o.namespaces, "namespaces", "",
		"Namespaces whose WebApps are served, separated by commas. Default: all.")
	fs.StringVar(&o.metricsAddress, "metrics-bind-address", "0",
		"Address that serves /metrics over HTTP, such as 127.0.0.1:8080. 0: none.")
	fs.StringVar(&o.probeAddress, "health-probe-bind-address", "0",
		"Address that serves /healthz and /readyz, such as 127.0.0.1:8081. 0: none.")
	fs.IntVar(&o.workers, "max-concurrent-reconciles", 4,
		"Number of WebApps reconciled at the same time.")
	return o
}

// served are the namespaces whose objects are cached; nil: all. With some of them,
// Roles in these are enough.
func (o *options) served() map[string]cache.Config {
	if o.namespaces == "" {
		return nil
	}
	served := map[string]cache.Config{}
	for name := range strings.SplitSeq(o.namespaces, ",") {
		served[name] = cache.Config{}
	}
	return served
}
