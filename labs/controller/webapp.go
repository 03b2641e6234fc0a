//lab:given 03

package main

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// kind is what owner references call a WebApp.
var kind = schema.GroupVersionKind{Group: webApps.Group, Version: webApps.Version, Kind: "WebApp"}

// spec is what a WebApp asks for.
type spec struct {
	image    string
	replicas int32
	port     int32
}

// specOf reads the spec of a WebApp, which has no Go type here: it is unstructured.
func specOf(app *unstructured.Unstructured) (spec, error) {
	image, _, err := unstructured.NestedString(app.Object, "spec", "image")
	if err != nil {
		return spec{}, fmt.Errorf("reading the spec of %s: %w", app.GetName(), err)
	}
	replicas, _, err := unstructured.NestedInt64(app.Object, "spec", "replicas")
	if err != nil {
		return spec{}, fmt.Errorf("reading the spec of %s: %w", app.GetName(), err)
	}
	port, _, err := unstructured.NestedInt64(app.Object, "spec", "port")
	if err != nil {
		return spec{}, fmt.Errorf("reading the spec of %s: %w", app.GetName(), err)
	}
	return spec{image: image, replicas: int32(replicas), port: int32(port)}, nil
}

// selector are the labels by which the Pods of a WebApp are known.
func selector(app *unstructured.Unstructured) map[string]string {
	return map[string]string{"app.kubernetes.io/managed-by": "webapp-controller", "app.kubernetes.io/instance": app.GetName()}
}

// metadata of a child.
func metadata(app *unstructured.Unstructured) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Namespace: app.GetNamespace(),
		Name:      app.GetName(),
		Labels:    selector(app),
		//lab:from 04
		//lab:todo TODO(lab): OwnerReferences, with metav1.NewControllerRef: the garbage collector needs them.
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(app, kind)},
		//lab:end
	}
}

//lab:given 04

// notOurs says that a child's name is taken by somebody else.
type notOurs struct{ kind, name string }

func (e notOurs) Error() string {
	return fmt.Sprintf("%s %s is there, and does not belong to the WebApp", e.kind, e.name)
}

//lab:end
