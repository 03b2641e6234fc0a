//lab:given 12

package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	coordinationv1 "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// newLock returns the Lease. It has a client of its own, so that the controller's
// requests cannot keep a renewal waiting.
func newLock(config *rest.Config, o *options) (resourcelock.Interface, error) {
	config = rest.CopyConfig(config)
	// A leader that cannot renew must have given up before a standby takes over.
	config.Timeout = (o.leaseDuration - o.renewDeadline) / 2
	client, err := coordinationv1.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("making a client for the Lease: %w", err)
	}
	host, err := os.Hostname()
	if err != nil {
		return nil, fmt.Errorf("naming this replica: %w", err)
	}
	return &resourcelock.LeaseLock{
		LeaseMeta: metav1.ObjectMeta{Namespace: o.leaderElectNamespace, Name: "webapp-controller"},
		Client:    client,
		// A host name can be used again, and would then be mistaken for the old leader.
		LockConfig: resourcelock.ResourceLockConfig{Identity: host + "_" + string(uuid.NewUUID())},
	}, nil
}

// lead calls work while this replica holds the Lease. The first context that work gets
// ends when the replica is told to stop, the second one when the Lease is lost. Then the
// process must end: another replica may be the leader by now.
func lead(ctx context.Context, config *rest.Config, o *options, work func(ctx, held context.Context) error) error {
	lock, err := newLock(config, o)
	if err != nil {
		return err
	}
	//lab:from 12
	//lab:todo TODO(lab): run an elector (leaderelection.NewLeaderElector), and call work once it leads.
	//lab:todo Give the Lease back at the end, but only when nothing is written any more: ReleaseOnCancel.
	//lab:stub _ = lock
	//lab:stub return work(ctx, context.WithoutCancel(ctx))
	// The election goes on after ctx has ended, until the work has.
	election, resign := context.WithCancel(context.WithoutCancel(ctx))
	defer resign()
	started := make(chan context.Context, 1)
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock:            lock,
		LeaseDuration:   o.leaseDuration,
		RenewDeadline:   o.renewDeadline,
		RetryPeriod:     o.retryPeriod,
		ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(held context.Context) { started <- held },
			OnStoppedLeading: func() {},
		},
	})
	if err != nil {
		return fmt.Errorf("setting up the election: %w", err)
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		elector.Run(election)
	}()
	lost := false
	select {
	case <-ctx.Done(): // It never led.
	case held := <-started:
		err = work(ctx, held)
		lost = held.Err() != nil
	}
	resign()
	<-over
	if lost {
		return errors.New("the Lease is lost")
	}
	return err
	//lab:end
}
