package webapp

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/controller/api/v1beta1"
)

// demo returns a WebApp as the API server hands it out.
func demo() *v1beta1.WebApp {
	return &v1beta1.WebApp{
		ObjectMeta: metav1.ObjectMeta{Name: "demo", Namespace: "test", UID: "demo-uid", Generation: 1},
		Spec: v1beta1.WebAppSpec{
			Image:    "nginx:1",
			Replicas: 2,
			Port:     8080,
			Env:      map[string]string{"B": "2", "A": "1"},
		},
	}
}

// liveDeployment returns demo's Deployment with the API server's defaults and a
// stranger's additions.
func liveDeployment() *appsv1.Deployment {
	var d appsv1.Deployment
	shapeDeployment(&d, demo(), configState{})
	d.Annotations = map[string]string{"deployment.kubernetes.io/revision": "1"}
	d.Labels["team"] = "blue"
	d.Spec.RevisionHistoryLimit = new(int32(10))
	d.Spec.Template.Annotations = map[string]string{"kubectl.kubernetes.io/restartedAt": "now"}
	pod := &d.Spec.Template.Spec
	pod.TerminationGracePeriodSeconds = new(int64(7))
	pod.Containers[0].ImagePullPolicy = corev1.PullIfNotPresent
	pod.Containers[0].Resources.Limits = corev1.ResourceList{}
	pod.Containers = append([]corev1.Container{{Name: "sidecar", Image: "envoy"}}, pod.Containers...)
	return &d
}

func TestShapeDeploymentFromNothing(t *testing.T) {
	app := demo()
	app.Spec.ConfigMapRef = &v1beta1.ConfigMapReference{Name: "settings"}
	labels := map[string]string{"app": "demo", "app.kubernetes.io/managed-by": "webapp-controller"}
	want := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Labels: labels},
		Spec: appsv1.DeploymentSpec{
			Replicas: new(int32(2)),
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "demo"}},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{
					Labels:      labels,
					Annotations: map[string]string{"apps.kubedojo.io/config-digest": "cafe"},
				},
				Spec: corev1.PodSpec{Containers: []corev1.Container{{
					Name:  "app",
					Image: "nginx:1",
					Ports: []corev1.ContainerPort{{Name: "http", ContainerPort: 8080, Protocol: "TCP"}},
					Env:   []corev1.EnvVar{{Name: "A", Value: "1"}, {Name: "B", Value: "2"}},
					EnvFrom: []corev1.EnvFromSource{{ConfigMapRef: &corev1.ConfigMapEnvSource{
						LocalObjectReference: corev1.LocalObjectReference{Name: "settings"},
					}}},
				}}},
			},
		},
	}
	got := &appsv1.Deployment{}
	shapeDeployment(got, app, configState{found: true, digest: "cafe"})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Deployment differs (-want +got):\n%s", diff)
	}
}

func TestShapeDeploymentUndoesDrift(t *testing.T) {
	app := func(d *appsv1.Deployment) *corev1.Container { return &d.Spec.Template.Spec.Containers[1] }
	tests := map[string]struct {
		drift func(*appsv1.Deployment)
		want  changes
	}{
		"none":     {func(*appsv1.Deployment) {}, nil},
		"replicas": {func(d *appsv1.Deployment) { d.Spec.Replicas = new(int32(0)) }, changes{"replicas"}},
		"image":    {func(d *appsv1.Deployment) { app(d).Image = "evil" }, changes{"image"}},
		"labels":   {func(d *appsv1.Deployment) { delete(d.Labels, "app") }, changes{"labels"}},
		"pod labels": {func(d *appsv1.Deployment) {
			d.Spec.Template.Labels["app.kubernetes.io/managed-by"] = "me"
		}, changes{"pod labels"}},
		"port renumbered": {func(d *appsv1.Deployment) { app(d).Ports[0].ContainerPort = 9090 }, changes{"container port"}},
		"port added": {func(d *appsv1.Deployment) {
			app(d).Ports = append(app(d).Ports, corev1.ContainerPort{ContainerPort: 9090, Protocol: "TCP"})
		}, changes{"container port"}},
		"variable changed": {func(d *appsv1.Deployment) { app(d).Env[0].Value = "0" }, changes{"env"}},
		"variable from elsewhere": {func(d *appsv1.Deployment) {
			app(d).Env[0] = corev1.EnvVar{Name: "A", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.name"}}}
		}, changes{"env"}},
		"variable added": {func(d *appsv1.Deployment) {
			app(d).Env = append(app(d).Env, corev1.EnvVar{Name: "C"})
		}, changes{"env"}},
		"environment added": {func(d *appsv1.Deployment) {
			app(d).EnvFrom = []corev1.EnvFromSource{{Prefix: "X"}}
		}, changes{"env from"}},
		"digest left over": {func(d *appsv1.Deployment) {
			d.Spec.Template.Annotations[annotationConfig] = "cafe"
		}, changes{"config digest"}},
		"two at once": {func(d *appsv1.Deployment) {
			d.Spec.Replicas = new(int32(9))
			app(d).Image = "evil"
		}, changes{"replicas", "image"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			d := liveDeployment()
			tc.drift(d)
			if diff := cmp.Diff(tc.want, shapeDeployment(d, demo(), configState{})); diff != "" {
				t.Errorf("changes differ (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(liveDeployment(), d); diff != "" {
				t.Errorf("Deployment differs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestShapeDeploymentFollowsTheSpec(t *testing.T) {
	tests := map[string]struct {
		edit func(*v1beta1.WebApp)
		want changes
	}{
		"image":            {func(a *v1beta1.WebApp) { a.Spec.Image = "nginx:2" }, changes{"image"}},
		"replicas":         {func(a *v1beta1.WebApp) { a.Spec.Replicas = 5 }, changes{"replicas"}},
		"port":             {func(a *v1beta1.WebApp) { a.Spec.Port = 81 }, changes{"container port"}},
		"variable removed": {func(a *v1beta1.WebApp) { delete(a.Spec.Env, "A") }, changes{"env"}},
		"all removed":      {func(a *v1beta1.WebApp) { a.Spec.Env = nil }, changes{"env"}},
		"missing ConfigMap": {func(a *v1beta1.WebApp) {
			a.Spec.ConfigMapRef = &v1beta1.ConfigMapReference{Name: "settings"}
		}, changes{"env from"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			a, d := demo(), liveDeployment()
			tc.edit(a)
			if diff := cmp.Diff(tc.want, shapeDeployment(d, a, configState{})); diff != "" {
				t.Errorf("changes differ (-want +got):\n%s", diff)
			}
			if again := shapeDeployment(d, a, configState{}); len(again) > 0 {
				t.Errorf("changed again: %s", again)
			}
		})
	}
}

func TestMissingConfigMapRollsNothing(t *testing.T) {
	app, d := demo(), liveDeployment()
	app.Spec.ConfigMapRef = &v1beta1.ConfigMapReference{Name: "settings"}
	shapeDeployment(d, app, configState{found: true, digest: "cafe"})
	if c := shapeDeployment(d, app, configState{}); len(c) > 0 {
		t.Errorf("changed %s for a ConfigMap that went missing", c)
	}
}

func TestDigestOf(t *testing.T) {
	digest := func(cm corev1.ConfigMap) string {
		t.Helper()
		d, err := digestOf(&cm)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	base := digest(corev1.ConfigMap{Data: map[string]string{"a": "1", "b": "2"}})
	for name, tc := range map[string]struct {
		cm   corev1.ConfigMap
		same bool
	}{
		"metadata":    {corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{ResourceVersion: "9"}, Data: map[string]string{"b": "2", "a": "1"}}, true},
		"other value": {corev1.ConfigMap{Data: map[string]string{"a": "1", "b": "3"}}, false},
		"other key":   {corev1.ConfigMap{Data: map[string]string{"a": "1", "c": "2"}}, false},
		"binary":      {corev1.ConfigMap{BinaryData: map[string][]byte{"a": []byte("1"), "b": []byte("2")}}, false},
	} {
		if got := digest(tc.cm); (got == base) != tc.same {
			t.Errorf("%s: digest %s, base %s, want same: %t", name, got, base, tc.same)
		}
	}
}
