package bench_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/envtest"
	"reconform.dev/reconform/internal/bench"
	"reconform.dev/reconform/internal/bench/cluster"
	"reconform.dev/reconform/internal/bench/pods"
	"reconform.dev/reconform/internal/process/incluster"
	"reconform.dev/reconform/internal/record/history"
)

// realCluster is one whose node says that it has a kubelet. The test takes its part.
type realCluster struct {
	client client.WithWatch
	bench  *bench.Bench
}

func newRealCluster(t *testing.T) *realCluster {
	t.Helper()
	p, err := subjectProfile(t.TempDir(), "webapps")
	if err != nil {
		t.Fatal(err)
	}
	controlPlane, err := envtest.Start(t.Context(), envtest.Options{WithoutPods: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = controlPlane.Stop(context.Background()) })
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	c := &realCluster{}
	if c.client, err = client.NewWithWatch(controlPlane.Config(), client.Options{Scheme: scheme}); err != nil {
		t.Fatal(err)
	}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node"}}
	if err := c.client.Create(t.Context(), node); err != nil {
		t.Fatal(err)
	}
	// Controllers write to a new node, too.
	before := client.MergeFrom(node.DeepCopy())
	node.Status.NodeInfo.KubeletVersion = "v1.36.3"
	if err := c.client.Status().Patch(t.Context(), node, before); err != nil {
		t.Fatal(err)
	}
	c.bench, err = bench.Start(t.Context(), bench.Options{
		Config: controlPlane.Config(), Profile: p, Recorder: history.New(nil, nil), WorkDir: t.TempDir(), TimeoutScale: 1,
		Launcher: stage.launcher, Shared: true, ImagePrefix: "mine",
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.bench.Stop(context.Background()); err != nil {
			t.Error(err)
		}
		if _, err := cluster.CleanAndKeep(context.Background(), controlPlane.Config()); err != nil {
			t.Error(err)
		}
		var hooks admissionregistrationv1.MutatingWebhookConfigurationList
		if err := c.client.List(context.Background(), &hooks); err != nil || len(hooks.Items) > 0 {
			t.Errorf("after Clean: %v, %d webhooks", err, len(hooks.Items))
		}
	})
	return c
}

// kubelet has every change of a Pod answered as a node would, until the end of the test.
func (c *realCluster) kubelet(t *testing.T, answer func(*corev1.Pod)) {
	t.Helper()
	watch, err := c.client.Watch(t.Context(), &corev1.PodList{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(watch.Stop)
	go func() {
		for event := range watch.ResultChan() {
			pod, ok := event.Object.(*corev1.Pod)
			if !ok || event.Type == "DELETED" {
				continue
			}
			before := pod.DeepCopy()
			answer(pod)
			_ = c.client.Status().Patch(context.Background(), pod, client.StrategicMergeFrom(before))
		}
	}()
}

// runs is a kubelet's answer if the image exists.
func runs(pod *corev1.Pod) {
	ready := corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionFalse}
	for _, gate := range pod.Status.Conditions {
		if gate.Type == "reconform.dev/ready" {
			ready.Status = gate.Status
		}
	}
	others := slices.DeleteFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool { return c.Type == corev1.PodReady })
	pod.Status.Phase, pod.Status.Conditions = corev1.PodRunning, append(others, ready)
}

// readyAtOnce is its answer if it knows nothing of readiness gates.
func readyAtOnce(pod *corev1.Pod) {
	pod.Status.Phase = corev1.PodRunning
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
}

// pullsNothing is its answer if the image does not exist.
func pullsNothing(pod *corev1.Pod) {
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{
		Name: "app", Image: pod.Spec.Containers[0].Image,
		State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff", Message: "no such host"}},
	}}
}

func TestPodsOnRealNodes(t *testing.T) {
	startsControlPlane(t)
	t.Parallel()
	c := newRealCluster(t)
	c.kubelet(t, runs)
	if err := c.bench.CheckPods(t.Context()); err != nil {
		t.Errorf("a first Pod: %v", err)
	}
	for name, tc := range map[string]struct {
		labels, podLabels map[string]string
		rest              bool
		image             string
		waits             bool
	}{
		"a scenario's":        {map[string]string{v1alpha1.LabelBench: "true"}, nil, false, "mine/reconform-pod:v1", false},
		"one that need not":   {map[string]string{v1alpha1.LabelBench: "true"}, nil, true, "mine/reconform-pod:v1", true},
		"that of a replica":   {map[string]string{v1alpha1.LabelBench: "true"}, map[string]string{incluster.LabelReplica: "subject-0"}, false, "theirs:v1", false},
		"that of anybody":     {nil, nil, false, "theirs:v1", false},
		"that of anybody too": {map[string]string{"team": "a"}, nil, true, "theirs:v1", false},
	} {
		t.Run(name, func(t *testing.T) {
			namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "scenario-", Labels: tc.labels}}
			if err := c.client.Create(t.Context(), namespace); err != nil {
				t.Fatal(err)
			}
			account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace.Name, Name: "default"}}
			if err := c.client.Create(t.Context(), account); client.IgnoreAlreadyExists(err) != nil {
				t.Fatal(err)
			}
			if tc.rest {
				if err := c.bench.RestPods(t.Context(), namespace.Name); err != nil {
					t.Fatal(err)
				}
			}
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace.Name, Name: "pod", Labels: tc.podLabels}}
			pod.Spec.Containers = []corev1.Container{{Name: "app", Image: "theirs:v1"}}
			if err := c.client.Create(t.Context(), pod); err != nil {
				t.Fatal(err)
			}
			if got := pod.Spec.Containers[0].Image; got != tc.image {
				t.Errorf("image %s, want %s", got, tc.image)
			}
			if waits := len(pod.Spec.SchedulingGates) > 0; waits != tc.waits {
				t.Errorf("waits: %t", waits)
			}
		})
	}
}

func TestPodsThatDoNotBecomeReady(t *testing.T) {
	startsControlPlane(t)
	t.Parallel()
	c := newRealCluster(t)
	for name, tc := range map[string]struct {
		answer func(*corev1.Pod)
		want   string
	}{
		"without the image": {
			pullsNothing, "do not have the image mine/reconform-pod:v1 (load it, or name a registry with --image-prefix): no such host",
		},
		"whatever is said": {
			readyAtOnce, "the first Pod is ready although its readiness is withheld",
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.kubelet(t, tc.answer)
			var not *pods.NotReady
			if err := c.bench.CheckPods(t.Context()); !errors.As(err, &not) || !strings.Contains(not.Reason, tc.want) {
				t.Errorf("%v, want %q", err, tc.want)
			}
		})
	}
}
