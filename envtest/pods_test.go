package envtest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"
)

// seen is what a Pod's status says, in short.
type seen struct {
	Phase      corev1.PodPhase
	Conditions map[corev1.PodConditionType]string // status, with the reason if there is one
	Containers []string                           // name, state, restarts, and whether it is ready
	Init       []string
	Ephemeral  []string
}

func look(pod *corev1.Pod) seen {
	s := seen{Phase: pod.Status.Phase, Conditions: map[corev1.PodConditionType]string{}}
	for _, c := range pod.Status.Conditions {
		switch c.Type {
		case corev1.PodInitialized, corev1.ContainersReady, corev1.PodReady:
			s.Conditions[c.Type] = string(c.Status)
			if c.Reason != "" {
				s.Conditions[c.Type] += " " + c.Reason
			}
		}
	}
	describe := func(all []corev1.ContainerStatus) (list []string) {
		for _, c := range all {
			state := "running"
			if c.State.Waiting != nil {
				state = c.State.Waiting.Reason
			} else if ended := c.State.Terminated; ended != nil {
				state = fmt.Sprintf("%s %d", ended.Reason, ended.ExitCode)
			}
			if last := c.LastTerminationState.Terminated; last != nil {
				state += fmt.Sprintf(" after %s %d", last.Reason, last.ExitCode)
			}
			list = append(list, fmt.Sprintf("%s: %s, %d restarts, ready %t", c.Name, state, c.RestartCount, c.Ready))
		}
		return list
	}
	s.Containers, s.Init, s.Ephemeral = describe(pod.Status.ContainerStatuses), describe(pod.Status.InitContainerStatuses), describe(pod.Status.EphemeralContainerStatuses)
	return s
}

// awaitSeen waits until the status of the Pod demo says this.
func awaitSeen(t *testing.T, c kubernetes.Interface, namespace string, want seen) {
	t.Helper()
	eventually(t, soon, func() error {
		pod, err := c.CoreV1().Pods(namespace).Get(t.Context(), "demo", metav1.GetOptions{})
		if err != nil {
			return err
		}
		if diff := cmp.Diff(want, look(pod)); diff != "" {
			return fmt.Errorf("status (-want +got):\n%s", diff)
		}
		return nil
	})
}

func annotate(t *testing.T, c kubernetes.Interface, namespace, annotations string) {
	t.Helper()
	patch := fmt.Appendf(nil, `{"metadata": {"annotations": %s}}`, annotations)
	if _, err := c.CoreV1().Pods(namespace).Patch(t.Context(), "demo", types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
}

func pod(policy corev1.RestartPolicy, image string, annotations map[string]string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "demo", Annotations: annotations}, Spec: corev1.PodSpec{
		RestartPolicy: policy, Containers: []corev1.Container{{Name: "app", Image: image}},
	}}
}

func conditions(initialized, containers, ready string) map[corev1.PodConditionType]string {
	return map[corev1.PodConditionType]string{corev1.PodInitialized: initialized, corev1.ContainersReady: containers, corev1.PodReady: ready}
}

// TestPods: a Pod has the status that a kubelet would write.
func TestPods(t *testing.T) {
	t.Parallel()
	ready := conditions("True", "True", "True")
	for name, tt := range map[string]struct {
		pod  *corev1.Pod
		want seen
	}{
		"it runs": {
			pod(corev1.RestartPolicyAlways, "example/app:1", nil),
			seen{Phase: corev1.PodRunning, Conditions: ready, Containers: []string{"app: running, 0 restarts, ready true"}},
		},
		"with init containers and a sidecar": {
			withInit(pod(corev1.RestartPolicyAlways, "example/app:1", nil), "example/init:1"),
			seen{
				Phase: corev1.PodRunning, Conditions: ready, Containers: []string{"app: running, 0 restarts, ready true"},
				Init: []string{"first: Completed 0, 0 restarts, ready true", "sidecar: running, 0 restarts, ready true"},
			},
		},
		"with a sidecar, and not ready": {
			withInit(pod(corev1.RestartPolicyAlways, "example/app:never-ready", nil), "example/init:1"),
			seen{
				Phase: corev1.PodRunning, Conditions: conditions("True", "False ContainersNotReady", "False ContainersNotReady"),
				Containers: []string{"app: running, 0 restarts, ready false"},
				Init:       []string{"first: Completed 0, 0 restarts, ready true", "sidecar: running, 0 restarts, ready true"},
			},
		},
		"an init container fails, and is not started again": {
			withInit(pod(corev1.RestartPolicyNever, "example/app:1", nil), "example/init:fails"),
			seen{
				Phase: corev1.PodFailed, Conditions: conditions("False ContainersNotInitialized", "False PodFailed", "False PodFailed"),
				Containers: []string{"app: PodInitializing, 0 restarts, ready false"},
				Init:       []string{"first: Error 1, 0 restarts, ready false", "sidecar: PodInitializing, 0 restarts, ready false"},
			},
		},
		"an init container fails": {
			withInit(pod(corev1.RestartPolicyAlways, "example/app:1", nil), "example/init:fails"),
			seen{
				Phase: corev1.PodPending, Conditions: conditions("False ContainersNotInitialized", "False ContainersNotReady", "False ContainersNotReady"),
				Containers: []string{"app: PodInitializing, 0 restarts, ready false"},
				Init:       []string{"first: CrashLoopBackOff after Error 1, 3 restarts, ready false", "sidecar: PodInitializing, 0 restarts, ready false"},
			},
		},
		"it ends, with its sidecar": {
			withInit(pod(corev1.RestartPolicyNever, "example/app:1", map[string]string{"reconform.dev/ends": "Succeeded"}), "example/init:1"),
			seen{
				Phase: corev1.PodSucceeded, Conditions: conditions("True", "False PodCompleted", "False PodCompleted"),
				Containers: []string{"app: Completed 0, 0 restarts, ready false"},
				Init:       []string{"first: Completed 0, 0 restarts, ready true", "sidecar: Completed 0, 0 restarts, ready false"},
			},
		},
		"it fails": {
			pod(corev1.RestartPolicyNever, "example/app:fails", map[string]string{"reconform.dev/exit-code": "42"}),
			seen{
				Phase: corev1.PodFailed, Conditions: conditions("True", "False PodFailed", "False PodFailed"),
				Containers: []string{"app: Error 42, 0 restarts, ready false"},
			},
		},
		"it fails, with the exit code of success": {
			pod(corev1.RestartPolicyNever, "example/app:fails", map[string]string{"reconform.dev/exit-code": "0"}),
			seen{
				Phase: corev1.PodFailed, Conditions: conditions("True", "False PodFailed", "False PodFailed"),
				Containers: []string{"app: Error 1, 0 restarts, ready false"},
			},
		},
		"how it ends is misspelt": {
			// A Pod that has ended is not started again.
			pod(corev1.RestartPolicyNever, "example/app:1", map[string]string{"reconform.dev/ends": "failed", "reconform.dev/restarts": "1"}),
			seen{Phase: corev1.PodRunning, Conditions: ready, Containers: []string{"app: running after Error 1, 1 restarts, ready true"}},
		},
		"it crashes again and again": {
			pod(corev1.RestartPolicyAlways, "example/app:fails", nil),
			seen{
				Phase: corev1.PodRunning, Conditions: conditions("True", "False ContainersNotReady", "False ContainersNotReady"),
				Containers: []string{"app: CrashLoopBackOff after Error 1, 3 restarts, ready false"},
			},
		},
		"it ends again and again": {
			pod(corev1.RestartPolicyAlways, "example/app:1", map[string]string{"reconform.dev/ends": "Succeeded"}),
			seen{
				Phase: corev1.PodRunning, Conditions: conditions("True", "False ContainersNotReady", "False ContainersNotReady"),
				Containers: []string{"app: CrashLoopBackOff after Completed 0, 3 restarts, ready false"},
			},
		},
		"a gate is closed": {
			gated(pod(corev1.RestartPolicyAlways, "example/app:1", nil)),
			seen{Phase: corev1.PodRunning, Conditions: conditions("True", "True", "False ReadinessGatesNotReady"), Containers: []string{"app: running, 0 restarts, ready true"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, namespace := client(t)
			createPod(t, c, namespace, tt.pod)
			awaitSeen(t, c, namespace, tt.want)
		})
	}
}

// TestRestartPolicyOfContainers: a container may have a restartPolicy of its own, and rules
// for its exit codes.
func TestRestartPolicyOfContainers(t *testing.T) {
	t.Parallel()
	fails := func(ofPod, own corev1.RestartPolicy, rules ...corev1.ContainerRestartRule) *corev1.Pod {
		p := pod(ofPod, "example/app:fails", map[string]string{"reconform.dev/exit-code": "42"})
		app := &p.Spec.Containers[0]
		app.RestartPolicy, app.RestartPolicyRules = ptr.To(corev1.ContainerRestartPolicy(own)), rules
		return p
	}
	rule := func(operator corev1.ContainerRestartRuleOnExitCodesOperator, code int32) corev1.ContainerRestartRule {
		return corev1.ContainerRestartRule{Action: corev1.ContainerRestartRuleActionRestart, ExitCodes: &corev1.ContainerRestartRuleOnExitCodes{
			Operator: operator, Values: []int32{code},
		}}
	}
	const in, notIn = corev1.ContainerRestartRuleOnExitCodesOpIn, corev1.ContainerRestartRuleOnExitCodesOpNotIn
	over := seen{
		Phase: corev1.PodFailed, Conditions: conditions("True", "False PodFailed", "False PodFailed"),
		Containers: []string{"app: Error 42, 0 restarts, ready false"},
	}
	again := seen{
		Phase: corev1.PodRunning, Conditions: conditions("True", "False ContainersNotReady", "False ContainersNotReady"),
		Containers: []string{"app: CrashLoopBackOff after Error 42, 2 restarts, ready false"},
	}
	init := withInit(pod(corev1.RestartPolicyAlways, "example/app:1", nil), "example/init:fails")
	init.Spec.InitContainers[0].RestartPolicy = ptr.To(corev1.ContainerRestartPolicyNever)
	for name, tt := range map[string]struct {
		pod  *corev1.Pod
		want seen
	}{
		"never, in a Pod that restarts":        {fails(corev1.RestartPolicyAlways, corev1.RestartPolicyNever), over},
		"on failure, in a Pod that does not":   {fails(corev1.RestartPolicyNever, corev1.RestartPolicyOnFailure), again},
		"its exit code is in the rule":         {fails(corev1.RestartPolicyNever, corev1.RestartPolicyNever, rule(in, 42)), again},
		"its exit code is in the second rule":  {fails(corev1.RestartPolicyNever, corev1.RestartPolicyNever, rule(in, 7), rule(in, 42)), again},
		"another exit code is in the rule":     {fails(corev1.RestartPolicyNever, corev1.RestartPolicyNever, rule(in, 7)), over},
		"the rule is for all other exit codes": {fails(corev1.RestartPolicyNever, corev1.RestartPolicyNever, rule(notIn, 42)), over},
		"the rule is for exit codes like this": {fails(corev1.RestartPolicyNever, corev1.RestartPolicyNever, rule(notIn, 7)), again},
		"never, an init container": {init, seen{
			Phase: corev1.PodFailed, Conditions: conditions("False ContainersNotInitialized", "False PodFailed", "False PodFailed"),
			Containers: []string{"app: PodInitializing, 0 restarts, ready false"},
			Init:       []string{"first: Error 1, 0 restarts, ready false", "sidecar: PodInitializing, 0 restarts, ready false"},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, namespace := client(t)
			if strings.Contains(sharedControlPlane(t).AssetsDir(), "v1.34.") {
				t.Skip("this came with 1.35")
			}
			createPod(t, c, namespace, tt.pod)
			awaitSeen(t, c, namespace, tt.want)
		})
	}
}

// withInit adds an init container, and a sidecar after it.
func withInit(pod *corev1.Pod, image string) *corev1.Pod {
	pod.Spec.InitContainers = []corev1.Container{
		{Name: "first", Image: image},
		{Name: "sidecar", Image: "example/sidecar:1", RestartPolicy: ptr.To(corev1.ContainerRestartPolicyAlways)},
	}
	return pod
}

const gate corev1.PodConditionType = "example.com/served"

func gated(pod *corev1.Pod) *corev1.Pod {
	pod.Spec.ReadinessGates = []corev1.PodReadinessGate{{ConditionType: gate}}
	return pod
}

// TestPodChanges: what happens to a Pod that runs.
func TestPodChanges(t *testing.T) {
	t.Parallel()
	ready, unready := conditions("True", "True", "True"), conditions("True", "False ContainersNotReady", "False ContainersNotReady")
	runs := func(conditions map[corev1.PodConditionType]string, container string) seen {
		return seen{Phase: corev1.PodRunning, Conditions: conditions, Containers: []string{"app: " + container}}
	}
	t.Run("it restarts", func(t *testing.T) {
		t.Parallel()
		c, namespace := client(t)
		createPod(t, c, namespace, pod(corev1.RestartPolicyAlways, "example/app:1", nil))
		awaitSeen(t, c, namespace, runs(ready, "running, 0 restarts, ready true"))
		annotate(t, c, namespace, `{"reconform.dev/restarts": "2", "reconform.dev/exit-code": "137"}`)
		awaitSeen(t, c, namespace, runs(ready, "running after Error 137, 2 restarts, ready true"))
		annotate(t, c, namespace, `{"reconform.dev/restarts": "3"}`)
		awaitSeen(t, c, namespace, runs(ready, "running after Error 137, 3 restarts, ready true"))
	})
	t.Run("it restarts as often as a number says, and with a code that is one", func(t *testing.T) {
		t.Parallel()
		c, namespace := client(t)
		createPod(t, c, namespace, pod(corev1.RestartPolicyAlways, "example/app:1", map[string]string{"reconform.dev/restarts": "1.5"}))
		awaitSeen(t, c, namespace, runs(ready, "running, 0 restarts, ready true"))
		annotate(t, c, namespace, `{"reconform.dev/restarts": "02", "reconform.dev/exit-code": "abc"}`)
		awaitSeen(t, c, namespace, runs(ready, "running after Error 1, 2 restarts, ready true"))
		annotate(t, c, namespace, `{"reconform.dev/ends": "Failed"}`)
		awaitSeen(t, c, namespace, runs(unready, "CrashLoopBackOff after Error 1, 5 restarts, ready false"))
	})
	t.Run("it crashes and recovers", func(t *testing.T) {
		t.Parallel()
		c, namespace := client(t)
		createPod(t, c, namespace, pod(corev1.RestartPolicyAlways, "example/app:1", nil))
		awaitSeen(t, c, namespace, runs(ready, "running, 0 restarts, ready true"))
		annotate(t, c, namespace, `{"reconform.dev/ends": "Failed"}`)
		awaitSeen(t, c, namespace, runs(unready, "CrashLoopBackOff after Error 1, 3 restarts, ready false"))
		annotate(t, c, namespace, `{"reconform.dev/ends": null}`)
		eventually(t, soon, func() error {
			pod, err := c.CoreV1().Pods(namespace).Get(t.Context(), "demo", metav1.GetOptions{})
			if err != nil {
				return err
			}
			if state := pod.Status.ContainerStatuses[0]; state.State.Running == nil || !state.Ready || state.RestartCount < 4 || !cmp.Equal(look(pod).Conditions, ready) {
				return fmt.Errorf("status %+v", pod.Status)
			}
			return nil
		})
	})
	t.Run("it crashes and recovers, and its image keeps it from becoming ready", func(t *testing.T) {
		t.Parallel()
		c, namespace := client(t)
		createPod(t, c, namespace, pod(corev1.RestartPolicyAlways, "example/app:never-ready", map[string]string{"reconform.dev/ends": "Failed"}))
		awaitSeen(t, c, namespace, runs(unready, "CrashLoopBackOff after Error 1, 2 restarts, ready false"))
		annotate(t, c, namespace, `{"reconform.dev/ends": null}`)
		awaitSeen(t, c, namespace, runs(unready, "running after Error 1, 3 restarts, ready false"))
	})
	t.Run("its owner is a Job of another API, and it runs on", func(t *testing.T) {
		t.Parallel()
		c, namespace := client(t)
		owned := pod(corev1.RestartPolicyNever, "example/app:1", map[string]string{"reconform.dev/restarts": "1"})
		owned.OwnerReferences = []metav1.OwnerReference{{APIVersion: "batch.example.com/v1", Kind: "Job", Name: "demo", UID: "1"}}
		createPod(t, c, namespace, owned)
		// A Pod that has ended is not started again.
		awaitSeen(t, c, namespace, runs(ready, "running after Error 1, 1 restarts, ready true"))
	})
	t.Run("its init container fails, until it has another image", func(t *testing.T) {
		t.Parallel()
		c, namespace := client(t)
		createPod(t, c, namespace, withInit(pod(corev1.RestartPolicyAlways, "example/app:1", nil), "example/init:fails"))
		eventually(t, soon, func() error {
			pod, err := c.CoreV1().Pods(namespace).Get(t.Context(), "demo", metav1.GetOptions{})
			if err == nil && (len(pod.Status.InitContainerStatuses) == 0 || pod.Status.InitContainerStatuses[0].RestartCount == 0) {
				err = fmt.Errorf("status %+v", pod.Status)
			}
			return err
		})
		patch := []byte(`[{"op": "replace", "path": "/spec/initContainers/0/image", "value": "example/init:1"}]`)
		if _, err := c.CoreV1().Pods(namespace).Patch(t.Context(), "demo", types.JSONPatchType, patch, metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
		eventually(t, soon, func() error {
			pod, err := c.CoreV1().Pods(namespace).Get(t.Context(), "demo", metav1.GetOptions{})
			if err == nil {
				init := pod.Status.InitContainerStatuses[0]
				if !cmp.Equal(look(pod).Conditions, ready) || init.State.Terminated == nil || init.RestartCount == 0 || init.Image != "example/init:1" {
					err = fmt.Errorf("status %+v", pod.Status)
				}
			}
			return err
		})
	})
	t.Run("its gate opens and closes", func(t *testing.T) {
		t.Parallel()
		c, namespace := client(t)
		createPod(t, c, namespace, gated(pod(corev1.RestartPolicyAlways, "example/app:1", nil)))
		closed := runs(conditions("True", "True", "False ReadinessGatesNotReady"), "running, 0 restarts, ready true")
		awaitSeen(t, c, namespace, closed)
		turn(t, c, namespace, corev1.ConditionTrue)
		awaitSeen(t, c, namespace, runs(ready, "running, 0 restarts, ready true"))
		turn(t, c, namespace, corev1.ConditionFalse)
		awaitSeen(t, c, namespace, closed)
		turn(t, c, namespace, corev1.ConditionTrue)
		annotate(t, c, namespace, `{"reconform.dev/ready": "false"}`)
		awaitSeen(t, c, namespace, runs(unready, "running, 0 restarts, ready false"))
	})
	t.Run("it is deleted, and held", func(t *testing.T) {
		t.Parallel()
		for _, how := range []string{"Never", "Failed"} { // it runs, or waits to be started again
			c, namespace := client(t)
			held := pod(corev1.RestartPolicyAlways, "example/app:1", map[string]string{"reconform.dev/ends": how})
			held.Finalizers = []string{"example.com/held"}
			createPod(t, c, namespace, held)
			eventually(t, soon, func() error {
				pod, err := c.CoreV1().Pods(namespace).Get(t.Context(), "demo", metav1.GetOptions{})
				if err == nil && (pod.Status.Phase != corev1.PodRunning || (how == "Failed") != (pod.Status.ContainerStatuses[0].State.Waiting != nil)) {
					err = fmt.Errorf("status %+v", pod.Status)
				}
				return err
			})
			if err := c.CoreV1().Pods(namespace).Delete(t.Context(), "demo", metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
			eventually(t, soon, func() error {
				pod, err := c.CoreV1().Pods(namespace).Get(t.Context(), "demo", metav1.GetOptions{})
				if err == nil && (pod.Status.Phase != corev1.PodFailed || pod.Status.ContainerStatuses[0].State.Terminated == nil) {
					err = fmt.Errorf("status %+v", pod.Status)
				}
				return err
			})
			if _, err := c.CoreV1().Pods(namespace).Patch(t.Context(), "demo", types.MergePatchType, []byte(`{"metadata": {"finalizers": null}}`), metav1.PatchOptions{}); err != nil {
				t.Fatal(err)
			}
			awaitNone(t, func() (*corev1.Pod, error) {
				return c.CoreV1().Pods(namespace).Get(t.Context(), "demo", metav1.GetOptions{})
			})
		}
	})
	t.Run("it gets an ephemeral container", func(t *testing.T) {
		t.Parallel()
		c, namespace := client(t)
		createPod(t, c, namespace, pod(corev1.RestartPolicyAlways, "example/app:1", nil))
		want := runs(ready, "running, 0 restarts, ready true")
		awaitSeen(t, c, namespace, want)
		patch := []byte(`{"spec": {"ephemeralContainers": [{"name": "debugger", "image": "example/tools:1"}]}}`)
		if _, err := c.CoreV1().Pods(namespace).Patch(t.Context(), "demo", types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "ephemeralcontainers"); err != nil {
			t.Fatal(err)
		}
		want.Ephemeral = []string{"debugger: running, 0 restarts, ready false"}
		awaitSeen(t, c, namespace, want)
	})
}

// turn writes the condition of the gate, as the controller that asked for the gate does.
func turn(t *testing.T, c kubernetes.Interface, namespace string, status corev1.ConditionStatus) {
	t.Helper()
	patch := fmt.Appendf(nil, `{"status": {"conditions": [{"type": %q, "status": %q}]}}`, gate, status)
	if _, err := c.CoreV1().Pods(namespace).Patch(t.Context(), "demo", types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status"); err != nil {
		t.Fatal(err)
	}
}
