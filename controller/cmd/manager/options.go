package main

import (
	"errors"
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

	namespaces     []string
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
	fs.Func("namespaces",
		"Namespaces whose WebApps are served, separated by commas. Default: all.", o.serve)
	fs.StringVar(&o.metricsAddress, "metrics-bind-address", "0",
		"Address that serves /metrics over HTTP, such as 127.0.0.1:8080. 0: none.")
	fs.StringVar(&o.probeAddress, "health-probe-bind-address", "0",
		"Address that serves /healthz and /readyz, such as 127.0.0.1:8081. 0: none.")
	fs.IntVar(&o.workers, "max-concurrent-reconciles", 4,
		"Number of WebApps reconciled at the same time.")
	return o
}

// serve reads a list of namespaces. To the cache, an empty name stands for all of them, so
// a comma too many must not make one.
func (o *options) serve(list string) error {
	o.namespaces = nil
	if list == "" {
		return nil
	}
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		if name == "" {
			return errors.New("a namespace has no name: remove the comma beside it")
		}
		o.namespaces = append(o.namespaces, name)
	}
	return nil
}

// served are the namespaces whose objects are cached; nil: all. With some of them,
// Roles in these are enough.
func (o *options) served() map[string]cache.Config {
	if len(o.namespaces) == 0 {
		return nil
	}
	served := map[string]cache.Config{}
	for _, name := range o.namespaces {
		served[name] = cache.Config{}
	}
	return served
}
