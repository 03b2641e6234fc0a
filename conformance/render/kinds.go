package render

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// objectKind is what an object means to the mapping.
type objectKind int

const (
	kindOther objectKind = iota
	kindPrimary
	kindDeployment
	kindService // a Service, or an EndpointSlice, which only a Service has
	kindSubject
	kindTraffic
	kindObservation
	kindFault
	kindSnapshot
	kindLoad
)

// kindOf is the kind of an object or of a reference to one, as scenarios write
// it.
func kindOf(object *yaml.Node) objectKind {
	api, kind := text(object, "apiVersion"), text(object, "kind")
	group, _, grouped := strings.Cut(api, "/")
	if !grouped {
		group = ""
	}
	switch {
	case group == referenceGroup && kind == referenceKind:
		return kindPrimary
	case group == "apps" && kind == "Deployment":
		return kindDeployment
	case api == "v1" && kind == "Service", group == "discovery.k8s.io" && kind == "EndpointSlice":
		return kindService
	case group == "reconform.dev" && kind == "Subject":
		return kindSubject
	case group == "reconform.dev" && kind == "Traffic":
		return kindTraffic
	case group == "reconform.dev" && kind == "Observation":
		return kindObservation
	case group == "reconform.dev" && kind == "Fault":
		return kindFault
	case group == "reconform.dev" && kind == "Snapshot":
		return kindSnapshot
	case group == "reconform.dev" && kind == "Load":
		return kindLoad
	}
	return kindOther
}

// noService says whether the implementation makes no Services.
func (m *mapper) noService() bool {
	return m.profile.Spec.Contract.Children.Service == nil
}

// The fields of the reference contract.
var (
	referenceSpec   = names("image", "replicas", "port", "env", "configMapRef")
	referenceStatus = names("readyReplicas", "phase", "serviceURL", "conditions", "observedGeneration")
)

func names(words ...string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, w := range words {
		set[w] = true
	}
	return set
}
