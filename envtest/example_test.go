package envtest_test

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	crenvtest "sigs.k8s.io/controller-runtime/pkg/envtest"

	"reconform.dev/reconform/envtest"
)

// What controller-runtime's envtest does not do: a Deployment gets Pods, they become
// ready, and what is deleted takes along what it owns.
func Example() {
	ctx := context.Background()
	cp, err := envtest.Start(ctx, envtest.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer cp.Stop(ctx)
	c, err := kubernetes.NewForConfig(cp.Config())
	if err != nil {
		fmt.Println(err)
		return
	}

	deployments, pods := c.AppsV1().Deployments("default"), c.CoreV1().Pods("default")
	if _, err := deployments.Create(ctx, hello(), metav1.CreateOptions{}); err != nil {
		fmt.Println(err)
		return
	}
	err = wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		d, err := deployments.Get(ctx, "hello", metav1.GetOptions{})
		return err == nil && d.Status.ReadyReplicas == 2, err
	})
	fmt.Println("2 Pods are ready:", err == nil)

	if err := deployments.Delete(ctx, "hello", metav1.DeleteOptions{}); err != nil {
		fmt.Println(err)
		return
	}
	err = wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		left, err := pods.List(ctx, metav1.ListOptions{})
		return err == nil && len(left.Items) == 0, err
	})
	fmt.Println("they went with their Deployment:", err == nil)
	// Output:
	// 2 Pods are ready: true
	// they went with their Deployment: true
}

func hello() *appsv1.Deployment {
	labels := map[string]string{"app": "hello"}
	replicas := int32(2)
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "hello"},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "registry.example/hello:v1"}}},
			},
		},
	}
}

// A suite that has an Environment of controller-runtime's envtest keeps it, with its
// CRDs and webhooks, and runs it on this control plane.
func ExampleControlPlane_Config() {
	ctx := context.Background()
	cp, err := envtest.Start(ctx, envtest.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer cp.Stop(ctx)

	existing := true
	environment := &crenvtest.Environment{
		UseExistingCluster: &existing,
		Config:             cp.Config(),
		CRDDirectoryPaths:  []string{"testdata"},
	}
	config, err := environment.Start()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer environment.Stop()
	fmt.Println("the same cluster:", config.Host == cp.Config().Host)
	// Output: the same cluster: true
}
