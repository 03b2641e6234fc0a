package envtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes"

	"reconform.dev/reconform/envtest/metrics"
)

// TestWhatAClusterHas: workloads that need more than Nodes and Pods run. make e2e runs
// the same ones on a cluster with real nodes: see otherEnv.
func TestWhatAClusterHas(t *testing.T) {
	t.Parallel()
	// spread creates a Deployment named demo, waits until its Pods are ready, and returns
	// how many are on each Node.
	spread := func(t *testing.T, c kubernetes.Interface, namespace string, replicas int, change func(*corev1.PodSpec)) map[string]int {
		t.Helper()
		d := deployment("demo", image(), int32(replicas))
		change(&d.Spec.Template.Spec)
		create(t, c, namespace, d)
		awaitReady(t, c, namespace, d.Name, int32(replicas))
		return perNode(t, c, namespace)
	}
	alike := &metav1.LabelSelector{MatchLabels: map[string]string{"app": "demo"}}
	for name, run := range map[string]func(*testing.T, kubernetes.Interface, string){
		"a claim": func(t *testing.T, c kubernetes.Interface, namespace string) {
			createClaim(t, c, namespace, claim("data", "", "1Gi"))
			user := podWith("user", claimed("data"))
			user.Spec.Containers[0].Image = image()
			createPod(t, c, namespace, user)
			awaitPod(t, c, namespace, "user")
			awaitBound(t, c, namespace, "data", "1Gi")
		},
		"a claim template": func(t *testing.T, c kubernetes.Interface, namespace string) {
			s := statefulSet("demo", image(), 2, appsv1.OrderedReadyPodManagement)
			s.Spec.VolumeClaimTemplates = []corev1.PersistentVolumeClaim{*claim("data", "", "1Gi")}
			if _, err := c.AppsV1().StatefulSets(namespace).Create(t.Context(), s, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			awaitSet(t, c, namespace, "demo", 2)
			awaitBound(t, c, namespace, "data-demo-1", "1Gi")
		},
		"anti-affinity": func(t *testing.T, c kubernetes.Interface, namespace string) {
			nodes := nodeNames(t, c, "")
			expectNodes(t, nodes, 1, spread(t, c, namespace, len(nodes), func(p *corev1.PodSpec) {
				p.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
					RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{LabelSelector: alike, TopologyKey: corev1.LabelHostname}},
				}}
			}))
			scale(t, c, namespace, len(nodes)+1)
			awaitUnschedulable(t, c, namespace, "anti-affinity")
		},
		"a host port": func(t *testing.T, c kubernetes.Interface, namespace string) {
			nodes := nodeNames(t, c, "")
			expectNodes(t, nodes, 1, spread(t, c, namespace, len(nodes), func(p *corev1.PodSpec) { p.Containers[0].Ports[0].HostPort = 8080 }))
			scale(t, c, namespace, len(nodes)+1)
			awaitUnschedulable(t, c, namespace, "free ports")
		},
		"spread over zones": func(t *testing.T, c kubernetes.Interface, namespace string) {
			// Each Node is a zone.
			nodes := nodeNames(t, c, corev1.LabelTopologyZone)
			expectNodes(t, nodes, 2, spread(t, c, namespace, 2*len(nodes), func(p *corev1.PodSpec) {
				p.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{
					MaxSkew: 1, TopologyKey: corev1.LabelTopologyZone, WhenUnsatisfiable: corev1.DoNotSchedule, LabelSelector: alike,
				}}
			}))
		},
		"a role": func(t *testing.T, c kubernetes.Interface, namespace string) {
			const role = "node-role.kubernetes.io/control-plane"
			nodes := nodeNames(t, c, role)[:1]
			expectNodes(t, nodes, 2, spread(t, c, namespace, 2, func(p *corev1.PodSpec) {
				p.NodeSelector = map[string]string{role: "", corev1.LabelOSStable: "linux"}
			}))
		},
		"GPUs": func(t *testing.T, c kubernetes.Interface, namespace string) {
			// All that there are: no other test uses them.
			nodes := nodeNames(t, c, "")
			expectNodes(t, nodes, 1, spread(t, c, namespace, len(nodes), func(p *corev1.PodSpec) {
				p.Containers[0].Resources.Limits = corev1.ResourceList{gpu: resource.MustParse("2")}
			}))
			scale(t, c, namespace, len(nodes)+1)
			awaitUnschedulable(t, c, namespace, "Insufficient nvidia.com/gpu")
		},
		"Endpoints":           expectEndpoints,
		"a disruption budget": expectBudget,
		"an autoscaler":       expectScaling,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, namespace := client(t)
			run(t, c, namespace)
		})
	}
}

func perNode(t *testing.T, c kubernetes.Interface, namespace string) map[string]int {
	t.Helper()
	pods, err := c.CoreV1().Pods(namespace).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	for _, pod := range pods.Items {
		found[pod.Spec.NodeName]++
	}
	return found
}

// nodeNames returns the Nodes that take any Pod, and have this label if it is not empty.
func nodeNames(t *testing.T, c kubernetes.Interface, label string) []string {
	t.Helper()
	nodes, err := c.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{LabelSelector: label})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, node := range nodes.Items {
		if len(node.Spec.Taints) == 0 && !node.Spec.Unschedulable {
			names = append(names, node.Name)
		}
	}
	if len(names) == 0 {
		t.Fatalf("no Node takes any Pod and has the label %q", label)
	}
	return names
}

// expectNodes expects that each of these Nodes has so many Pods, and that no other has any.
func expectNodes(t *testing.T, nodes []string, each int, got map[string]int) {
	t.Helper()
	want := map[string]int{}
	for _, node := range nodes {
		want[node] = each
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Pods per Node (-want +got):\n%s", diff)
	}
}

// scale changes the number of replicas of the Deployment demo.
func scale(t *testing.T, c kubernetes.Interface, namespace string, replicas int) {
	t.Helper()
	patch := fmt.Appendf(nil, `{"spec": {"replicas": %d}}`, replicas)
	if _, err := c.AppsV1().Deployments(namespace).Patch(t.Context(), "demo", types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
}

// awaitUnschedulable waits until the scheduler says that there is no room for a Pod.
func awaitUnschedulable(t *testing.T, c kubernetes.Interface, namespace, why string) {
	t.Helper()
	eventually(t, soon, func() error {
		pods, err := c.CoreV1().Pods(namespace).List(t.Context(), metav1.ListOptions{FieldSelector: "spec.nodeName="})
		if err != nil {
			return err
		}
		for _, pod := range pods.Items {
			if slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
				return c.Reason == corev1.PodReasonUnschedulable && strings.Contains(c.Message, why)
			}) {
				return nil
			}
		}
		return fmt.Errorf("no Pod waits because of %s: %+v", why, pods.Items)
	})
}

// expectEndpoints expects that a Service has Endpoints, beside its EndpointSlices.
func expectEndpoints(t *testing.T, c kubernetes.Interface, namespace string) {
	create(t, c, namespace, deployment("demo", image(), 2))
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "demo"}, Spec: corev1.ServiceSpec{
		Selector: map[string]string{"app": "demo"}, Ports: []corev1.ServicePort{{Port: 8080}},
	}}
	if _, err := c.CoreV1().Services(namespace).Create(t.Context(), service, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, soon, func() error {
		got, err := c.CoreV1().Endpoints(namespace).Get(t.Context(), "demo", metav1.GetOptions{})
		if err != nil {
			return err
		}
		if len(got.Subsets) != 1 || len(got.Subsets[0].Addresses) != 2 {
			return fmt.Errorf("subsets %+v", got.Subsets)
		}
		return nil
	})
}

// expectBudget expects that an eviction is refused if the budget does not allow it, and only
// then.
func expectBudget(t *testing.T, c kubernetes.Interface, namespace string) {
	create(t, c, namespace, deployment("demo", image(), 2))
	awaitReady(t, c, namespace, "demo", 2)
	budget := &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Name: "demo"}, Spec: policyv1.PodDisruptionBudgetSpec{
		MinAvailable: new(intstr.FromInt32(2)), Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "demo"}},
	}}
	budgets := c.PolicyV1().PodDisruptionBudgets(namespace)
	if _, err := budgets.Create(t.Context(), budget, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	awaitAllowed := func(allowed int32) {
		t.Helper()
		eventually(t, soon, func() error {
			b, err := budgets.Get(t.Context(), "demo", metav1.GetOptions{})
			if err != nil {
				return err
			}
			if b.Status.ObservedGeneration != b.Generation || b.Status.CurrentHealthy != 2 || b.Status.DisruptionsAllowed != allowed {
				return fmt.Errorf("status %+v, want %d allowed", b.Status, allowed)
			}
			return nil
		})
	}
	awaitAllowed(0)
	victim := podNames(t, c, namespace, "demo")[0]
	eviction := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: victim}}
	if err := c.PolicyV1().Evictions(namespace).Evict(t.Context(), eviction); !apierrors.IsTooManyRequests(err) {
		t.Errorf("evicting a Pod that has to stay: %v, want TooManyRequests", err)
	}
	patch := []byte(`{"spec": {"minAvailable": 1}}`)
	if _, err := budgets.Patch(t.Context(), "demo", types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	awaitAllowed(1)
	if err := c.PolicyV1().Evictions(namespace).Evict(t.Context(), eviction); err != nil {
		t.Errorf("evicting a Pod that may go: %v", err)
	}
	awaitNone(t, func() (*corev1.Pod, error) {
		return c.CoreV1().Pods(namespace).Get(t.Context(), victim, metav1.GetOptions{})
	})
	awaitReady(t, c, namespace, "demo", 2)
}

// expectScaling expects that a Deployment grows and shrinks with the CPU that its Pods use.
func expectScaling(t *testing.T, c kubernetes.Interface, namespace string) {
	d := deployment("demo", image(), 1)
	d.Spec.Template.Annotations = map[string]string{metrics.CPUAnnotation: "100m"}
	d.Spec.Template.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("100m")}
	create(t, c, namespace, d)
	awaitReady(t, c, namespace, "demo", 1)
	scaler := &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: metav1.ObjectMeta{Name: "demo"}, Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
		ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "demo"},
		MinReplicas:    new(int32(1)), MaxReplicas: 3,
		Metrics: []autoscalingv2.MetricSpec{{Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricSource{
			Name:   corev1.ResourceCPU,
			Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: new(int32(50))},
		}}},
		// By default it waits 5 minutes before it makes anything smaller.
		Behavior: &autoscalingv2.HorizontalPodAutoscalerBehavior{ScaleDown: &autoscalingv2.HPAScalingRules{StabilizationWindowSeconds: new(int32(0))}},
	}}
	if _, err := c.AutoscalingV2().HorizontalPodAutoscalers(namespace).Create(t.Context(), scaler, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	awaitReplicas := func(want int32) {
		t.Helper()
		eventually(t, soon, func() error {
			d, err := c.AppsV1().Deployments(namespace).Get(t.Context(), "demo", metav1.GetOptions{})
			if err != nil {
				return err
			}
			if d.Status.ReadyReplicas != want || d.Status.Replicas != want {
				s, err := c.AutoscalingV2().HorizontalPodAutoscalers(namespace).Get(t.Context(), "demo", metav1.GetOptions{})
				return fmt.Errorf("%d replicas, want %d; the autoscaler says %+v (%w)", d.Status.Replicas, want, s.Status, err)
			}
			return nil
		})
	}
	awaitReplicas(3)
	patch := []byte(`{"metadata": {"annotations": {"reconform.dev/cpu": "1m"}}}`)
	for _, name := range podNames(t, c, namespace, "demo") {
		if _, err := c.CoreV1().Pods(namespace).Patch(t.Context(), name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	awaitReplicas(1)
}
