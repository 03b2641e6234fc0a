package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/api/equality"
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
		holder: fmt.Sprintf("%s_%d_%s_%08x", host, os.Getpid(), processes(), rand.Uint32()),
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
	if !endedHere(present.Spec) {
		works, err := l.works(ctx, present)
		if err != nil {
			return fmt.Errorf("reading its Lease again: %w", err)
		}
		if works {
			return &InUse{Holder: ptr.Deref(present.Spec.HolderIdentity, "")}
		}
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

// works tells whether the holder of a lease may still work. Its last renewal may look
// old only because the clocks of two machines differ, so it is waited for another one.
func (l *Lease) works(ctx context.Context, present *coordinationv1.Lease) (bool, error) {
	if renewed := present.Spec.RenewTime; renewed == nil {
		return false, nil
	} else if time.Since(renewed.Time) <= leaseDuration {
		return true, nil
	}
	select {
	case <-time.After(2 * renewInterval):
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
	now, err := l.client.CoordinationV1().Leases(leaseNamespace).Get(ctx, leaseName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return false, nil // the update says so, too
	}
	return err == nil && !equality.Semantic.DeepEqual(now.Spec, present.Spec), err
}

// endedHere tells whether the holder of a lease was a process of this machine that has
// ended.
func endedHere(spec coordinationv1.LeaseSpec) bool {
	parts := strings.Split(ptr.Deref(spec.HolderIdentity, ""), "_")
	host, err := os.Hostname()
	if err != nil || len(parts) != 4 || parts[0] != host || parts[2] != processes() {
		return false
	}
	pid, err := strconv.Atoi(parts[1])
	return err == nil && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}

// processes names what the numbers of processes are of: this machine since its start,
// and this container. Two machines may have the same host name. Where that is not
// known, it is empty, and the host name decides alone.
func processes() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	ids, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(append(boot, ids...))
	return hex.EncodeToString(sum[:4])
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
