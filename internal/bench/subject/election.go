package subject

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// ElectionNamespace is the namespace in which the controller is tried with leader election
// on.
const ElectionNamespace = PreflightNamespace + "-lease"

// electionPatience is how long it may take until a replica holds the Lease. No other
// process wants it.
const electionPatience = 15 * time.Second

// TryElection starts the controller with leader election on. It stops it when it holds the
// Lease that the profile declares, or when it has had enough time for that. What the
// controller did is recorded under ElectionNamespace.
func (s *Controller) TryElection(ctx context.Context, timeoutScale float64) (err error) {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name: ElectionNamespace, Labels: map[string]string{v1alpha1.LabelBench: v1alpha1.BenchMade},
	}}
	_, err = s.Clientset.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("creating the namespace of the election: %w", err)
	}
	lease, ok := s.Profile(ElectionNamespace).Lease(ElectionNamespace)
	if !ok {
		return nil
	}
	subject := &v1alpha1.Subject{ObjectMeta: metav1.ObjectMeta{Name: "subject", Namespace: ElectionNamespace}}
	subject.Spec.Replicas, subject.Spec.Restart, subject.Spec.LeaderElection = 1, v1alpha1.RestartAlways, true
	i, err := startInstance(ctx, &s.Environment, subject, func() {})
	if err != nil {
		return fmt.Errorf("starting the controller with leader election: %w", err)
	}
	defer func() {
		err = errors.Join(err, i.stop(ctx), s.unauthorize(context.WithoutCancel(ctx), subject))
	}()
	patience := electionPatience
	if s.Pods != nil {
		patience = podPatience
	}
	late := time.NewTimer(time.Duration(float64(patience) * timeoutScale))
	defer late.Stop()
	look := time.NewTicker(probeWhileStarting)
	defer look.Stop()
	for {
		write, written := s.Recorder.LeaseWrite(ElectionNamespace, types.NamespacedName{Namespace: lease.Namespace, Name: lease.Name})
		if written && write.Holder != "" {
			return nil
		}
		select {
		case <-look.C:
		case <-late.C:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
