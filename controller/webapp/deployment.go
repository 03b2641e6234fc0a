package webapp

import (
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/controller/api/v1beta1"
)

const (
	containerName = "app"
	portName      = "http"

	labelApp       = "app"
	labelManagedBy = "app.kubernetes.io/managed-by"
	managerName    = "webapp-controller"

	// annotationConfig on the Pod template holds the digest of the ConfigMap,
	// so that another content makes other Pods.
	annotationConfig = "apps.kubedojo.io/config-digest"
)

// selectorOf selects the Pods of a WebApp. It depends on the name only: a
// Deployment's selector cannot be changed.
func selectorOf(app *v1beta1.WebApp) map[string]string {
	return map[string]string{labelApp: app.Name}
}

func labelsOf(app *v1beta1.WebApp) map[string]string {
	return map[string]string{labelApp: app.Name, labelManagedBy: managerName}
}

// shapeDeployment makes d as app wants it and returns what it changed. Fields
// that it does not mention keep the values that others, or the API server's
// defaults, gave them.
func shapeDeployment(d *appsv1.Deployment, app *v1beta1.WebApp, config configState) changes {
	var c changes
	if d.Spec.Selector == nil {
		set(&c, "selector", &d.Spec.Selector, &metav1.LabelSelector{MatchLabels: selectorOf(app)})
	}
	setKeys(&c, "labels", &d.Labels, labelsOf(app))
	set(&c, "replicas", &d.Spec.Replicas, &app.Spec.Replicas)

	template := &d.Spec.Template
	setKeys(&c, "pod labels", &template.Labels, labelsOf(app))
	switch {
	case app.Spec.ConfigMapRef == nil:
		dropKey(&c, "config digest", template.Annotations, annotationConfig)
	case config.found:
		setKeys(&c, "config digest", &template.Annotations, map[string]string{annotationConfig: config.digest})
	}
	shapeContainer(&c, containerIn(&template.Spec), app)
	return c
}

// containerIn returns the application's container among its sidecars, which it
// adds if it is not there.
func containerIn(pod *corev1.PodSpec) *corev1.Container {
	i := slices.IndexFunc(pod.Containers, func(c corev1.Container) bool { return c.Name == containerName })
	if i < 0 {
		i = len(pod.Containers)
		pod.Containers = append(pod.Containers, corev1.Container{Name: containerName})
	}
	return &pod.Containers[i]
}

// shapeContainer sets ports and environment as a whole: an entry too many would
// be as wrong as a missing one.
func shapeContainer(c *changes, container *corev1.Container, app *v1beta1.WebApp) {
	set(c, "image", &container.Image, app.Spec.Image)
	set(c, "container port", &container.Ports, []corev1.ContainerPort{{
		Name:          portName,
		ContainerPort: app.Spec.Port,
		Protocol:      corev1.ProtocolTCP,
	}})

	var env []corev1.EnvVar
	for _, name := range slices.Sorted(maps.Keys(app.Spec.Env)) {
		env = append(env, corev1.EnvVar{Name: name, Value: app.Spec.Env[name]})
	}
	set(c, "env", &container.Env, env)

	var from []corev1.EnvFromSource
	if ref := app.Spec.ConfigMapRef; ref != nil {
		from = []corev1.EnvFromSource{{ConfigMapRef: &corev1.ConfigMapEnvSource{
			LocalObjectReference: corev1.LocalObjectReference{Name: ref.Name},
		}}}
	}
	set(c, "env from", &container.EnvFrom, from)
}
