package e2e

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/e2e-framework/klient/decoder"
	"sigs.k8s.io/e2e-framework/klient/k8s"
	"sigs.k8s.io/e2e-framework/pkg/envconf"
)

// system is a complete controller that this repository ships.
type system struct {
	folder    string // with config/default, and perhaps with a chart
	namespace string
	image     string
	claims    bool // it claims a volume
	// upgraded are values of the chart that change its Deployment.
	upgraded map[string]any
	workload
	// use makes the controller do what its README promises, and returns a function that
	// undoes it. If it is nil, the workload is used.
	use func(*testing.T, *envconf.Config) (undo func())
}

// workload is what most controllers make of their resource.
type workload struct {
	resource   string // with two replicas
	promised   func(k8s.Object) bool
	deployment string
	service    string // at port 8080
}

// systems are the systems of docs/systems.md, by the names that make image knows.
func systems() map[string]system {
	return map[string]system{
		"reference": {
			folder: "../controller", namespace: "webapp-system", image: "webapp-controller:latest",
			upgraded: map[string]any{"replicas": 3, "metrics": map[string]any{"enabled": true}},
			workload: workload{
				resource: `{apiVersion: apps.kubedojo.io/v1beta1, kind: WebApp, metadata: {name: hello, namespace: default},
					spec: {image: "` + standIn + `", replicas: 2, port: 8080}}`,
				promised: phase("Running"), deployment: "hello", service: "hello",
			},
		},
		"apipark": {
			folder: "../fixtures/controllers/apipark", namespace: "apipark-system", image: "apipark:latest",
			upgraded: map[string]any{"replicas": 3, "program": "apipark-informers"},
			workload: workload{
				resource: `{apiVersion: apipark.example.com/v1alpha1, kind: WebApp, metadata: {name: hello, namespace: default},
					spec: {image: "` + standIn + `", replicas: 2, port: 8080}}`,
				promised: condition("Available"), deployment: "hello-deployment", service: "hello-service",
			},
		},
		"myapplication": {
			folder: "../fixtures/controllers/myapplication", namespace: "myapplication-system", image: "myapplication-controller:latest",
			workload: workload{
				resource: `{apiVersion: example.com/v1, kind: MyApplication, metadata: {name: hello, namespace: default},
					spec: {image: "` + standIn + `", replicas: 2, port: 8080}}`,
				promised: condition("Ready"), deployment: "hello", service: "hello",
			},
		},
		"myresource": {
			folder: "../fixtures/controllers/myresource", namespace: "myresource-system", image: "myresource-controller:latest",
			workload: workload{
				resource: `{apiVersion: stable.example.com/v1, kind: MyResource, metadata: {name: hello, namespace: default},
					spec: {message: hello, replicas: 2}}`,
				promised: phase("Ready"), deployment: "hello",
			},
		},
		"backup": {folder: "../fixtures/controllers/backup", namespace: "backup-system", image: "backup-controller:v1", claims: true, use: backsUp},
	}
}

// start makes the controller do what it promises.
func (s system) start(t *testing.T, config *envconf.Config) (undo func()) {
	t.Helper()
	if s.use != nil {
		return s.use(t, config)
	}
	object := s.object(t)
	if err := config.Client().Resources().Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	become(t, config, object, s.promised)
	if s.service != "" {
		get(t, config, "default", s.service, 8080, "/")
	}
	return func() { removed(t, config, object) }
}

// object is the resource of the workload.
func (w workload) object(t *testing.T) *unstructured.Unstructured {
	t.Helper()
	object := &unstructured.Unstructured{}
	if err := decoder.DecodeString(w.resource, object); err != nil {
		t.Fatal("reading the resource:", err)
	}
	return object
}

// phase expects this value of status.phase.
func phase(want string) func(k8s.Object) bool {
	return func(object k8s.Object) bool {
		got, _, _ := unstructured.NestedString(object.(*unstructured.Unstructured).Object, "status", "phase")
		return got == want
	}
}

// condition expects that this condition of the status is true.
func condition(kind string) func(k8s.Object) bool {
	return func(object k8s.Object) bool {
		conditions, _, _ := unstructured.NestedSlice(object.(*unstructured.Unstructured).Object, "status", "conditions")
		for _, one := range conditions {
			if fields := one.(map[string]any); fields["type"] == kind {
				return fields["status"] == "True"
			}
		}
		return false
	}
}
