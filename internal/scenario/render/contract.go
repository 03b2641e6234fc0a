package render

import (
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
)

// The reference contract: which resource it is about, and where each of its fields shows.
// Only this file knows that.

// The resource of the reference contract, as scenarios write it.
const (
	referenceGroup   = "apps.kubedojo.io"
	referenceVersion = "v1beta1"
	referenceKind    = "WebApp"
	referencePlural  = "webapps"
	// referenceContainer is the container that runs the image.
	referenceContainer = "app"
)

// The fields of the reference's spec and status.
var (
	referenceSpec   = names("image", "replicas", "port", "env", "configMapRef", "deploymentName")
	referenceStatus = names("readyReplicas", "phase", "serviceURL", "conditions", "observedGeneration")
)

// meaning is what a value in a field of an object means.
type meaning struct {
	sense sense
	// field of the reference's spec whose value shows there, if the sense is showsField.
	field string
	// counted says that the value is a number of things. It may be lower than the value of
	// the field.
	counted bool
	// of is the primary whose container the value names, if that is known.
	of string
}

// sense is a kind of meaning.
type sense int

const (
	saysNothing         sense = iota // nothing that is different in another implementation
	showsField                       // the value of a field of the spec
	namesPhase                       // a phase
	namesKind                        // a kind
	namesAPIVersion                  // group/version
	namesWorkloadAPI                 // group/version of a Deployment
	namesGroup                       // an API group
	namesPlural                      // a resource, in the plural
	namesContainer                   // a container of the Deployment
	namesDeployment                  // the Deployment of a primary
	namesService                     // the Service of a primary
	namesFieldOfPrimary              // a path such as spec.port, in a message
)

// What implementations may have or lack, in addition to the fields of the reference's
// spec.
const (
	// servicePort is the port of the Service, which may differ from the container's port.
	servicePort = "servicePort"
	// ownerReference is what makes an object known as a child.
	ownerReference = "the owner reference"
)

// contract says what each field means, for fields that mean something. [] in a path stands
// for the elements of a list.
var contract = map[objectKind]map[string]meaning{
	kindPrimary: {
		"kind":                 {sense: namesKind},
		"apiVersion":           {sense: namesAPIVersion},
		"spec.image":           {sense: showsField, field: "image"},
		"spec.replicas":        {sense: showsField, field: "replicas"},
		"spec.port":            {sense: showsField, field: "port"},
		"status.readyReplicas": {sense: showsField, field: "replicas", counted: true},
		"status.phase":         {sense: namesPhase},
		// A value that is searched for anywhere in the status may be the phase.
		"status.*":  {sense: namesPhase},
		errorOfCall: {sense: namesFieldOfPrimary},
	},
	kindDeployment: {
		"kind":                                  {sense: namesKind},
		"apiVersion":                            {sense: namesWorkloadAPI},
		"metadata.name":                         {sense: namesDeployment},
		"spec.replicas":                         {sense: showsField, field: "replicas"},
		"status.replicas":                       {sense: showsField, field: "replicas", counted: true},
		"status.readyReplicas":                  {sense: showsField, field: "replicas", counted: true},
		"status.availableReplicas":              {sense: showsField, field: "replicas", counted: true},
		"status.updatedReplicas":                {sense: showsField, field: "replicas", counted: true},
		"status.unavailableReplicas":            {sense: showsField, field: "replicas", counted: true},
		"spec.template.spec.containers[].name":  {sense: namesContainer},
		"spec.template.spec.containers[].image": {sense: showsField, field: "image"},
		"spec.template.spec.containers[].ports[].containerPort": {sense: showsField, field: "port"},
	},
	kindService: {
		"metadata.name":           {sense: namesService},
		"spec.ports[].port":       {sense: showsField, field: servicePort},
		"spec.ports[].targetPort": {sense: showsField, field: "port"},
	},
	kindEndpointSlice: {
		"metadata.labels.kubernetes.io/service-name": {sense: namesService},
		"metadata.ownerReferences[].name":            {sense: namesService},
		"ports[].port":                               {sense: showsField, field: "port"},
	},
	kindReplicaSet: {
		"metadata.ownerReferences[].name": {sense: namesDeployment},
	},
	kindRole: {
		"rules[].apiGroups[]": {sense: namesGroup},
		"rules[].resources[]": {sense: namesPlural},
	},
	kindPolicy: {
		"spec.matchConstraints.resourceRules[].apiGroups[]": {sense: namesGroup},
		"spec.matchConstraints.resourceRules[].resources[]": {sense: namesPlural},
	},
	kindDefinition: {
		"spec.group":        {sense: namesGroup},
		"spec.names.kind":   {sense: namesKind},
		"spec.names.plural": {sense: namesPlural},
	},
}

// everywhere says what some fields mean in objects of any kind.
var everywhere = map[string]meaning{
	"metadata.ownerReferences[].kind":       {sense: namesKind},
	"metadata.ownerReferences[].apiVersion": {sense: namesAPIVersion},
	"involvedObject.kind":                   {sense: namesKind},
	"involvedObject.apiVersion":             {sense: namesAPIVersion},
	"regarding.kind":                        {sense: namesKind},
	"regarding.apiVersion":                  {sense: namesAPIVersion},
}

// whole lists the parts of children that exist because of a field of the primary. Without
// that field, these parts and everything below them show nothing.
var whole = map[objectKind]map[string]string{
	kindDeployment: {
		"spec.template.spec.containers[].ports":   "port",
		"spec.template.spec.containers[].env":     "env",
		"spec.template.spec.containers[].envFrom": "configMapRef",
	},
	kindService:       {"spec.ports": servicePort},
	kindEndpointSlice: {"ports": "port"},
}

// owners are the fields that say whose child a Deployment or a Service is.
var owners = names("metadata.ownerReferences[].kind", "metadata.ownerReferences[].uid")

// references are the parts of objects that name another object by kind and name.
var references = names("metadata.ownerReferences[]", "involvedObject", "regarding")

// lists are the fields of Kubernetes objects that are lists of objects.
var lists = names("items", "ownerReferences", "containers", "initContainers", "ports", "env", "envFrom", "conditions",
	"endpoints", "rules", "resourceRules", "validations")

const (
	// errorOfCall is the place of the error message of a refused request.
	errorOfCall = "<error>"
	// listOf is the place of a list of objects that the API server returned.
	listOf = "<list>"
)

// place is a field of an object, as the reference contract has it. The path of
// the object itself is empty.
type place struct {
	kind objectKind
	path string
}

func (p place) field(name string) place {
	if p.path == "" {
		return place{p.kind, name}
	}
	return place{p.kind, p.path + "." + name}
}

func (p place) element() place { return place{p.kind, p.path + "[]"} }

// within says whether the field is this part of its object, or lies below the part.
func (p place) within(part string) bool {
	return p.path == part || strings.HasPrefix(p.path, part+".") || strings.HasPrefix(p.path, part+"[]")
}

// isList says whether the field is known to be a list.
func (p place) isList() bool {
	return lists[p.path[strings.LastIndex(p.path, ".")+1:]]
}

// means returns what a value at this place means.
func (p place) means() meaning {
	if m, ok := contract[p.kind][p.path]; ok {
		return m
	}
	return everywhere[p.path]
}

// shows returns the field of the reference's spec that a part of a child shows, or "" if
// it shows none. A primary has its fields itself, so it shows none.
func (p place) shows() string {
	if p.kind == kindPrimary {
		return ""
	}
	if m := p.means(); m.sense == showsField {
		return m.field
	}
	if owners[p.path] && (p.kind == kindDeployment || p.kind == kindService) {
		return ownerReference
	}
	for part, field := range whole[p.kind] {
		if p.within(part) {
			return field
		}
	}
	return ""
}

// holds says whether anything below this place means something. If so, the value must not
// be treated as a plain value.
func (p place) holds() bool {
	switch p.kind {
	case kindPrimary, kindDeployment, kindService, kindEndpointSlice:
	default:
		return false
	}
	if p.path == listOf {
		return true
	}
	if p.kind == kindPrimary && (p.path == "" || p.path == "spec" || p.path == "status") {
		return true
	}
	for path := range contract[p.kind] {
		if p.path == "" || strings.HasPrefix(path, p.path+".") || strings.HasPrefix(path, p.path+"[]") {
			return true
		}
	}
	for part := range whole[p.kind] {
		if p.path == "" || strings.HasPrefix(part, p.path+".") || strings.HasPrefix(part, p.path+"[]") {
			return true
		}
	}
	return false
}

// reference returns the profile of the implementation that every scenario is written for:
// each field is where the contract has it.
func reference() *profile.Profile {
	field := func(path string) *v1alpha1.Field { return &v1alpha1.Field{Path: path} }
	p := &profile.Profile{}
	p.Spec.Contract = v1alpha1.Contract{
		Resource: v1alpha1.PrimaryResource{Group: referenceGroup, Version: referenceVersion, Kind: referenceKind, Plural: referencePlural, Scope: "Namespaced"},
		Spec: v1alpha1.SpecFields{
			Image: field("spec.image"), Replicas: field("spec.replicas"), Port: field("spec.port"),
			Env: field("spec.env"), ConfigMapRef: field("spec.configMapRef"), DeploymentName: field("spec.deploymentName"),
		},
		Status: v1alpha1.StatusFields{
			ReadyReplicas: field("status.readyReplicas"), Phase: field("status.phase"), ServiceURL: field("status.serviceURL"),
			Conditions: field("status.conditions"), ObservedGeneration: field("status.observedGeneration"),
		},
		Children: v1alpha1.Children{
			Deployment: v1alpha1.DeploymentChild{Name: "{{ .name }}", Container: referenceContainer},
			Service:    &v1alpha1.ServiceChild{Name: "{{ .name }}"},
		},
	}
	return p
}

func names(words ...string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, w := range words {
		set[w] = true
	}
	return set
}
