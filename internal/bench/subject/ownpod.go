package subject

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/util/validation"
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
	for _, name := range o.replica.asksForItself(call.Request()) {
		if err := o.replica.makePod(call.Out.Context(), name); err != nil {
			return proxy.Answer{}, err
		}
	}
	if o.then != nil {
		return o.then.Intercept(call, next)
	}
	response, err := next(call.Out)
	return proxy.Answer{Response: response}, err
}

// asksForItself returns the names of the Pods that a request is about, if it reads what the
// process thinks it is: one Pod by its name, or all Pods in its own namespace. A list of
// those with some labels is about others: the Pod that is made has none of the controller's.
func (r *replica) asksForItself(q history.Request) []string {
	home := r.env.home(r.subject)
	if q.Group != "" || q.Resource != "pods" || q.Subresource != "" || q.Namespace != "" && q.Namespace != home {
		return nil
	}
	names := r.ownNames()
	named := q.Name
	if q.Verb != history.VerbGet {
		asked, err := url.Parse(q.Path)
		if err != nil || asked.Query().Get("labelSelector") != "" {
			return nil
		}
		selector, err := fields.ParseSelector(asked.Query().Get("fieldSelector"))
		if err != nil {
			return nil
		}
		var one bool
		if named, one = selector.RequiresExactMatch("metadata.name"); !one && q.Namespace == home && home != r.subject.Namespace {
			return names
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return name != named })
}

// ownNames returns the names that the process may think its Pod has: its host name, and
// what the profile says in variables such as POD_NAME.
func (r *replica) ownNames() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	names := []string{r.spec.Name}
	for variable, value := range r.spec.Env {
		told := strings.HasSuffix(variable, "POD_NAME") || strings.HasSuffix(variable, "PODNAME")
		if told && len(validation.IsDNS1123Subdomain(value)) == 0 && !slices.Contains(names, value) {
			names = append(names, value)
		}
	}
	return names
}

// makePod creates the Pod with a name, unless it exists. Nothing runs in it: it is never
// scheduled, because the process is here.
func (r *replica) makePod(ctx context.Context, name string) error {
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
	defer r.mu.Unlock()
	if !slices.Contains(r.pods, name) {
		r.pods = append(r.pods, name)
	}
	return nil
}

// removePods deletes the Pods that were made, as the garbage collector must delete what they
// own before another process can take its place.
func (r *replica) removePods(ctx context.Context) error {
	r.mu.Lock()
	names := r.pods
	r.pods = nil
	r.mu.Unlock()
	var problems []error
	for _, name := range names {
		err := r.env.Clientset.CoreV1().Pods(r.env.home(r.subject)).Delete(ctx, name, metav1.DeleteOptions{GracePeriodSeconds: ptr.To[int64](0)})
		if err != nil && !apierrors.IsNotFound(err) {
			problems = append(problems, fmt.Errorf("deleting the Pod that %s was: %w", name, err))
		}
	}
	return errors.Join(problems...)
}
