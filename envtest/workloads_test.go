package envtest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
)

// soon bounds what takes well below a second on an idle machine.
const soon = 20 * time.Second

func deployment(name, image string, replicas int32) *appsv1.Deployment {
	labels := map[string]string{"app": name}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: image, Ports: []corev1.ContainerPort{{ContainerPort: 8080}}}}},
			},
		},
	}
}

func create(t *testing.T, c kubernetes.Interface, namespace string, d *appsv1.Deployment) {
	t.Helper()
	if _, err := c.AppsV1().Deployments(namespace).Create(t.Context(), d, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// awaitReady waits until exactly this many replicas of the Deployment are ready.
func awaitReady(t *testing.T, c kubernetes.Interface, namespace, name string, ready int32) {
	t.Helper()
	awaitReadyWithin(t, soon, c, namespace, name, ready)
}

func awaitReadyWithin(t *testing.T, limit time.Duration, c kubernetes.Interface, namespace, name string, ready int32) {
	t.Helper()
	began := time.Now()
	eventually(t, limit, func() error {
		d, err := c.AppsV1().Deployments(namespace).Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if d.Status.ObservedGeneration != d.Generation || d.Status.Replicas != *d.Spec.Replicas || d.Status.ReadyReplicas != ready {
			return fmt.Errorf("status %+v", d.Status)
		}
		return nil
	})
	t.Logf("%d of the replicas ready after %v", ready, time.Since(began).Round(time.Millisecond))
}

// awaitCounts waits until the namespace holds this many ReplicaSets and Pods.
func awaitCounts(t *testing.T, c kubernetes.Interface, namespace string, replicaSets, pods int) {
	t.Helper()
	began := time.Now()
	eventually(t, soon, func() error {
		rs, err := c.AppsV1().ReplicaSets(namespace).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		ps, err := c.CoreV1().Pods(namespace).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		if len(rs.Items) != replicaSets || len(ps.Items) != pods {
			return fmt.Errorf("%d ReplicaSets, %d Pods; want %d, %d", len(rs.Items), len(ps.Items), replicaSets, pods)
		}
		return nil
	})
	t.Logf("%d ReplicaSets, %d Pods after %v", replicaSets, pods, time.Since(began).Round(time.Millisecond))
}

func TestDeletion(t *testing.T) {
	t.Parallel()
	tests := []struct {
		policy                metav1.DeletionPropagation
		wantReplicaSets, pods int
	}{
		{metav1.DeletePropagationBackground, 0, 0},
		{metav1.DeletePropagationForeground, 0, 0},
		{metav1.DeletePropagationOrphan, 1, 3},
	}
	for _, tt := range tests {
		t.Run(string(tt.policy), func(t *testing.T) {
			t.Parallel()
			c, namespace := client(t)
			create(t, c, namespace, deployment("demo", "example/app:1", 3))
			awaitReady(t, c, namespace, "demo", 3)
			if err := c.AppsV1().Deployments(namespace).Delete(t.Context(), "demo", metav1.DeleteOptions{PropagationPolicy: &tt.policy}); err != nil {
				t.Fatal(err)
			}
			eventually(t, soon, func() error {
				_, err := c.AppsV1().Deployments(namespace).Get(t.Context(), "demo", metav1.GetOptions{})
				if !apierrors.IsNotFound(err) {
					return fmt.Errorf("the Deployment still exists (%v)", err)
				}
				return nil
			})
			awaitCounts(t, c, namespace, tt.wantReplicaSets, tt.pods)
			if tt.policy != metav1.DeletePropagationOrphan {
				return
			}
			sets, err := c.AppsV1().ReplicaSets(namespace).List(t.Context(), metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if owners := sets.Items[0].OwnerReferences; len(owners) > 0 {
				t.Errorf("the orphan has owners %v", owners)
			}
		})
	}
}

func TestNamespaceGoesAway(t *testing.T) {
	t.Parallel()
	c, namespace := client(t)
	create(t, c, namespace, deployment("demo", "example/app:1", 1))
	awaitReady(t, c, namespace, "demo", 1)
	if err := c.CoreV1().Namespaces().Delete(t.Context(), namespace, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, 2*soon, func() error {
		n, err := c.CoreV1().Namespaces().Get(t.Context(), namespace, metav1.GetOptions{})
		if !apierrors.IsNotFound(err) {
			return fmt.Errorf("the namespace still exists: %v (%v)", n.Status, err)
		}
		return nil
	})
}

func TestEndpointSlicesFill(t *testing.T) {
	t.Parallel()
	c, namespace := client(t)
	create(t, c, namespace, deployment("demo", "example/app:1", 3))
	service := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "demo"},
		Spec:       corev1.ServiceSpec{Selector: map[string]string{"app": "demo"}, Ports: []corev1.ServicePort{{Port: 8080}}},
	}
	service, err := c.CoreV1().Services(namespace).Create(t.Context(), service, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if service.Spec.ClusterIP == "" {
		t.Error("the Service has no cluster IP")
	}
	eventually(t, soon, func() error {
		slices, err := c.DiscoveryV1().EndpointSlices(namespace).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		addresses := map[string]bool{}
		for _, slice := range slices.Items {
			for _, endpoint := range slice.Endpoints {
				if ptr.Deref(endpoint.Conditions.Ready, false) {
					addresses[endpoint.Addresses[0]] = true
				}
			}
		}
		if len(addresses) != 3 {
			return fmt.Errorf("ready addresses: %v", addresses)
		}
		return nil
	})
}

func TestReadinessIsWithheld(t *testing.T) {
	t.Parallel()
	c, namespace := client(t)
	create(t, c, namespace, deployment("tagged", "example/app:never-ready", 1))
	annotated := deployment("annotated", "example/app:1", 2)
	annotated.Spec.Template.Annotations = map[string]string{"reconform.dev/ready": "false"}
	create(t, c, namespace, annotated)
	annotate := func(selector, ready string) {
		t.Helper()
		pods, err := c.CoreV1().Pods(namespace).List(t.Context(), metav1.ListOptions{LabelSelector: selector})
		if err != nil {
			t.Fatal(err)
		}
		patch := fmt.Appendf(nil, `{"metadata":{"annotations":{"reconform.dev/ready":%q}}}`, ready)
		pod := pods.Items[0].Name // one of them, the others stay as they are
		if _, err := c.CoreV1().Pods(namespace).Patch(t.Context(), pod, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	// A Pod that runs and is not ready has been handled by kwok, which does so only
	// once.
	eventually(t, soon, func() error {
		pods, err := c.CoreV1().Pods(namespace).List(t.Context(), metav1.ListOptions{FieldSelector: "status.phase=Running"})
		if err != nil {
			return err
		}
		if len(pods.Items) != 3 {
			return fmt.Errorf("%d Pods run, want 3", len(pods.Items))
		}
		return nil
	})
	awaitReady(t, c, namespace, "tagged", 0)
	awaitReady(t, c, namespace, "annotated", 0)
	annotate("app=tagged", "true")
	awaitReady(t, c, namespace, "tagged", 1)
	annotate("app=annotated", "true")
	awaitReady(t, c, namespace, "annotated", 1)
	annotate("app=tagged", "false")
	awaitReady(t, c, namespace, "tagged", 0)
}

func job(image string, annotations map[string]string) *batchv1.Job {
	return &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "demo"}, Spec: batchv1.JobSpec{
		BackoffLimit: new(int32(0)),
		Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Annotations: annotations},
			Spec: corev1.PodSpec{
				RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "app", Image: image}},
			},
		},
	}}
}

func TestJobEnds(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		job *batchv1.Job
		// then is the value that the annotation of its Pod gets once that runs.
		then string
		want batchv1.JobConditionType
	}{
		"it completes":       {job: job("example/job:1", nil), want: batchv1.JobComplete},
		"it fails, tagged":   {job: job("example/job:fails", nil), want: batchv1.JobFailed},
		"it fails, by order": {job: job("example/job:1", map[string]string{"reconform.dev/ends": "Failed"}), want: batchv1.JobFailed},
		"it runs on, then fails": {
			job:  job("example/job:fails", map[string]string{"reconform.dev/ends": "Never"}),
			then: "Failed", want: batchv1.JobFailed,
		},
		"it runs on, then completes": {
			job:  job("example/job:1", map[string]string{"reconform.dev/ends": "Never"}),
			then: "Succeeded", want: batchv1.JobComplete,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, namespace := client(t)
			if _, err := c.BatchV1().Jobs(namespace).Create(t.Context(), tt.job, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			if tt.then != "" {
				pod := awaitRunning(t, c, namespace)
				patch := fmt.Appendf(nil, `{"metadata":{"annotations":{"reconform.dev/ends":%q}}}`, tt.then)
				if _, err := c.CoreV1().Pods(namespace).Patch(t.Context(), pod, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			eventually(t, soon, func() error {
				job, err := c.BatchV1().Jobs(namespace).Get(t.Context(), "demo", metav1.GetOptions{})
				if err != nil {
					return err
				}
				for _, condition := range job.Status.Conditions {
					if condition.Type == tt.want && condition.Status == corev1.ConditionTrue {
						return nil
					}
				}
				return fmt.Errorf("status %+v, want the condition %s", job.Status, tt.want)
			})
		})
	}
}

// awaitRunning returns the name of the one Pod of a namespace, once the Job controller
// counts it as ready: its containers run, and none has ended.
func awaitRunning(t *testing.T, c kubernetes.Interface, namespace string) string {
	t.Helper()
	eventually(t, soon, func() error {
		job, err := c.BatchV1().Jobs(namespace).Get(t.Context(), "demo", metav1.GetOptions{})
		if err != nil {
			return err
		}
		if ptr.Deref(job.Status.Ready, 0) != 1 {
			return fmt.Errorf("status %+v", job.Status)
		}
		return nil
	})
	pods, err := c.CoreV1().Pods(namespace).List(t.Context(), metav1.ListOptions{})
	if err != nil || len(pods.Items) != 1 {
		t.Fatalf("%d Pods, %v", len(pods.Items), err)
	}
	return pods.Items[0].Name
}

func TestQuotaRefuses(t *testing.T) {
	t.Parallel()
	c, namespace := client(t)
	quota := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: "none"}, Spec: corev1.ResourceQuotaSpec{
		Hard: corev1.ResourceList{"count/deployments.apps": resource.MustParse("0")},
	}}
	if _, err := c.CoreV1().ResourceQuotas(namespace).Create(t.Context(), quota, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	// The admission plugin sees the quota by a watch of its own.
	eventually(t, soon, func() error {
		_, err := c.AppsV1().Deployments(namespace).Create(t.Context(), deployment("demo", "example/app:1", 1), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if !apierrors.IsForbidden(err) {
			return fmt.Errorf("a Deployment beyond the quota: %v, want Forbidden", err)
		}
		return nil
	})
	eventually(t, soon, func() error {
		quota, err := c.CoreV1().ResourceQuotas(namespace).Get(t.Context(), "none", metav1.GetOptions{})
		if err != nil {
			return err
		}
		if len(quota.Status.Hard) == 0 {
			return errors.New("the quota has no status")
		}
		return nil
	})
}

func TestServiceAccountTokensAndRBAC(t *testing.T) {
	t.Parallel()
	c, namespace := client(t)
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "subject"}}
	if _, err := c.CoreV1().ServiceAccounts(namespace).Create(t.Context(), account, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	token, err := c.CoreV1().ServiceAccounts(namespace).CreateToken(t.Context(), "subject", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	config := rest.AnonymousClientConfig(sharedControlPlane(t).Config())
	config.BearerToken = token.Status.Token
	as, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	review, err := as.AuthenticationV1().SelfSubjectReviews().Create(t.Context(), &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := review.Status.UserInfo.Username, "system:serviceaccount:"+namespace+":subject"; got != want {
		t.Errorf("the token is that of %q, want %q", got, want)
	}
	if _, err := as.CoreV1().Pods(namespace).List(t.Context(), metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("list Pods without a role: %v, want Forbidden", err)
	}

	user, err := sharedControlPlane(t).AddUser("somebody", "group")
	if err != nil {
		t.Fatal(err)
	}
	asUser, err := kubernetes.NewForConfig(user)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := asUser.CoreV1().Pods(namespace).List(t.Context(), metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("list Pods as a user without a role: %v, want Forbidden", err)
	}
}

func TestGarbageCollectorKnowsInstalledCRDs(t *testing.T) {
	t.Parallel()
	c, namespace := client(t)
	dyn, err := dynamic.NewForConfig(sharedControlPlane(t).Config())
	if err != nil {
		t.Fatal(err)
	}
	widgets := dyn.Resource(schema.GroupVersionResource{Group: "test.reconform.dev", Version: "v1", Resource: "widgets"}).Namespace(namespace)
	owner, err := widgets.Create(t.Context(), &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "test.reconform.dev/v1", "kind": "Widget", "metadata": map[string]any{"name": "owner"},
	}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	owned := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "owned", OwnerReferences: []metav1.OwnerReference{
		{APIVersion: "test.reconform.dev/v1", Kind: "Widget", Name: "owner", UID: owner.GetUID()},
	}}}
	if _, err := c.CoreV1().ConfigMaps(namespace).Create(t.Context(), owned, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := widgets.Delete(t.Context(), "owner", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, soon, func() error {
		_, err := c.CoreV1().ConfigMaps(namespace).Get(t.Context(), "owned", metav1.GetOptions{})
		if !apierrors.IsNotFound(err) {
			return fmt.Errorf("the owned ConfigMap still exists (%v)", err)
		}
		return nil
	})
}

func TestRoomForManyPods(t *testing.T) {
	t.Parallel()
	c, namespace := client(t)
	// More Pods than a /24 has addresses and than a Node usually takes, with requests.
	d := deployment("many", "example/app:1", 300)
	d.Spec.Template.Spec.Containers[0].Resources.Requests = corev1.ResourceList{"cpu": resource.MustParse("1"), "memory": resource.MustParse("1Gi")}
	create(t, c, namespace, d)
	awaitReadyWithin(t, 3*soon, c, namespace, "many", 300) // on a busy machine, they are not all ready soon
}
