package v1alpha1

import apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

// Children says which objects the controller makes.
type Children struct {
	// deployment is the Deployment of a primary object.
	Deployment DeploymentChild `json:"deployment"`
	// service is its Service. Left out if the controller makes no Service.
	// +optional
	Service *ServiceChild `json:"service,omitempty"`
	// shared are the objects that the controller makes once for all primary objects of a
	// namespace. They may stay when one of these is deleted.
	// +optional
	// +listType=map
	// +listMapKey=kind
	// +listMapKey=name
	Shared []SharedChild `json:"shared,omitempty"`
}

// SharedChild is an object that no primary object has for itself.
type SharedChild struct {
	// kind, such as StatefulSet.
	// +kubebuilder:validation:Pattern=`^[A-Z][A-Za-z0-9]*$`
	Kind string `json:"kind"`
	// name of the object. It is the same in each namespace.
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$`
	Name string `json:"name"`
}

// DeploymentChild is the Deployment that the controller makes.
//
// +kubebuilder:validation:XValidation:rule="!has(self.container) || !has(self.firstContainer)",message="give either container or firstContainer"
type DeploymentChild struct {
	// name is a template over .name and .spec of the primary object.
	// +kubebuilder:default="{{ .name }}"
	// +optional
	Name string `json:"name,omitempty"`
	// container is the name of the container that runs the image: a template over .name
	// and .spec of the primary object. Left out: app.
	// +optional
	Container string `json:"container,omitempty"`
	// firstContainer: the first container runs the image, whatever its name.
	// +optional
	// +kubebuilder:validation:Enum=true
	FirstContainer bool `json:"firstContainer,omitempty"`
	// workload is what the controller makes in the place of a Deployment. Left out if
	// it makes Deployments.
	// +optional
	Workload *Workload `json:"workload,omitempty"`
}

// Workload is a resource with a Pod template that plays the Deployment, such as a
// StatefulSet or a CronJob. What requirements say of the Deployment holds for it.
type Workload struct {
	// group of the API. Empty for the core group.
	// +optional
	Group string `json:"group,omitempty"`
	// version of the API.
	// +kubebuilder:validation:MinLength=1
	Version string `json:"version"`
	// kind, such as StatefulSet.
	// +kubebuilder:validation:MinLength=1
	Kind string `json:"kind"`
	// plural, such as statefulsets.
	// +kubebuilder:validation:MinLength=1
	Plural string `json:"plural"`
	// podTemplate is the path of its Pod template.
	// +kubebuilder:default=spec.template
	// +kubebuilder:validation:Pattern=`^spec(\.[A-Za-z]+)+$`
	// +optional
	PodTemplate string `json:"podTemplate,omitempty"`
	// replicas is the path of the field that shows the replicas of the primary object.
	// +kubebuilder:default=spec.replicas
	// +kubebuilder:validation:Pattern=`^spec(\.[A-Za-z]+)+$`
	// +optional
	Replicas string `json:"replicas,omitempty"`
	// lacks are paths that a Deployment has and this resource does not have, such as
	// status. What scenarios say about them is left out.
	// +optional
	Lacks []string `json:"lacks,omitempty"`
	// base is merged under the spec of every such object that a scenario creates.
	// +optional
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	Base *apiextensionsv1.JSON `json:"base,omitempty"`
}

// ServiceChild is the Service that the controller makes.
type ServiceChild struct {
	// name is a template over .name and .spec of the primary object.
	// +kubebuilder:default="{{ .name }}"
	// +optional
	Name string `json:"name,omitempty"`
	// port of the Service, if it is not the container's: always the same one, or
	// that of a field of its own.
	// +optional
	Port *Field `json:"port,omitempty"`
}
