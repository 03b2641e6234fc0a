// The command is a controller of WebApps, made by hand with client-go.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// resync is the time after which the informers tell of every object again.
const resync = 10 * time.Minute

// options are the command line.
type options struct {
	kubeconfig string
	watchOnly  bool
	//lab:given 02
	workers     int
	pretendWork time.Duration
	//lab:end
	//lab:given 10
	permanentPause time.Duration
	//lab:end
	//lab:given 11
	grace time.Duration
	//lab:end
	//lab:given 12
	leaderElect          bool
	leaderElectNamespace string
	leaseDuration        time.Duration
	renewDeadline        time.Duration
	retryPeriod          time.Duration
	//lab:end
}

func main() {
	o := &options{}
	flag.StringVar(&o.kubeconfig, "kubeconfig", "",
		"File that names the cluster. Default: $KUBECONFIG, else ~/.kube/config, else the cluster that it runs in.")
	flag.BoolVar(&o.watchOnly, "watch-only", false, "Print what happens to WebApps, and do nothing else.")
	//lab:given 02
	flag.IntVar(&o.workers, "workers", 2, "Number of WebApps that are reconciled at the same time.")
	flag.DurationVar(&o.pretendWork, "pretend-work", 0, "Let every reconcile take so long, to see what waits for it.")
	//lab:end
	//lab:given 10
	flag.DurationVar(&o.permanentPause, "permanent-pause", longestPause, "How long to leave a WebApp alone after a permanent error.")
	//lab:end
	//lab:given 11
	flag.DurationVar(&o.grace, "shutdown-grace", 10*time.Second, "How long running reconciles may take at the end.")
	//lab:end
	//lab:given 12
	flag.BoolVar(&o.leaderElect, "leader-elect", false, "Of several replicas, let only the holder of a Lease act.")
	flag.StringVar(&o.leaderElectNamespace, "leader-elect-namespace", "default", "Namespace of the Lease.")
	flag.DurationVar(&o.leaseDuration, "lease-duration", 15*time.Second,
		"How long a standby waits after the last renewal that it saw before it takes over.")
	flag.DurationVar(&o.renewDeadline, "renew-deadline", 10*time.Second,
		"How long the leader tries to renew the Lease before it gives up.")
	flag.DurationVar(&o.retryPeriod, "retry-period", 2*time.Second, "Pause between two attempts to get or renew the Lease.")
	//lab:end
	flag.Parse()
	//lab:from 11
	//lab:todo TODO(lab): have ctx end with SIGTERM (what Kubernetes sends) and with SIGINT (Ctrl+C): signal.NotifyContext.
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	//lab:end
	//lab:before 11 ctx := context.Background()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// run makes the controller of its parts, and runs it until ctx ends.
func run(ctx context.Context, o *options) error {
	config, err := clusterConfig(o.kubeconfig)
	if err != nil {
		return err
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("making a dynamic client: %w", err)
	}
	factory := dynamicinformer.NewDynamicSharedInformerFactory(client, resync)
	//lab:given 01 until given 02
	//lab:old return watchOnly(ctx, factory)
	//lab:end
	//lab:given 02
	if o.watchOnly {
		return watchOnly(ctx, factory)
	}
	//lab:end
	//lab:given 03
	kube, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("making a client: %w", err)
	}
	//lab:end
	//lab:given 09
	recorder, flush := newRecorder(kube)
	defer flush()
	//lab:end
	//lab:given 02
	controller, err := newController(controllerOptions{
		webApps: factory,
		//lab:given 03
		kube: kube,
		//lab:end
		//lab:given 06
		children: informers.NewSharedInformerFactory(kube, resync),
		//lab:end
		//lab:given 08
		client: client,
		//lab:end
		//lab:given 10
		permanentPause: o.permanentPause,
		//lab:end
		//lab:given 09
		recorder: recorder,
		//lab:end
		pretendWork: o.pretendWork,
	})
	if err != nil {
		return err
	}
	controller.start(ctx)
	//lab:end
	//lab:given 12
	if o.leaderElect {
		return lead(ctx, config, o, func(ctx, held context.Context) error {
			return controller.run(ctx, held, o.workers, o.grace)
		})
	}
	//lab:end
	//lab:given 11
	return controller.run(ctx, context.WithoutCancel(ctx), o.workers, o.grace)
	//lab:end
	//lab:given 02 until given 11
	//lab:old return controller.run(ctx, o.workers)
	//lab:end
}

// clusterConfig finds the cluster by a kubeconfig, as kubectl does, or else the one
// that the Pod runs in.
func clusterConfig(kubeconfig string) (*rest.Config, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = kubeconfig
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, nil).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("finding the cluster: %w", err)
	}
	config.QPS, config.Burst = 50, 100
	return config, nil
}
