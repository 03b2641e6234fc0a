package incluster

import (
	"context"
	"fmt"
	"net"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

const (
	// RelayNamespace is the namespace of the Pod in which a cluster's API server finds the
	// bench.
	RelayNamespace = "reconform-bench"
	// RelayService is the Service of that Pod, on port 443.
	RelayService = "bench"

	relayPort = 8443
	// reconnectPause is the pause between two attempts to connect to it again.
	reconnectPause = time.Second
)

// RelayHost is the host name of the relay for the API server.
const RelayHost = RelayService + "." + RelayNamespace + ".svc"

// Relay is a Pod through which the cluster reaches the bench.
type Relay struct {
	replica *Replica
	cancel  context.CancelFunc
	done    chan struct{}
}

// StartRelay starts the Pod and its Service, and serves connections to it until Close is
// called. If the connection to the Pod is lost, it connects again.
func StartRelay(ctx context.Context, config *rest.Config, client kubernetes.Interface, image string, serve func(net.Listener)) (*Relay, error) {
	r := &Relay{
		replica: New(config, client, Spec{
			Name: RelayService, Namespace: RelayNamespace, Container: relayName, Host: "0.0.0.0", Port: fmt.Sprint(relayPort), Serve: serve,
		}),
		done: make(chan struct{}),
	}
	if err := r.install(ctx, client, image); err != nil {
		return nil, fmt.Errorf("starting the relay: %w", err)
	}
	if err := r.connect(ctx); err != nil {
		return nil, fmt.Errorf("starting the relay: %w", err)
	}
	ctx, r.cancel = context.WithCancel(context.WithoutCancel(ctx))
	go r.keep(ctx)
	return r, nil
}

// install creates the Pod and its Service.
func (r *Relay) install(ctx context.Context, client kubernetes.Interface, image string) error {
	mine := map[string]string{v1alpha1.LabelBench: v1alpha1.BenchMade}
	labels := map[string]string{v1alpha1.LabelBench: v1alpha1.BenchMade, LabelReplica: RelayService}
	_, err := client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{Name: RelayNamespace, Labels: mine},
	}, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("making its namespace: %w", err)
	}
	_, err = client.CoreV1().Services(RelayNamespace).Create(ctx, &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: RelayService, Namespace: RelayNamespace, Labels: mine},
		Spec:       corev1.ServiceSpec{Selector: labels, Ports: []corev1.ServicePort{{Port: 443, TargetPort: intstr.FromInt32(relayPort)}}},
	}, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("making its Service: %w", err)
	}
	_, err = client.CoreV1().Pods(RelayNamespace).Create(ctx, &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: RelayService, Namespace: RelayNamespace, Labels: labels},
		Spec: corev1.PodSpec{
			AutomountServiceAccountToken:  new(bool),
			TerminationGracePeriodSeconds: new(int64),
			Containers: []corev1.Container{{
				Name: relayName, Image: image, ImagePullPolicy: corev1.PullIfNotPresent,
				Command: []string{relayProgram, "keep"}, SecurityContext: restricted(),
			}},
		},
	}, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("making its Pod: %w", err)
	}
	return nil
}

// connect connects to the Pod when it runs.
func (r *Relay) connect(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	state := "no Pod was made"
	err := r.replica.watch(ctx, selection{labels: LabelReplica + "=" + RelayService, mayCome: true}, func(event watch.EventType, pod *corev1.Pod) (bool, error) {
		if event == watch.Deleted || pod.DeletionTimestamp != nil {
			return false, nil
		}
		state = describe(pod)
		status := statusOf(pod.Status.ContainerStatuses, relayName)
		switch {
		case status == nil:
			return false, nil
		case status.State.Waiting != nil && hopeless(status.State.Waiting.Reason):
			return false, fmt.Errorf("%s: %s (make images builds the image; --image-prefix names a registry that has it)",
				status.State.Waiting.Reason, status.State.Waiting.Message)
		case status.State.Running == nil:
			return false, nil
		}
		return true, r.replica.connect(ctx, pod)
	})
	if ctx.Err() != nil {
		return fmt.Errorf("%w: %s", ctx.Err(), state)
	}
	return err
}

// keep keeps the connection, and renews it if it is lost.
func (r *Relay) keep(ctx context.Context) {
	defer close(r.done)
	for {
		r.replica.mu.Lock()
		lost := r.replica.link.Done()
		r.replica.mu.Unlock()
		select {
		case <-ctx.Done():
			return
		case <-lost:
		}
		_ = wait.PollUntilContextCancel(ctx, reconnectPause, true, func(ctx context.Context) (bool, error) {
			return r.connect(ctx) == nil, nil
		})
	}
}

// Close closes the connection. The Pod is deleted with its namespace.
func (r *Relay) Close() {
	if r == nil {
		return
	}
	r.cancel()
	<-r.done
	r.replica.mu.Lock()
	defer r.replica.mu.Unlock()
	r.replica.unlink()
}
