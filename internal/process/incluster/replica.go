package incluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"reconform.dev/reconform/internal/process/tunnel"
)

// startPatience is how long it may take until the program of a Pod runs: until the Pod is
// scheduled, its images are pulled, and its init containers have ended.
const startPatience = 3 * time.Minute

// Spec says how a replica is made.
type Spec struct {
	// Name of the replica, and of its Deployment.
	Name string
	// Namespace that it lives in.
	Namespace string
	// ServiceAccount that it runs as, in this namespace.
	ServiceAccount string
	// Deployment of the author, and its container that runs the controller.
	Deployment *appsv1.Deployment
	Container  string
	// Image of this container; empty means the author's.
	Image string
	// Args and Env are added to those of the container.
	Args []string
	Env  map[string]string
	// RelayImage contains the relay, as /relay.
	RelayImage string
	// Host (an address of the loopback interface) and Port of the API server as the replica
	// sees it. HostNames are other names for it.
	Host, Port string
	HostNames  []string
	// Serve serves the API server there. It gets a listener, and returns at once.
	Serve func(net.Listener)
	// CA certificates, in PEM, with which the replica verifies the API server.
	CA []byte
	// Log is the file that the container's output is appended to.
	Log string
}

// Replica runs as one Pod, or not at all.
type Replica struct {
	config *rest.Config
	client kubernetes.Interface
	spec   Spec

	mu   sync.Mutex
	link *link
	last string // the container that ran last
}

// link is the tunnel to a Pod.
type link struct {
	*tunnel.Tunnel
	pod types.UID
}

// ended tells whether the tunnel has ended.
func (l *link) ended() bool {
	select {
	case <-l.Done():
		return true
	default:
		return false
	}
}

// New returns a replica that does not run yet.
func New(config *rest.Config, client kubernetes.Interface, spec Spec) *Replica {
	return &Replica{config: config, client: client, spec: spec}
}

// Start starts one Pod, and returns when its program runs. The context limits the start,
// not the life of the replica. The error says in the cluster's words why the replica cannot
// run.
func (r *Replica) Start(ctx context.Context) (*Process, error) {
	if err := r.install(ctx); err != nil {
		return nil, fmt.Errorf("starting %s: %w", r.spec.Name, err)
	}
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	state := "no Pod was made"
	var running *corev1.Pod
	err := r.watch(ctx, selection{labels: LabelReplica + "=" + r.spec.Name, mayCome: true}, func(event watch.EventType, pod *corev1.Pod) (bool, error) {
		if event == watch.Deleted || pod.DeletionTimestamp != nil {
			return false, nil
		}
		state = describe(pod)
		if err := r.help(ctx, pod); err != nil {
			return false, err
		}
		running = pod
		return r.runs(pod), nil
	})
	if err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("its program did not run after %s: %s", startPatience, state)
		}
		return nil, fmt.Errorf("starting %s: %w", r.spec.Name, err)
	}
	p, err := r.follow(running)
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", r.spec.Name, err)
	}
	return p, nil
}

// install creates the Deployment, or scales it to one.
func (r *Replica) install(ctx context.Context) error {
	maps, deployments := r.client.CoreV1().ConfigMaps(r.spec.Namespace), r.client.AppsV1().Deployments(r.spec.Namespace)
	if _, err := maps.Create(ctx, r.spec.authority(), metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("making the certificate of its API server: %w", err)
	}
	_, err := deployments.Create(ctx, r.spec.deployment(), metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return r.scale(ctx, 1)
	}
	if err != nil {
		return fmt.Errorf("making its Deployment: %w", err)
	}
	return nil
}

func (r *Replica) scale(ctx context.Context, replicas int32) error {
	scale := &autoscalingv1.Scale{
		ObjectMeta: metav1.ObjectMeta{Name: r.spec.Name, Namespace: r.spec.Namespace},
		Spec:       autoscalingv1.ScaleSpec{Replicas: replicas},
	}
	_, err := r.client.AppsV1().Deployments(r.spec.Namespace).UpdateScale(ctx, r.spec.Name, scale, metav1.UpdateOptions{})
	if err != nil {
		return fmt.Errorf("scaling its Deployment to %d: %w", replicas, err)
	}
	return nil
}

// runs tells whether the program runs in a container that has not run before.
func (r *Replica) runs(pod *corev1.Pod) bool {
	status := statusOf(pod.Status.ContainerStatuses, r.spec.Container)
	if status == nil || status.State.Running == nil || status.ContainerID == r.last {
		return false
	}
	r.last = status.ContainerID
	return true
}

// help helps a Pod that waits: for the relay, or for a restart.
func (r *Replica) help(ctx context.Context, pod *corev1.Pod) error {
	for _, status := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		if waiting := status.State.Waiting; waiting != nil && hopeless(waiting.Reason) {
			return fmt.Errorf("container %s: %s: %s", status.Name, waiting.Reason, waiting.Message)
		}
	}
	if status := statusOf(pod.Status.ContainerStatuses, r.spec.Container); status != nil &&
		status.State.Waiting != nil && status.State.Waiting.Reason == "CrashLoopBackOff" {
		return r.remove(ctx, pod.Name) // a new Pod is started at once
	}
	relay := statusOf(pod.Status.InitContainerStatuses, relayName)
	if relay == nil || relay.State.Running == nil {
		return nil
	}
	return r.connect(ctx, pod)
}

// connect connects to the relay of a Pod, if that is not done yet.
func (r *Replica) connect(ctx context.Context, pod *corev1.Pod) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if l := r.link; l != nil && l.pod == pod.UID && !l.ended() {
		return nil
	}
	t, err := connect(context.WithoutCancel(ctx), r.config, pod, relayName, r.spec.address())
	if err != nil {
		return err
	}
	r.unlink()
	r.link = &link{t, pod.UID}
	r.spec.Serve(t)
	return nil
}

// unlink closes the tunnel. The caller holds the lock.
func (r *Replica) unlink() {
	if r.link != nil {
		_ = r.link.Close()
		r.link = nil
	}
}

// remove deletes a Pod at once.
func (r *Replica) remove(ctx context.Context, name string) error {
	err := r.client.CoreV1().Pods(r.spec.Namespace).Delete(ctx, name, metav1.DeleteOptions{GracePeriodSeconds: new(int64)})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("deleting Pod %s: %w", name, err)
	}
	return nil
}

// Remove deletes the Deployment. No process of it may be left.
func (r *Replica) Remove(ctx context.Context) error {
	r.mu.Lock()
	r.unlink()
	r.mu.Unlock()
	background := metav1.DeletePropagationBackground
	err := r.client.AppsV1().Deployments(r.spec.Namespace).Delete(ctx, r.spec.Name, metav1.DeleteOptions{PropagationPolicy: &background})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("removing the Deployment of %s: %w", r.spec.Name, err)
	}
	return nil
}
