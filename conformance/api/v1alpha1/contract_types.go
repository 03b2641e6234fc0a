package v1alpha1

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Contract maps the implementation's objects to the reference contract.
type Contract struct {
	// name of the contract. Requirements of other contracts do not apply to this
	// implementation. Left out: webapp.
	// +kubebuilder:validation:Pattern=`^[a-z][a-z0-9-]*$`
	// +optional
	Name string `json:"name,omitempty"`

	// resource is the primary resource, the one that plays the WebApp.
	Resource PrimaryResource `json:"resource"`

	// spec says where each field of the reference spec lives.
	Spec SpecFields `json:"spec"`

	// status says where each field of the reference status lives. A field that
	// is left out does not exist.
	// +optional
	Status StatusFields `json:"status,omitempty"`

	// base is merged under the spec of every primary object that a scenario
	// creates. Strings in it are templates over .name, the object's name; for plain {{ in a
	// string, write {{"{{"}}. All else arrives as it is written.
	// +optional
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	Base *apiextensionsv1.JSON `json:"base,omitempty"`

	// root is merged under the root of every primary object that a scenario creates, for
	// fields outside of its spec. Strings in it are templates over .name.
	// +optional
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	Root *apiextensionsv1.JSON `json:"root,omitempty"`

	// metadata is what every primary object that a scenario creates has there.
	// +optional
	Metadata *PrimaryMetadata `json:"metadata,omitempty"`

	// namespaceLabels are the labels that a namespace must have, if the controller serves
	// only namespaces with labels.
	// +optional
	NamespaceLabels map[string]string `json:"namespaceLabels,omitempty"`

	// children says which objects the controller makes.
	Children Children `json:"children"`

	// defaults are the values that omitted fields of the spec take.
	// +optional
	Defaults Defaults `json:"defaults,omitempty"`

	// bounds are the limits that the schema sets.
	// +optional
	Bounds Bounds `json:"bounds,omitempty"`

	// phases translates the reference phases, if the names differ.
	// +optional
	Phases map[string]string `json:"phases,omitempty"`

	// printerColumns are the names of the columns that kubectl get shows.
	// +optional
	PrinterColumns []string `json:"printerColumns,omitempty"`
}

// PrimaryResource is the resource that plays the WebApp.
type PrimaryResource struct {
	// group of the API.
	// +kubebuilder:validation:MinLength=1
	Group string `json:"group"`
	// version of the API.
	// +kubebuilder:validation:MinLength=1
	Version string `json:"version"`
	// kind, such as WebApp.
	// +kubebuilder:validation:MinLength=1
	Kind string `json:"kind"`
	// plural, such as webapps.
	// +kubebuilder:validation:MinLength=1
	Plural string `json:"plural"`
	// scope of the resource. Only a namespaced resource can have a contract.
	// +kubebuilder:validation:Enum=Namespaced
	// +kubebuilder:default=Namespaced
	// +optional
	Scope string `json:"scope,omitempty"`
}

// PrimaryMetadata is what every primary object has in its metadata.
type PrimaryMetadata struct {
	// name of every primary object, for a controller that serves only the object with this
	// name in a namespace (launch.onePerNamespace). Left out: any.
	// +optional
	Name string `json:"name,omitempty"`
	// labels; the values are templates over .name.
	// +optional
	Labels map[string]string `json:"labels,omitempty"`
	// annotations; the values are templates over .name.
	// +optional
	Annotations map[string]string `json:"annotations,omitempty"`
}

// SpecFields says where each field of the reference spec lives. A field that is
// left out does not exist.
type SpecFields struct {
	// image of the container.
	// +optional
	Image *Field `json:"image,omitempty"`
	// replicas of the Deployment.
	// +optional
	Replicas *Field `json:"replicas,omitempty"`
	// port of the container and of the Service.
	// +optional
	Port *Field `json:"port,omitempty"`
	// env, a map from variable to value.
	// +optional
	Env *Field `json:"env,omitempty"`
	// configMapRef, an object with the name of a ConfigMap, or the name itself.
	// +optional
	ConfigMapRef *Field `json:"configMapRef,omitempty"`
	// deploymentName is the name of the Deployment. The base may set the name for scenarios
	// that do not set one.
	// +optional
	DeploymentName *Field `json:"deploymentName,omitempty"`
}

// Field is the place of one field, or the value that it always has.
//
// +kubebuilder:validation:XValidation:rule="[has(self.path), has(self.constant), has(self.condition)].filter(given, given).size() == 1",message="give one of path, constant and condition"
type Field struct {
	// path of the field from the root of the object: spec.replicas. [0] is the first
	// element of a list: spec.ports[0].port.
	// +optional
	// +kubebuilder:validation:Pattern=`^(spec|status)((\.[A-Za-z_][A-Za-z0-9_-]*)(\[0\])?)+$`
	Path string `json:"path,omitempty"`
	// constant is the value that the implementation always uses.
	// +optional
	Constant *intstr.IntOrString `json:"constant,omitempty"`
	// condition is used for the phase if the implementation has no such field: the object
	// counts as Running while the condition has this status, and otherwise as Deploying.
	// +optional
	Condition *ConditionStatus `json:"condition,omitempty"`
	// optional: an object without the field is accepted, because the field has a default or
	// is not needed. For the image.
	// +optional
	Optional bool `json:"optional,omitempty"`
	// as says how a field is written. For env: map, from name to value, or list, of objects
	// that each have a name and a value. For configMapRef: name, if the field is the name
	// of the ConfigMap, and not an object with it.
	// +optional
	// +kubebuilder:validation:Enum=map;list;name
	As string `json:"as,omitempty"`
	// format is how a value is written here and in the workload: a template over
	// .value. For replicas, if both are texts, such as "{{ .value }} 0 1 1 *"; and for
	// an image, if the schema accepts only some, such as "registry.mine/team/{{ .value
	// }}".
	// +optional
	Format string `json:"format,omitempty"`
	// values are all that the field accepts, in order. For replicas.
	// +optional
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:items:Minimum=0
	Values []int32 `json:"values,omitempty"`
	// growOnly: the controller never lowers the number: not if the field is lowered, and not
	// if somebody else raised the number in the workload. Scenarios that need a lower number
	// are skipped. For replicas.
	// +optional
	GrowOnly bool `json:"growOnly,omitempty"`
	// immutable: the field of an object cannot be changed. Scenarios that do are skipped.
	// +optional
	Immutable bool `json:"immutable,omitempty"`
}

// Values of [Field.As].
const (
	// AsList says that env is a list.
	AsList = "list"
	// AsName says that configMapRef is a name.
	AsName = "name"
)

// ConditionStatus is a condition that has a status.
type ConditionStatus struct {
	// type of the condition.
	// +kubebuilder:validation:MinLength=1
	Type string `json:"type"`
	// status that it has.
	// +kubebuilder:validation:Enum=True;False
	Status string `json:"status"`
}

// StatusFields says where each field of the reference status lives.
type StatusFields struct {
	// readyReplicas counts the ready Pods.
	// +optional
	ReadyReplicas *Field `json:"readyReplicas,omitempty"`
	// phase in one word, or the condition that says that it is ready.
	// +optional
	Phase *Field `json:"phase,omitempty"`
	// serviceURL is the address of the Service.
	// +optional
	ServiceURL *Field `json:"serviceURL,omitempty"`
	// conditions as metav1.Condition.
	// +optional
	Conditions *Field `json:"conditions,omitempty"`
	// observedGeneration is the generation that the status speaks of.
	// +optional
	ObservedGeneration *Field `json:"observedGeneration,omitempty"`
}

// Defaults are the values that omitted fields take.
type Defaults struct {
	// replicas if none are given.
	// +optional
	Replicas *int32 `json:"replicas,omitempty"`
	// port if none is given.
	// +optional
	Port *int32 `json:"port,omitempty"`
}

// Bounds are the limits that the schema sets on the reference fields.
type Bounds struct {
	// replicas from the smallest to the largest allowed.
	// +optional
	Replicas *Range `json:"replicas,omitempty"`
	// port from the smallest to the largest allowed.
	// +optional
	Port *Range `json:"port,omitempty"`
}

// Range is an interval, both ends included.
type Range struct {
	// minimum allowed.
	Minimum int32 `json:"minimum"`
	// maximum allowed.
	Maximum int32 `json:"maximum"`
}
