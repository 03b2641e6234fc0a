package incluster

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
	"k8s.io/utils/ptr"
)

// shipped is a Deployment with what authors have in theirs.
func shipped() *appsv1.Deployment {
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "manager", Namespace: "system", Labels: map[string]string{"app": "m"}},
		Spec: appsv1.DeploymentSpec{
			Replicas: ptr.To[int32](3),
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "m"}},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "m"}},
				Spec: corev1.PodSpec{
					ServiceAccountName: "manager",
					SecurityContext:    &corev1.PodSecurityContext{RunAsNonRoot: ptr.To(true)},
					InitContainers:     []corev1.Container{{Name: "first", Image: "first:v1"}},
					Containers: []corev1.Container{
						{Name: "sidecar", Image: "sidecar:v1"},
						{
							Name: "manager", Image: "manager:v1", Args: []string{"--leader-elect"},
							Env:          []corev1.EnvVar{{Name: "WATCH", Value: "all"}, {Name: "KUBERNETES_SERVICE_HOST", Value: "elsewhere"}},
							VolumeMounts: []corev1.VolumeMount{{Name: "own", MountPath: accountFolder}},
						},
					},
				},
			},
		},
	}
}

func spec() *Spec {
	return &Spec{
		Name: "subject-0", Namespace: "home", ServiceAccount: "subject", Deployment: shipped(), Container: "manager", Image: "manager:v2",
		Args: []string{"--leader-elect=false"}, Env: map[string]string{"WATCH": "one"}, RelayImage: "relay:v1",
		Host: "127.96.0.1", Port: "443", HostNames: []string{"kubernetes.default.svc"},
	}
}

func TestDeploymentOfAReplica(t *testing.T) {
	got := spec().deployment()
	if got.Name != "subject-0" || got.Namespace != "home" || *got.Spec.Replicas != 1 {
		t.Errorf("%s/%s with %d Pods", got.Namespace, got.Name, *got.Spec.Replicas)
	}
	selector, err := metav1.LabelSelectorAsMap(got.Spec.Selector)
	if err != nil || selector[LabelReplica] != got.Spec.Template.Labels[LabelReplica] || got.Spec.Template.Labels["app"] != "m" {
		t.Errorf("selector %v of a Pod with %v: %v", selector, got.Spec.Template.Labels, err)
	}
	pod := got.Spec.Template.Spec
	if pod.ServiceAccountName != "subject" || *pod.AutomountServiceAccountToken {
		t.Errorf("account %s, mounted by the cluster: %v", pod.ServiceAccountName, *pod.AutomountServiceAccountToken)
	}
	if !*pod.SecurityContext.RunAsNonRoot {
		t.Error("the author's security context is lost")
	}
	var names []string
	for _, c := range append(pod.InitContainers, pod.Containers...) {
		names = append(names, c.Name)
		if c.Name == relayName {
			continue
		}
		env := map[string]string{}
		for _, e := range c.Env {
			env[e.Name] = e.Value
		}
		if env["KUBERNETES_SERVICE_HOST"] != "127.96.0.1" || env["KUBERNETES_SERVICE_PORT"] != "443" {
			t.Errorf("container %s finds its API server by %v", c.Name, env)
		}
		if len(c.VolumeMounts) != 1 || c.VolumeMounts[0].Name != accountVolume {
			t.Errorf("container %s has mounts %v", c.Name, c.VolumeMounts)
		}
	}
	if diff := cmp.Diff([]string{relayName, "first", "sidecar", "manager"}, names); diff != "" {
		t.Errorf("containers (-want +got):\n%s", diff)
	}
	manager := pod.Containers[1]
	if diff := cmp.Diff([]string{"--leader-elect", "--leader-elect=false"}, manager.Args); diff != "" || manager.Image != "manager:v2" {
		t.Errorf("image %s, arguments (-want +got):\n%s", manager.Image, diff)
	}
	if sidecar := pod.Containers[0]; sidecar.Image != "sidecar:v1" || len(sidecar.Args) > 0 {
		t.Errorf("the other container is changed: %+v", sidecar)
	}
	if diff := cmp.Diff(shipped(), spec().Deployment); diff != "" {
		t.Errorf("the author's Deployment is changed:\n%s", diff)
	}
}

// What the bench adds keeps the restricted Pod Security Standard: an author's Pod that
// keeps it runs in a namespace that asks for it.
func TestRelayIsRestricted(t *testing.T) {
	pod := corev1.PodSpec{Containers: []corev1.Container{{Name: "manager", Image: "manager:v1", SecurityContext: restricted()}}}
	s := spec()
	s.Deployment.Spec.Template.Spec = pod
	built := s.deployment().Spec.Template
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	level := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
	for _, result := range evaluator.EvaluatePod(level, &built.ObjectMeta, &built.Spec) {
		if !result.Allowed {
			t.Errorf("%s: %s", result.ForbiddenReason, result.ForbiddenDetail)
		}
	}
}
