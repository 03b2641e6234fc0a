package envtest

import (
	"errors"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"
)

// TestDevices: a Pod with a resource claim gets a device that somebody offers, and is where
// the device is. The next Pod waits until the device is free.
func TestDevices(t *testing.T) {
	t.Parallel()
	c, namespace := client(t)
	api, driver := c.ResourceV1(), namespace+".example.com"
	if _, err := api.DeviceClasses().Create(t.Context(), &resourcev1.DeviceClass{
		ObjectMeta: metav1.ObjectMeta{Name: driver},
		Spec: resourcev1.DeviceClassSpec{Selectors: []resourcev1.DeviceSelector{{
			CEL: &resourcev1.CELDeviceSelector{Expression: fmt.Sprintf("device.driver == %q", driver)},
		}}},
	}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := api.ResourceSlices().Create(t.Context(), &resourcev1.ResourceSlice{
		ObjectMeta: metav1.ObjectMeta{Name: driver},
		Spec: resourcev1.ResourceSliceSpec{
			Driver: driver, NodeName: ptr.To("node-1"), Pool: resourcev1.ResourcePool{Name: "node-1", ResourceSliceCount: 1},
			Devices: []resourcev1.Device{{Name: "the-only-one"}},
		},
	}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	template := &resourcev1.ResourceClaimTemplate{ObjectMeta: metav1.ObjectMeta{Name: "one"}}
	template.Spec.Spec.Devices.Requests = []resourcev1.DeviceRequest{{Name: "device", Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: driver}}}
	if _, err := api.ResourceClaimTemplates(namespace).Create(t.Context(), template, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"first", "second"} {
		user := pod(corev1.RestartPolicyAlways, "example/app:1", nil)
		user.Name, user.Spec.ResourceClaims = name, []corev1.PodResourceClaim{{Name: "device", ResourceClaimTemplateName: ptr.To("one")}}
		user.Spec.Containers[0].Resources.Claims = []corev1.ResourceClaim{{Name: "device"}}
		createPod(t, c, namespace, user)
		if name == "first" {
			awaitPod(t, c, namespace, name)
		}
	}
	awaitUnschedulable(t, c, namespace, "cannot allocate all claims")
	first, err := c.CoreV1().Pods(namespace).Get(t.Context(), "first", metav1.GetOptions{})
	if err != nil || first.Spec.NodeName != "node-1" || len(first.Status.ResourceClaimStatuses) != 1 {
		t.Errorf("the Pod that has the device: on %s, %+v, %v", first.Spec.NodeName, first.Status, err)
	}
	deletePod(t, c, namespace, "first")
	awaitPod(t, c, namespace, "second")
	deletePod(t, c, namespace, "second")
	eventually(t, soon, func() error {
		claims, err := api.ResourceClaims(namespace).List(t.Context(), metav1.ListOptions{})
		if err == nil && len(claims.Items) > 0 {
			err = fmt.Errorf("claims of Pods that are gone: %+v", claims.Items)
		}
		return err
	})
}

// TestPreemption: a Pod takes the place of one that is less important.
func TestPreemption(t *testing.T) {
	t.Parallel()
	n := newNodeCase(t) // it has room for one Pod with all of its CPUs
	if _, err := n.c.SchedulingV1().PriorityClasses().Create(t.Context(), &schedulingv1.PriorityClass{
		ObjectMeta: metav1.ObjectMeta{Name: n.namespace}, Value: 1000,
	}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	all := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("15k")}
	for _, class := range []string{"", n.namespace} {
		heavy := pod(corev1.RestartPolicyAlways, "example/app:1", nil)
		heavy.Name, heavy.Spec.PriorityClassName = "heavy"+class, class
		heavy.Spec.NodeSelector = map[string]string{corev1.LabelHostname: n.node}
		heavy.Spec.Tolerations = []corev1.Toleration{{Key: n.node, Operator: corev1.TolerationOpExists}}
		heavy.Spec.Containers[0].Resources.Requests = all
		createPod(t, n.c, n.namespace, heavy)
		awaitPod(t, n.c, n.namespace, heavy.Name)
	}
	awaitNone(t, func() (*corev1.Pod, error) {
		return n.c.CoreV1().Pods(n.namespace).Get(t.Context(), "heavy", metav1.GetOptions{})
	})
	awaitReady(t, n.c, n.namespace, "demo", 1)
	if events, err := n.c.CoreV1().Events(n.namespace).List(t.Context(), metav1.ListOptions{FieldSelector: "involvedObject.name=heavy,reason=Preempted"}); err != nil || len(events.Items) == 0 {
		t.Error(errors.Join(err, errors.New("no Event says that the Pod was preempted")))
	}
}

func deletePod(t *testing.T, c kubernetes.Interface, namespace, name string) {
	t.Helper()
	if err := c.CoreV1().Pods(namespace).Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
}
