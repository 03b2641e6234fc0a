package envtest

import (
	"fmt"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

// statefulSet returns a StatefulSet with the Pods of a Deployment, created by a policy.
func statefulSet(name, image string, replicas int32, policy appsv1.PodManagementPolicyType) *appsv1.StatefulSet {
	d := deployment(name, image, replicas)
	return &appsv1.StatefulSet{ObjectMeta: d.ObjectMeta, Spec: appsv1.StatefulSetSpec{
		Replicas: d.Spec.Replicas, Selector: d.Spec.Selector, Template: d.Spec.Template, ServiceName: name, PodManagementPolicy: policy,
	}}
}

// awaitSet waits until this many Pods of a StatefulSet are ready, and all its Pods have its
// newest revision.
func awaitSet(t *testing.T, c kubernetes.Interface, namespace, name string, ready int32) {
	t.Helper()
	eventually(t, soon, func() error {
		s, err := c.AppsV1().StatefulSets(namespace).Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if s.Status.ObservedGeneration != s.Generation || s.Status.ReadyReplicas != ready || s.Status.AvailableReplicas != ready ||
			s.Status.UpdatedReplicas != s.Status.Replicas {
			return fmt.Errorf("status %+v", s.Status)
		}
		return nil
	})
}

// podNames are the names of the Pods with the label app, in order.
func podNames(t *testing.T, c kubernetes.Interface, namespace, app string) []string {
	t.Helper()
	pods, err := c.CoreV1().Pods(namespace).List(t.Context(), metav1.ListOptions{LabelSelector: "app=" + app})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, pod := range pods.Items {
		names = append(names, pod.Name)
	}
	slices.Sort(names)
	return names
}

// TestStatefulSet: its Pods keep their names, follow its template, and are created one
// after the other, unless the StatefulSet asks for all at once.
func TestStatefulSet(t *testing.T) {
	t.Parallel()
	c, namespace := client(t)
	for _, policy := range []appsv1.PodManagementPolicyType{appsv1.OrderedReadyPodManagement, appsv1.ParallelPodManagement} {
		name := map[appsv1.PodManagementPolicyType]string{appsv1.OrderedReadyPodManagement: "ordered", appsv1.ParallelPodManagement: "parallel"}[policy]
		s := statefulSet(name, "example/app:1", 3, policy)
		if _, err := c.AppsV1().StatefulSets(namespace).Create(t.Context(), s, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		awaitSet(t, c, namespace, name, 3)
		if got, want := podNames(t, c, namespace, name), []string{name + "-0", name + "-1", name + "-2"}; !slices.Equal(got, want) {
			t.Errorf("Pods %v, want %v", got, want)
		}
		patch := func(text string) {
			t.Helper()
			if _, err := c.AppsV1().StatefulSets(namespace).Patch(t.Context(), name, types.StrategicMergePatchType, []byte(text), metav1.PatchOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		patch(`{"spec": {"replicas": 2, "template": {"spec": {"containers": [{"name": "app", "image": "example/app:2"}]}}}}`)
		awaitSet(t, c, namespace, name, 2)
		pod, err := c.CoreV1().Pods(namespace).Get(t.Context(), name+"-0", metav1.GetOptions{})
		if err != nil || pod.Spec.Containers[0].Image != "example/app:2" {
			t.Errorf("Pod %s-0 after the rollout: %v, %v", name, pod.Spec.Containers, err)
		}
	}

	// In order, no other Pod is created until the first is ready. In parallel, all are created.
	for policy, pods := range map[appsv1.PodManagementPolicyType]int{appsv1.OrderedReadyPodManagement: 1, appsv1.ParallelPodManagement: 2} {
		name := fmt.Sprintf("stuck-%d", pods)
		s := statefulSet(name, "example/app:never-ready", 2, policy)
		if _, err := c.AppsV1().StatefulSets(namespace).Create(t.Context(), s, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		eventually(t, soon, func() error {
			all, err := c.CoreV1().Pods(namespace).List(t.Context(), metav1.ListOptions{LabelSelector: "app=" + name, FieldSelector: "status.phase=Running"})
			if err != nil || len(all.Items) != pods {
				return fmt.Errorf("%d Pods of %s run, want %d (%w)", len(all.Items), name, pods, err)
			}
			return nil
		})
		awaitSet(t, c, namespace, name, 0)
	}

	t.Run("goes with its Pods", func(t *testing.T) {
		background := metav1.DeletePropagationBackground
		if err := c.AppsV1().StatefulSets(namespace).Delete(t.Context(), "ordered", metav1.DeleteOptions{PropagationPolicy: &background}); err != nil {
			t.Fatal(err)
		}
		eventually(t, soon, func() error {
			if left := podNames(t, c, namespace, "ordered"); len(left) > 0 {
				return fmt.Errorf("left: %v", left)
			}
			return nil
		})
	})
}

// TestDaemonSet: each Node gets its Pod.
func TestDaemonSet(t *testing.T) {
	t.Parallel()
	c, namespace := client(t)
	d := deployment("everywhere", "example/app:1", 1)
	set := &appsv1.DaemonSet{ObjectMeta: d.ObjectMeta, Spec: appsv1.DaemonSetSpec{Selector: d.Spec.Selector, Template: d.Spec.Template}}
	if _, err := c.AppsV1().DaemonSets(namespace).Create(t.Context(), set, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, soon, func() error {
		now, err := c.AppsV1().DaemonSets(namespace).Get(t.Context(), set.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if now.Status.DesiredNumberScheduled != 3 || now.Status.NumberReady != 3 {
			return fmt.Errorf("status %+v", now.Status)
		}
		return nil
	})
}
