package subject

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/proxy"
)

// ownPod makes the Pod of a replica just before the replica reads it for the first time. In
// a cluster a controller may rely on its own Pod: as the owner of a lock, or to find its own
// image. A replica that never asks for it has none.
type ownPod struct {
	replica *replica
	then    proxy.Interceptor // nil if there is none
}

// Intercept implements [proxy.Interceptor].
func (o ownPod) Intercept(call *proxy.Call, next proxy.Next) (proxy.Answer, error) {
	if o.replica.asksForItself(call.Request()) {
		if err := o.replica.makePod(call.Out.Context()); err != nil {
			return proxy.Answer{}, err
		}
	}
	if o.then != nil {
		return o.then.Intercept(call, next)
	}
	response, err := next(call.Out)
	return proxy.Answer{Response: response}, err
}

// asksForItself tells whether a request reads the Pod that the process thinks it is.
func (r *replica) asksForItself(q history.Request) bool {
	return q.Verb == history.VerbGet && q.Group == "" && q.Resource == "pods" && q.Subresource == "" &&
		q.Namespace == r.env.home(r.subject) && q.Name == r.hostName()
}

// hostName returns the name of the Pod that the process thinks it is.
func (r *replica) hostName() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.spec.Name
}

// makePod creates that Pod, unless it exists. Nothing runs in it: it is never scheduled,
// because the process is here.
func (r *replica) makePod(ctx context.Context) error {
	name := r.hostName()
	_, err := r.env.Clientset.CoreV1().Pods(r.env.home(r.subject)).Create(ctx, &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{v1alpha1.LabelBench: v1alpha1.BenchMade}},
		Spec: corev1.PodSpec{
			ServiceAccountName: r.subject.Name,
			SchedulingGates:    []corev1.PodSchedulingGate{{Name: "reconform.dev/is-a-process"}},
			Containers:         []corev1.Container{{Name: "controller", Image: "controller"}},
		},
	}, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("creating the Pod that %s is: %w", name, err)
	}
	r.mu.Lock()
	r.pod = name
	r.mu.Unlock()
	return nil
}

// removePod deletes the Pod, if one was made, as the garbage collector must delete what the
// Pod owns before another process can take its place.
func (r *replica) removePod(ctx context.Context) error {
	r.mu.Lock()
	name := r.pod
	r.pod = ""
	r.mu.Unlock()
	if name == "" {
		return nil
	}
	err := r.env.Clientset.CoreV1().Pods(r.env.home(r.subject)).Delete(ctx, name, metav1.DeleteOptions{GracePeriodSeconds: ptr.To[int64](0)})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("deleting the Pod that %s was: %w", name, err)
	}
	return nil
}
