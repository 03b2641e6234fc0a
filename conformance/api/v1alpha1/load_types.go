package v1alpha1

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Load makes many objects from a template, or many edits of one, at a rate,
// once. What it made stays.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Verdict",type=string,JSONPath=`.status.verdict`
// +kubebuilder:printcolumn:name="Done",type=integer,JSONPath=`.status.done`
// +kubebuilder:printcolumn:name="Took",type=integer,JSONPath=`.status.tookMs`
// +kubebuilder:printcolumn:name="Message",type=string,JSONPath=`.status.message`
type Load struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="a load cannot be changed: create another"
	Spec   LoadSpec   `json:"spec"`
	Status LoadStatus `json:"status,omitempty"`
}

// LoadSpec says what is made, how often and how fast.
//
// +kubebuilder:validation:XValidation:rule="!has(self.dutyCyclePercent) || self.action == 'Edit'",message="dutyCyclePercent is for edits: objects are created side by side"
type LoadSpec struct {
	// action: Create makes an object each, named NAME-0, NAME-1 and so on after
	// the template's name. Edit applies JSON merge patches to the one object that
	// the template names, one after the other.
	// +kubebuilder:validation:Enum=Create;Edit
	Action LoadAction `json:"action"`

	// template of the object, with apiVersion, kind and metadata.name; for Edit
	// it is the patch too. In its strings {{ .i }} is the number of the object or
	// edit, from 0, in Go's template language, with the functions add, mul and mod. A
	// string that is only such an expression becomes a number if its result is one. The
	// objects are made in the Load's own namespace.
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	Template apiextensionsv1.JSON `json:"template"`

	// count of the objects or edits.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=5000
	Count int32 `json:"count"`

	// perSecond is the rate. 0: as fast as the API server accepts them.
	// +optional
	// +kubebuilder:validation:Minimum=0
	PerSecond int32 `json:"perSecond,omitempty"`

	// dutyCyclePercent is the largest part of the time in which an edit may be on its
	// way. On a slow machine each edit takes longer, so there are fewer edits, and a
	// controller has the same share of the time to read and write between two of them
	// on any machine. 0: no such limit.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	DutyCyclePercent int32 `json:"dutyCyclePercent,omitempty"`
}

// LoadAction says what a Load does.
type LoadAction string

// What a Load may do.
const (
	LoadCreate LoadAction = "Create"
	LoadEdit   LoadAction = "Edit"
)

// LoadPhase says how far a Load is.
type LoadPhase string

// The phases of a Load.
const (
	LoadRunning LoadPhase = "Running"
	LoadDone    LoadPhase = "Done"
	LoadFailed  LoadPhase = "Failed"
)

// LoadStatus says what was done.
type LoadStatus struct {
	// phase of the Load.
	// +optional
	Phase LoadPhase `json:"phase,omitempty"`
	// verdict is Met once all of it was done, and Invalid if it could not be.
	// +optional
	Verdict Judgement `json:"verdict,omitempty"`
	// message says what went wrong, with which object. The Load ends there.
	// +optional
	Message string `json:"message,omitempty"`
	// done counts the objects or edits so far.
	Done int32 `json:"done"`
	// tookMs is how long all of it took, in milliseconds.
	TookMs int64 `json:"tookMs"`
}

// LoadList is a list of Loads.
//
// +kubebuilder:object:root=true
type LoadList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Load `json:"items"`
}
