package v1alpha1

import apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

// Served is a resource that the controller serves, for a profile without a contract: what
// to create, and what to change.
//
// +kubebuilder:validation:XValidation:rule="has(self.sample) != has(self.sampleFile)",message="give either sample or sampleFile"
type Served struct {
	// resource that it serves.
	Resource ServedResource `json:"resource"`

	// sample is an object that the controller serves, with a spec, and whatever else it
	// needs. Every object that is created of this resource is like it. Its name is replaced.
	// Strings in it are templates over .name, the object's name; for plain {{ in a string,
	// write {{"{{"}}.
	// +optional
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	Sample *apiextensionsv1.JSON `json:"sample,omitempty"`
	// sampleFile is a file with the sample. It is taken as it is: nothing in it is a
	// template. Objects of other kinds in it are created before the sample.
	// +optional
	// +kubebuilder:validation:MinLength=1
	SampleFile string `json:"sampleFile,omitempty"`

	// beside are other objects that the sample needs, with apiVersion, kind and name.
	// They are created before it, in its namespace. Strings in them are templates over .name.
	// +optional
	Beside []BesideObject `json:"beside,omitempty"`

	// namespaceLabels are the labels that a namespace must have, if the controller serves
	// only namespaces with labels. Those of the first resource count.
	// +optional
	NamespaceLabels map[string]string `json:"namespaceLabels,omitempty"`

	// edits are changes of the sample that the controller acts on: each leads to a write.
	// It must be possible to undo them.
	// +optional
	// +listType=map
	// +listMapKey=name
	Edits []Edit `json:"edits,omitempty"`
}

// ServedResource is a resource that the controller serves.
type ServedResource struct {
	// group of the API.
	// +kubebuilder:validation:MinLength=1
	Group string `json:"group"`
	// version of the API.
	// +kubebuilder:validation:MinLength=1
	Version string `json:"version"`
	// kind of its objects.
	// +kubebuilder:validation:MinLength=1
	Kind string `json:"kind"`
	// plural, such as webapps.
	// +kubebuilder:validation:MinLength=1
	Plural string `json:"plural"`
	// scope of the resource. If it is Cluster, its objects have no namespace: trials come one
	// after the other, and {{ .namespace }} in the sample and in edits is the namespace of
	// the trial.
	// +kubebuilder:validation:Enum=Namespaced;Cluster
	// +kubebuilder:default=Namespaced
	// +optional
	Scope string `json:"scope,omitempty"`
}

// BesideObject is an object of any kind.
//
// +kubebuilder:validation:Type=object
// +kubebuilder:pruning:PreserveUnknownFields
type BesideObject struct {
	apiextensionsv1.JSON `json:",inline"`
}

// Edit is a change of an object.
type Edit struct {
	// name of the edit, lower-case, with dashes.
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`
	Name string `json:"name"`
	// patch is a JSON merge patch: a field with null is removed, a list is replaced. Strings
	// in it are templates over .name.
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	Patch apiextensionsv1.JSON `json:"patch"`
}
