package webapp

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"reconform.dev/reconform/controller/api/v1beta1"
)

// shapeService makes s as app wants it and returns what it changed. Once the
// Service exists, its type is left to the user: changing it back would cost a
// node port.
func shapeService(s *corev1.Service, app *v1beta1.WebApp) changes {
	var c changes
	setKeys(&c, "labels", &s.Labels, labelsOf(app))
	set(&c, "selector", &s.Spec.Selector, selectorOf(app))

	port := portIn(&s.Spec)
	port.Name = portName
	port.Protocol = corev1.ProtocolTCP
	port.Port = app.Spec.Port
	port.TargetPort = intstr.FromInt32(app.Spec.Port)
	set(&c, "port", &s.Spec.Ports, []corev1.ServicePort{port})
	return c
}

// portIn returns the application's port as it is now, for the node port that
// the API server may have given it. Others may have renamed or renumbered it.
func portIn(s *corev1.ServiceSpec) corev1.ServicePort {
	for _, p := range s.Ports {
		if p.Name == portName {
			return p
		}
	}
	if len(s.Ports) > 0 {
		return s.Ports[0]
	}
	return corev1.ServicePort{}
}

// urlOf returns where clients in the cluster reach s. It leaves out the
// cluster's domain, which the controller cannot know and a resolver adds.
func urlOf(s *corev1.Service) string {
	if s == nil || len(s.Spec.Ports) == 0 {
		return ""
	}
	return fmt.Sprintf("http://%s.%s.svc:%d", s.Name, s.Namespace, s.Spec.Ports[0].Port)
}
