package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Fault changes what the controller under test experiences of its API calls:
// they fail, are late, are lost, or are answered from the past. It acts from its
// creation until it is exhausted or deleted; deleting it restores normal traffic at
// once.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Target",type=string,JSONPath=`.spec.target`
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Verdict",type=string,JSONPath=`.status.verdict`
// +kubebuilder:printcolumn:name="Hits",type=integer,JSONPath=`.status.hits`
// +kubebuilder:printcolumn:name="Message",type=string,JSONPath=`.status.message`
type Fault struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="a fault cannot be changed: delete it and create another"
	Spec   FaultSpec   `json:"spec"`
	Status FaultStatus `json:"status,omitempty"`
}

// FaultPhase says how far a Fault is.
type FaultPhase string

// The phases of a Fault.
const (
	// FaultArmed is in force, and has hit nothing yet.
	FaultArmed FaultPhase = "Armed"
	// FaultActive has hit something, and goes on.
	FaultActive FaultPhase = "Active"
	// FaultExhausted has hit as many requests as it should. Traffic is normal again.
	FaultExhausted FaultPhase = "Exhausted"
	// FaultInvalid can never act; the message says why.
	FaultInvalid FaultPhase = "Invalid"
)

// FaultStatus says what the Fault has done.
type FaultStatus struct {
	// phase of the Fault.
	// +optional
	Phase FaultPhase `json:"phase,omitempty"`
	// verdict is Met as soon as the Fault has hit as many requests as expected. If the
	// Fault need not fire, it is Met from the beginning.
	// +optional
	Verdict Judgement `json:"verdict,omitempty"`
	// hits counts the requests, or the open streams, that it acted on.
	Hits int64 `json:"hits"`
	// byResource counts them by resource, as plural.group.
	// +optional
	ByResource map[string]int64 `json:"byResource,omitempty"`
	// hidden counts the events of watches that were kept from the controller.
	// +optional
	Hidden int64 `json:"hidden,omitempty"`
	// message says what is wrong with it, or what it hit last.
	// +optional
	Message string `json:"message,omitempty"`
}

// FaultList is a list of Faults.
//
// +kubebuilder:object:root=true
type FaultList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Fault `json:"items"`
}
