package webapp

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// liveService returns demo's Service as the API server hands it out, made a
// node port by its user.
func liveService() *corev1.Service {
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{
			Name: "demo", Namespace: "test",
			Labels: map[string]string{"app": "demo", "app.kubernetes.io/managed-by": "webapp-controller", "team": "blue"},
		},
		Spec: corev1.ServiceSpec{
			Type:      corev1.ServiceTypeNodePort,
			ClusterIP: "10.0.0.1",
			Selector:  map[string]string{"app": "demo"},
			Ports: []corev1.ServicePort{{
				Name: "http", Protocol: "TCP", Port: 8080, TargetPort: intstr.FromInt32(8080), NodePort: 30000,
			}},
		},
	}
}

func TestShapeServiceFromNothing(t *testing.T) {
	want := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "demo", "app.kubernetes.io/managed-by": "webapp-controller"}},
		Spec: corev1.ServiceSpec{
			Selector: map[string]string{"app": "demo"},
			Ports:    []corev1.ServicePort{{Name: "http", Protocol: "TCP", Port: 8080, TargetPort: intstr.FromInt32(8080)}},
		},
	}
	got := &corev1.Service{}
	shapeService(got, demo())
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Service differs (-want +got):\n%s", diff)
	}
}

func TestShapeServiceUndoesDrift(t *testing.T) {
	tests := map[string]struct {
		drift func(*corev1.Service)
		want  changes
	}{
		"none":             {func(*corev1.Service) {}, nil},
		"labels":           {func(s *corev1.Service) { s.Labels["app"] = "x" }, changes{"labels"}},
		"selector changed": {func(s *corev1.Service) { s.Spec.Selector["app"] = "x" }, changes{"selector"}},
		"selector widened": {func(s *corev1.Service) { s.Spec.Selector["x"] = "y" }, changes{"selector"}},
		"port renumbered":  {func(s *corev1.Service) { s.Spec.Ports[0].Port = 81 }, changes{"port"}},
		"port renamed":     {func(s *corev1.Service) { s.Spec.Ports[0].Name = "web" }, changes{"port"}},
		"target changed":   {func(s *corev1.Service) { s.Spec.Ports[0].TargetPort = intstr.FromString("x") }, changes{"port"}},
		"port put before": {func(s *corev1.Service) {
			s.Spec.Ports = []corev1.ServicePort{{Name: "other", Port: 81}, s.Spec.Ports[0]}
		}, changes{"port"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := liveService()
			tc.drift(s)
			if diff := cmp.Diff(tc.want, shapeService(s, demo())); diff != "" {
				t.Errorf("changes differ (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(liveService(), s); diff != "" {
				t.Errorf("Service differs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestURLOf(t *testing.T) {
	if got, want := urlOf(liveService()), "http://demo.test.svc:8080"; got != want {
		t.Errorf("urlOf = %q, want %q", got, want)
	}
	if got := urlOf(nil); got != "" {
		t.Errorf("urlOf(nil) = %q, want none", got)
	}
}
