package main

import (
	"fmt"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// namespaceFile says in which namespace a Pod runs.
const namespaceFile = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"

// newLock returns the Lease that the replicas compete for.
//
// A manager would make one of its own, whose requests may take half of the renew
// deadline. That is too long if the Lease is given back at the end: an elector that
// could not renew tries to give it back before it reports the loss. Meanwhile the
// controller works on, and if there is no answer it does so beyond the end of the
// lease.
func newLock(config *rest.Config, o *options) (resourcelock.Interface, error) {
	namespace := o.leaderElectNamespace
	if namespace == "" {
		own, err := os.ReadFile(namespaceFile)
		if err != nil {
			return nil, fmt.Errorf("finding the namespace of the Lease, outside a Pod it must be given: %w", err)
		}
		namespace = string(own)
	}
	host, err := os.Hostname()
	if err != nil {
		return nil, fmt.Errorf("naming this replica: %w", err)
	}
	// A host name can be used again, and would then be mistaken for the old leader.
	identity := resourcelock.ResourceLockConfig{Identity: host + "_" + string(uuid.NewUUID())}
	lock, err := resourcelock.NewFromKubeconfig(resourcelock.LeasesResourceLock, namespace, o.leaderElectName,
		identity, config, 2*o.leaseTimeout()) // It allows a request half of that.
	if err != nil {
		return nil, fmt.Errorf("making a client for the Lease: %w", err)
	}
	return lock, nil
}

// leaseTimeout is how long a request for the Lease may take. The last renewal, the
// pause after it, the attempts to renew and the one to give back must end within the
// lease.
func (o *options) leaseTimeout() time.Duration {
	return max((o.leaseDuration-o.retryPeriod-o.renewDeadline)/2, time.Second)
}
