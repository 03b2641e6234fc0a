package cluster

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"
)

const (
	leaseName      = "reconform-bench"
	leaseNamespace = metav1.NamespaceDefault // one that every cluster has
	leaseDuration  = time.Minute
	renewInterval  = 10 * time.Second
)

// Lease is held by the only bench that works on a cluster. It expires a minute after the
// bench has ended without a Release, or at once if the bench ran on this machine.
type Lease struct {
	// Inherited is true if an earlier bench had it, which is gone and may have left
	// something.
	Inherited bool

	client kubernetes.Interface
	holder string
	stop   context.CancelFunc
	done   chan struct{}
}

// InUse is the error for a cluster on which another bench works.
type InUse struct{ Holder string }

func (e *InUse) Error() string {
	return fmt.Sprintf("another bench works on this cluster, and two would disturb each other: %s (if it was killed, the cluster is free after a minute)", e.Holder)
}

// Take takes the cluster for a bench. The error is an *InUse if another bench has it.
func Take(ctx context.Context, client kubernetes.Interface) (*Lease, error) {
	host, err := os.Hostname()
	if err != nil {
		return nil, fmt.Errorf("naming its holder: %w", err)
	}
	l := &Lease{
		client: client, done: make(chan struct{}),
		holder: fmt.Sprintf("%s_%d_%08x", host, os.Getpid(), rand.Uint32()),
	}
	if err := l.take(ctx); err != nil {
		return nil, err
	}
	var renewing context.Context
	renewing, l.stop = context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		defer close(l.done)
		// If a renewal fails, it tries again: there is nobody to tell.
		wait.UntilWithContext(renewing, func(ctx context.Context) { _ = l.renew(ctx) }, renewInterval)
	}()
	return l, nil
}

func (l *Lease) take(ctx context.Context) error {
	leases := l.client.CoordinationV1().Leases(leaseNamespace)
	_, err := leases.Create(ctx, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: leaseName}, Spec: l.spec()}, metav1.CreateOptions{})
	if err == nil {
		return nil
	}
	if !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("making or reading its Lease: %w", err)
	}
	present, err := leases.Get(ctx, leaseName, metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("making or reading its Lease: %w", err)
	}
	if alive(present.Spec) {
		return &InUse{Holder: ptr.Deref(present.Spec.HolderIdentity, "")}
	}
	present.Spec = l.spec()
	if _, err := leases.Update(ctx, present, metav1.UpdateOptions{}); err != nil {
		return fmt.Errorf("taking it from a bench that is gone: %w", err)
	}
	l.Inherited = true
	return nil
}

func (l *Lease) spec() coordinationv1.LeaseSpec {
	now := metav1.NowMicro()
	return coordinationv1.LeaseSpec{
		HolderIdentity: &l.holder, LeaseDurationSeconds: ptr.To(int32(leaseDuration.Seconds())), AcquireTime: &now, RenewTime: &now,
	}
}

// alive tells whether the holder of a lease may still work.
func alive(spec coordinationv1.LeaseSpec) bool {
	if spec.RenewTime == nil || time.Since(spec.RenewTime.Time) > leaseDuration {
		return false
	}
	parts := strings.Split(ptr.Deref(spec.HolderIdentity, ""), "_")
	host, err := os.Hostname()
	if err != nil || len(parts) != 3 || parts[0] != host {
		return true
	}
	pid, err := strconv.Atoi(parts[1])
	return err != nil || !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}

func (l *Lease) renew(ctx context.Context) error {
	leases := l.client.CoordinationV1().Leases(leaseNamespace)
	present, err := leases.Get(ctx, leaseName, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if ptr.Deref(present.Spec.HolderIdentity, "") != l.holder {
		return &InUse{Holder: ptr.Deref(present.Spec.HolderIdentity, "")}
	}
	now := metav1.NowMicro()
	present.Spec.RenewTime = &now
	_, err = leases.Update(ctx, present, metav1.UpdateOptions{})
	return err
}

// Release releases the cluster.
func (l *Lease) Release(ctx context.Context) error {
	l.stop()
	<-l.done
	leases := l.client.CoordinationV1().Leases(leaseNamespace)
	present, err := leases.Get(ctx, leaseName, metav1.GetOptions{})
	if err == nil && ptr.Deref(present.Spec.HolderIdentity, "") == l.holder {
		err = leases.Delete(ctx, leaseName, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &present.UID}})
	}
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("giving the cluster back: %w", err)
	}
	return nil
}
