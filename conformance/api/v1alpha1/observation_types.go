package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Observation watches an object's whole history, not just its present: every
// version is held against a rule that must never come true.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Resource",type=string,JSONPath=`.spec.resource`
// +kubebuilder:printcolumn:name="Name",type=string,JSONPath=`.spec.name`
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Versions",type=integer,JSONPath=`.status.versions`
// +kubebuilder:printcolumn:name="Message",type=string,JSONPath=`.status.message`
type Observation struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="an observation cannot be changed: create another"
	Spec   ObservationSpec   `json:"spec"`
	Status ObservationStatus `json:"status,omitempty"`
}

// ObservationSpec says what is watched, and what must never be.
type ObservationSpec struct {
	// resource as plural or plural.group: webapps, deployments.apps, pods.
	// +kubebuilder:validation:MinLength=1
	Resource string `json:"resource"`

	// name of the object; empty for all objects of the resource in the
	// Observation's namespace.
	// +optional
	Name string `json:"name,omitempty"`

	// never is a CEL expression over new, the version just seen, and old, the
	// one before it (null for an object just created; new is null for one just
	// deleted). A version for which it is true is a violation. A field that is
	// absent makes it false; use has() or optional access to speak of absence.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=4096
	Never string `json:"never"`
}

// ObservationPhase says whether the watch is open.
type ObservationPhase string

// The phases of an Observation.
const (
	ObservationWatching ObservationPhase = "Watching"
	ObservationInvalid  ObservationPhase = "Invalid"
)

// ObservationStatus is what was seen so far.
type ObservationStatus struct {
	// phase is Watching once the watch is open: what happens from then on is
	// seen. Invalid where the resource or the expression is not understood.
	// +optional
	Phase ObservationPhase `json:"phase,omitempty"`
	// message says why it is Invalid.
	// +optional
	Message string `json:"message,omitempty"`
	// versions seen so far.
	Versions int64 `json:"versions"`
	// seenResourceVersion is the newest version that was judged.
	// +optional
	SeenResourceVersion string `json:"seenResourceVersion,omitempty"`
	// violations, the first 20.
	Violations []ObservedViolation `json:"violations"`
}

// ObservedViolation is one version that must never have been.
type ObservedViolation struct {
	// name of the object.
	Name string `json:"name"`
	// resourceVersion of the version.
	ResourceVersion string `json:"resourceVersion"`
	// generation of the version.
	Generation int64 `json:"generation"`
	// excerpt holds spec and status of the version, as JSON, cut short.
	Excerpt string `json:"excerpt"`
}

// ObservationList is a list of Observations.
//
// +kubebuilder:object:root=true
type ObservationList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Observation `json:"items"`
}
