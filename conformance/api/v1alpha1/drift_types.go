package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Drift changes, as somebody else, an object that the controller under test wrote:
// every field that the controller set, one after the other, or every place where others
// may add something. Or it deletes every object that the controller made for another one.
// The requests of the controller show which fields it set, and what it made.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Mode",type=string,JSONPath=`.spec.mode`
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Verdict",type=string,JSONPath=`.status.verdict`
// +kubebuilder:printcolumn:name="Message",type=string,JSONPath=`.status.message`
type Drift struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="a drift cannot be changed: create another"
	Spec   DriftSpec   `json:"spec"`
	Status DriftStatus `json:"status,omitempty"`
}

// DriftSpec says which object is changed, and how.
type DriftSpec struct {
	// resource as plural or plural.group: deployments.apps.
	// +kubebuilder:validation:MinLength=1
	Resource string `json:"resource"`

	// name of the object, or of the owner of the objects that are deleted or changed.
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`

	// feature that a profile must claim for the Drift to be asked for. Left out: every
	// profile.
	// +optional
	Feature Feature `json:"feature,omitempty"`

	// mode: Change gives each field that the controller set another value, and waits
	// until it comes back. Then it takes all labels and annotations away at once, and
	// waits for those of the controller. Add adds something in each place where others
	// may, at once, and waits until the controller has written the object again: what
	// was added must still be there. Delete deletes each object that the controller made,
	// and that has an owner reference to this one, one after the other, and waits until it
	// is there again. If it does not come back, the controller is restarted: what the
	// restart does not bring back either is made only once, and is not judged.
	// ChangeOthers is like Change, for each object that the controller made, that has an
	// owner reference to this one, and that is neither the workload nor a Service of the
	// contract. A field that does not come back is judged as a deleted object is.
	// +kubebuilder:validation:Enum=Change;Add;Delete;ChangeOthers
	Mode DriftMode `json:"mode"`

	// within is how long a field, or a deleted object, may take to come back, in addition
	// to the resync of the profile, if that is at most 35 s; or how long the controller may
	// take to write the object again.
	// +kubebuilder:default={plus: "10s"}
	Within TimeBound `json:"within,omitempty"`
}

// DriftMode says what is done to an object.
type DriftMode string

// The modes of a Drift.
const (
	// DriftChange changes what the controller set. It must come back.
	DriftChange DriftMode = "Change"
	// DriftAdd adds what the controller did not set. It must stay.
	DriftAdd DriftMode = "Add"
	// DriftDelete deletes what the controller made. It must come back.
	DriftDelete DriftMode = "Delete"
	// DriftChangeOthers changes what the controller set in objects beside the workload and
	// the Service. It must come back.
	DriftChangeOthers DriftMode = "ChangeOthers"
)

// DriftPhase says how far a Drift is.
type DriftPhase string

// The phases of a Drift.
const (
	// DriftRunning changes the object, or waits for the controller.
	DriftRunning DriftPhase = "Running"
	// DriftDone knows the result of every field.
	DriftDone DriftPhase = "Done"
	// DriftInvalid cannot be judged; the message says why.
	DriftInvalid DriftPhase = "Invalid"
)

// DriftResult says what happened to one field.
//
// +kubebuilder:validation:Enum=Pending;Kept;Lost;NotAsked
type DriftResult string

// The results of a field.
const (
	// DriftPending: nobody knows yet.
	DriftPending DriftResult = "Pending"
	// DriftKept: what the controller set or made has come back, or what was added is still
	// there.
	DriftKept DriftResult = "Kept"
	// DriftLost: it has not come back, or is gone.
	DriftLost DriftResult = "Lost"
	// DriftNotAsked: it was not changed; the note says why.
	DriftNotAsked DriftResult = "NotAsked"
)

// DriftField is one field, one place, or one object, and what happened to it.
type DriftField struct {
	// path of the field, spec.template.spec.containers[app].image, or the object that was
	// deleted, configmaps demo-config.
	Path string `json:"path"`
	// result of the change.
	Result DriftResult `json:"result"`
	// note says what was done to it, what was found, or why it was not asked.
	// +optional
	Note string `json:"note,omitempty"`
}

// DriftStatus says what happened to each field, or to each object.
type DriftStatus struct {
	// phase of the Drift.
	// +optional
	Phase DriftPhase `json:"phase,omitempty"`
	// verdict is Met if everything that was asked came back, or stayed.
	// +optional
	Verdict Judgement `json:"verdict,omitempty"`
	// message says what did not come back or stay, and what was not asked.
	// +optional
	Message string `json:"message,omitempty"`
	// asked is how many fields were changed, or how many objects were deleted.
	Asked int32 `json:"asked"`
	// fields, one by one.
	// +optional
	Fields []DriftField `json:"fields,omitempty"`
}

// DriftList is a list of Drifts.
//
// +kubebuilder:object:root=true
type DriftList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Drift `json:"items"`
}
