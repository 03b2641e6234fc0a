package render

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// objectKind is the role that an object has in the mapping.
type objectKind int

const (
	kindOther objectKind = iota
	kindPrimary
	kindDeployment
	kindService
	kindEndpointSlice // only a Service has one
	kindReplicaSet
	kindRole // a Role or a ClusterRole
	kindPolicy
	kindDefinition
	kindPod
	kindSubject
	kindTraffic
	kindObservation
	kindFault
	kindDisruption
	kindSnapshot
	kindLoad
	kindDrift
	kindTrial
)

// kindOf returns the kind of an object, or of a reference to one, as scenarios write it.
func kindOf(object *yaml.Node) objectKind {
	return kindNamed(text(object, "apiVersion"), text(object, "kind"))
}

// kindNamed returns the kind with this apiVersion and name.
func kindNamed(api, kind string) objectKind {
	group, _, grouped := strings.Cut(api, "/")
	if !grouped {
		group = ""
	}
	switch group + "/" + kind {
	case referenceGroup + "/" + referenceKind:
		return kindPrimary
	case "apps/Deployment":
		return kindDeployment
	case "/Pod":
		return kindPod
	case "apps/ReplicaSet":
		return kindReplicaSet
	case "/Service":
		return kindService
	case "discovery.k8s.io/EndpointSlice":
		return kindEndpointSlice
	case "rbac.authorization.k8s.io/Role", "rbac.authorization.k8s.io/ClusterRole":
		return kindRole
	case "admissionregistration.k8s.io/ValidatingAdmissionPolicy":
		return kindPolicy
	case "apiextensions.k8s.io/CustomResourceDefinition":
		return kindDefinition
	case "reconform.dev/Subject":
		return kindSubject
	case "reconform.dev/Traffic":
		return kindTraffic
	case "reconform.dev/Observation":
		return kindObservation
	case "reconform.dev/Fault":
		return kindFault
	case "reconform.dev/Disruption":
		return kindDisruption
	case "reconform.dev/Snapshot":
		return kindSnapshot
	case "reconform.dev/Load":
		return kindLoad
	case "reconform.dev/Drift":
		return kindDrift
	case "reconform.dev/Trial":
		return kindTrial
	}
	return kindOther
}

// kindOfResource returns the kind of a resource, as kubectl and the bench's objects name
// it: plural, plural.group, or one of kubectl's short forms.
func kindOfResource(name string) objectKind {
	switch name {
	case "webapps", "webapp", "wa", "webapps.apps.kubedojo.io", "webapp.apps.kubedojo.io", "webapps.v1beta1.apps.kubedojo.io":
		return kindPrimary
	case "deployments", "deployment", "deploy", "deployments.apps", "deployment.apps", "deployments.v1.apps":
		return kindDeployment
	case "services", "service", "svc":
		return kindService
	case "endpointslices", "endpointslices.discovery.k8s.io":
		return kindEndpointSlice
	}
	return kindOther
}

// missing says whether an object cannot exist because this implementation makes no
// Service: it is a Service or an EndpointSlice.
func (m *mapper) missing(object objectKind) bool {
	return (object == kindService || object == kindEndpointSlice) && m.profile.Spec.Contract.Children.Service == nil
}
