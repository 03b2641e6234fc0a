package pods

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

const (
	// preflightPatience limits the whole preflight. A node may have to pull the image.
	preflightPatience = 90 * time.Second
	preflightPoll     = 200 * time.Millisecond
)

// NotReady says that Pods on a cluster do not become ready as scenarios need it.
type NotReady struct {
	// Reason in words.
	Reason string
}

func (e *NotReady) Error() string { return "Pods do not become ready on this cluster: " + e.Reason }

// Preflight tries one Pod in a namespace that it creates. While readiness is withheld, the
// Pod must run but not be ready; after readiness is granted, it must be ready. Otherwise
// the error is a *NotReady. kept says that a [Keeper] keeps the cluster's Pods; then
// Preflight waits until the API server asks it. scale multiplies the time limit.
func Preflight(ctx context.Context, cluster kubernetes.Interface, namespace string, kept bool, scale float64) error {
	_, err := cluster.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name: namespace, Labels: map[string]string{v1alpha1.LabelBench: v1alpha1.BenchMade},
	}}, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("creating the namespace of a first Pod: %w", err)
	}
	patience, cancel := context.WithTimeout(ctx, time.Duration(float64(preflightPatience)*scale))
	defer cancel()
	p := preflight{cluster: cluster, namespace: namespace, kept: kept}
	notReady := p.run(patience)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err := p.end(ctx); err != nil {
		return err
	}
	if notReady != nil {
		return notReady
	}
	return nil
}

// preflight is a running Preflight.
type preflight struct {
	cluster   kubernetes.Interface
	namespace string
	kept      bool
}

func (p *preflight) run(ctx context.Context) *NotReady {
	if err := p.create(ctx); err != nil {
		return &NotReady{fmt.Sprintf("the first Pod cannot be created: %v", err)}
	}
	running := func(pod *corev1.Pod) bool { return pod.Status.Phase == corev1.PodRunning }
	if pod, not := p.await(ctx, "run", running); not != nil {
		return not
	} else if isReady(pod) {
		return &NotReady{"the first Pod is ready although its readiness is withheld: the nodes report every Pod as ready"}
	}
	_, err := p.cluster.CoreV1().Pods(p.namespace).Patch(ctx, firstPod().Name, types.MergePatchType,
		fmt.Appendf(nil, `{"metadata":{"annotations":{%q:"true"}}}`, annotationReady), metav1.PatchOptions{})
	if err != nil {
		return &NotReady{fmt.Sprintf("granting readiness to the first Pod: %v", err)}
	}
	_, not := p.await(ctx, "become ready", isReady)
	return not
}

// create creates the Pod when the API server has everything that this needs: the service
// account of a new namespace, and the way to the Keeper.
func (p *preflight) create(ctx context.Context) error {
	all := p.cluster.CoreV1().Pods(p.namespace)
	var last error
	err := wait.PollUntilContextCancel(ctx, preflightPoll, true, func(ctx context.Context) (bool, error) {
		var tried *corev1.Pod
		if tried, last = all.Create(ctx, firstPod(), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}); last != nil {
			return false, nil
		}
		if p.kept && tried.Labels[labelKept] == "" {
			last = errors.New("the API server does not ask the bench about Pods")
			return false, nil
		}
		_, last = all.Create(ctx, firstPod(), metav1.CreateOptions{})
		return last == nil, nil
	})
	if last != nil {
		return last
	}
	return err
}

// await waits until the Pod is as wanted. It ends early if that can never happen.
func (p *preflight) await(ctx context.Context, what string, wanted func(*corev1.Pod) bool) (*corev1.Pod, *NotReady) {
	var pod *corev1.Pod
	var last error
	var stuck string
	err := wait.PollUntilContextCancel(ctx, preflightPoll, true, func(ctx context.Context) (bool, error) {
		var now *corev1.Pod
		if now, last = p.cluster.CoreV1().Pods(p.namespace).Get(ctx, firstPod().Name, metav1.GetOptions{}); last != nil {
			return false, nil
		}
		pod = now
		stuck = hopeless(pod)
		return stuck != "" || wanted(pod), nil
	})
	switch {
	case stuck != "":
		return pod, &NotReady{stuck}
	case err != nil && pod == nil:
		return pod, &NotReady{fmt.Sprintf("reading the first Pod: %v", last)}
	case err != nil:
		return pod, &NotReady{fmt.Sprintf("the first Pod did not %s in time: %s", what, state(pod))}
	}
	return pod, nil
}

// end deletes the Pod. Its namespace is deleted with everything else of the bench.
func (p *preflight) end(ctx context.Context) error {
	err := p.cluster.CoreV1().Pods(p.namespace).Delete(ctx, firstPod().Name, metav1.DeleteOptions{GracePeriodSeconds: ptr.To[int64](1)})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("removing the first Pod: %w", err)
	}
	return nil
}

// firstPod returns a Pod that even a cluster with strict policies accepts.
func firstPod() *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "first", Annotations: map[string]string{annotationReady: "false"}},
		Spec: corev1.PodSpec{
			SecurityContext: &corev1.PodSecurityContext{
				RunAsNonRoot: ptr.To(true), SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
			},
			Containers: []corev1.Container{{
				Name: "app", Image: "registry.example/demo:v1",
				SecurityContext: &corev1.SecurityContext{
					AllowPrivilegeEscalation: ptr.To(false), Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
				},
			}},
		},
	}
}

func isReady(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}

// hopeless says why a Pod will never run, after a node has tried, or returns "".
func hopeless(pod *corev1.Pod) string {
	for _, container := range pod.Status.ContainerStatuses {
		waiting := container.State.Waiting
		if waiting != nil && slices.Contains([]string{"ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull"}, waiting.Reason) {
			return fmt.Sprintf("the nodes do not have the image %s (load it, or name a registry with --image-prefix): %s", container.Image, waiting.Message)
		}
	}
	return ""
}

// state says in words what a Pod waits for.
func state(pod *corev1.Pod) string {
	words := []string{"it is " + string(pod.Status.Phase)}
	for _, condition := range pod.Status.Conditions {
		if condition.Status != corev1.ConditionTrue && condition.Message != "" && !slices.Contains(words, condition.Message) {
			words = append(words, condition.Message)
		}
	}
	for _, container := range pod.Status.ContainerStatuses {
		if waiting := container.State.Waiting; waiting != nil {
			words = append(words, strings.TrimSpace("container "+container.Name+": "+waiting.Reason+" "+waiting.Message))
		}
	}
	return strings.Join(words, "; ")
}
