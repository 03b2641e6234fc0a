package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Trial does what a user does, disturbs the controller under test once while it acts, and
// compares the outcome with that of the same operations undisturbed. It is carried out
// once: to do it again, create another.
//
// A Trial waits until the subject is ready. After each operation it waits until the
// subject has fallen quiet. At the end it touches the objects that it created, with an
// annotation that means nothing, and waits until the subject is quiet again. Then it takes
// the outcome.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Verdict",type=string,JSONPath=`.status.verdict`
// +kubebuilder:printcolumn:name="Reached",type=boolean,JSONPath=`.status.reached`
// +kubebuilder:printcolumn:name="Message",type=string,JSONPath=`.status.message`
type Trial struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="a trial cannot be changed: create another"
	Spec   TrialSpec   `json:"spec"`
	Status TrialStatus `json:"status,omitempty"`
}

// TrialSpec says what is done, how it is disturbed, and what the outcome must be.
//
// +kubebuilder:validation:XValidation:rule="!has(self.also) || has(self.disturb)",message="also is a second disturbance: give disturb, too"
// +kubebuilder:validation:XValidation:rule="!has(self.disturb) || !has(self.disturb.from) || self.disturb.from <= size(self.operations)",message="disturb.from is the number of one of the operations"
type TrialSpec struct {
	// operations are carried out one after the other. Between two of them the subject
	// falls quiet.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=10
	Operations []TrialOperation `json:"operations"`

	// disturb says what happens to the subject meanwhile. Left out: nothing.
	// +optional
	Disturb *TrialDisturbance `json:"disturb,omitempty"`

	// also is a second disturbance: a fault that hits one request. It comes into force with
	// the first one. If both select a request, the first one hits it, and the second one does
	// not count it. The status says reached only if both happen.
	// +optional
	Also *TrialAlso `json:"also,omitempty"`

	// resources of the outcome, as plural or plural.group. Only objects in the Trial's own
	// namespace are part of it. If the profile serves a resource without a namespace, its
	// objects are part of it, too, and so are other objects without a namespace that the
	// subject wrote.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=50
	Resources []string `json:"resources"`

	// undisturbed is the outcome without the disturbance. Left out: the outcome is taken,
	// and compared with nothing.
	// +optional
	Undisturbed *TrialUndisturbed `json:"undisturbed,omitempty"`

	// wake is true for a subject whose pauses before a retry are longer than within. If one of
	// its requests has failed, and it may still have to try again, the outcome is compared only
	// after the touch. Otherwise the outcome must be as expected before the touch, too.
	// +optional
	Wake bool `json:"wake,omitempty"`

	// restartAtEnd restarts the subject instead of the touch. A difference counts only if the
	// restart repairs it: the new process acts on what exists, so the old one has missed
	// something.
	// +optional
	RestartAtEnd bool `json:"restartAtEnd,omitempty"`

	// within is how long each wait for quiet may last, and how long the outcome may take to
	// become as expected. Such a wait ends as soon as it can.
	// +kubebuilder:default={plus: "30s"}
	Within TimeBound `json:"within,omitempty"`

	// pauses is the part of within that is for pauses before a retry. The outcome is awaited
	// that much longer only if a request failed, and none for the same object succeeded since,
	// or if the disturbance was one of watches or of old states, after which the subject may
	// have failed without a request.
	// +optional
	Pauses metav1.Duration `json:"pauses,omitzero"`
}

// TrialUndisturbed is what happens without the disturbance.
//
// +kubebuilder:validation:XValidation:rule="has(self.trial) != has(self.objects)",message="give either trial or objects"
type TrialUndisturbed struct {
	// trial is the name of another Trial in the namespace that is done: its outcome is
	// expected, and harm that it saw is expected, too.
	// +optional
	Trial string `json:"trial,omitempty"`
	// objects is the expected outcome, as YAML or JSON: a map from resource and name, such
	// as "deployments.apps demo", to the object. What differs between any two runs is
	// masked in it, as in status.outcome.
	// +optional
	Objects string `json:"objects,omitempty"`
	// masks are fields that are not compared.
	// +optional
	// +kubebuilder:validation:MaxItems=200
	Masks []TrialMask `json:"masks,omitempty"`
	// deletions are the objects that the subject deletes without a disturbance too, as
	// resource and name. Left out: none.
	// +optional
	Deletions []string `json:"deletions,omitempty"`
	// harms are what users see on the way without a disturbance too: the object, and as path
	// the harm, as in divergences.
	// +optional
	// +kubebuilder:validation:MaxItems=100
	Harms []TrialMask `json:"harms,omitempty"`
	// writes is the largest number of requests with which the subject changes objects. With the
	// disturbance it may send ten times as many, plus thirty. 0: not compared.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Writes int32 `json:"writes,omitempty"`
}

// TrialMask is a field that is not compared, because it differs between two undisturbed
// runs.
type TrialMask struct {
	// object as resource and name. A * in it stands for any text.
	// +kubebuilder:validation:MinLength=1
	Object string `json:"object"`
	// path of the field, as differences show it. What is below it is masked too. Left out:
	// the whole object.
	// +optional
	Path string `json:"path,omitempty"`
	// count is how many such objects there are, if their names are different in each run, and
	// their number is not. Then another number is a difference. 0: not compared.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Count int32 `json:"count,omitempty"`
}

// TrialPhase says how far a Trial is.
type TrialPhase string

// The phases of a Trial.
const (
	// TrialRunning carries out the operations, or waits for the subject.
	TrialRunning TrialPhase = "Running"
	// TrialDone has its outcome.
	TrialDone TrialPhase = "Done"
	// TrialInvalid could not be carried out; the message says why.
	TrialInvalid TrialPhase = "Invalid"
)

// TrialStatus is the result of a Trial.
type TrialStatus struct {
	// phase of the Trial.
	// +optional
	Phase TrialPhase `json:"phase,omitempty"`
	// verdict is Met if the outcome is as without the disturbance, and nothing harmful
	// happened on the way. It is Invalid if the disturbance was not reached.
	// +optional
	Verdict Judgement `json:"verdict,omitempty"`
	// message says what it waits for, what is wrong with it, or what differs.
	// +optional
	Message string `json:"message,omitempty"`
	// reached is true once the disturbance has happened, or if the Trial has none.
	Reached bool `json:"reached"`
	// divergences are the differences from the outcome without the disturbance, the
	// first 50. While the Trial waits for the outcome, they are those that it has seen for some
	// seconds, and that may still go away.
	// +optional
	Divergences []Divergence `json:"divergences,omitempty"`
	// repaired is true if the outcome became as expected after the touch: what is wrong
	// stays so until something else happens to the object.
	// +optional
	Repaired bool `json:"repaired,omitempty"`
	// requests in words: those around the disturbed one, and those that wrote what differs.
	// +optional
	Requests []string `json:"requests,omitempty"`
	// outcome as JSON, masked: what undisturbed.objects of another Trial may be.
	// +optional
	Outcome string `json:"outcome,omitempty"`
	// deletions are the objects that the subject deleted.
	// +optional
	Deletions []string `json:"deletions,omitempty"`
	// writes is the number of requests with which the subject changed objects.
	Writes int32 `json:"writes"`
	// unanswered says what the subject did while one of its requests got no answer.
	// +optional
	Unanswered *Unanswered `json:"unanswered,omitempty"`
	// after and until are the numbers of the last records before its last operation, and
	// at its end.
	// +optional
	After int64 `json:"after,omitempty"`
	// +optional
	Until int64 `json:"until,omitempty"`
	// tookMs is how long it took, in milliseconds.
	TookMs int64 `json:"tookMs"`
}

// Unanswered is what a subject did while one of its requests got no answer.
type Unanswered struct {
	// waitedMs is how long it waited, in milliseconds.
	WaitedMs int64 `json:"waitedMs"`
	// gaveUp is true if it stopped waiting by itself. Otherwise its connection was cut.
	// +optional
	GaveUp bool `json:"gaveUp,omitempty"`
	// requests is how many it sent meanwhile, without watches, Leases, Events and reviews.
	Requests int32 `json:"requests"`
}

// TrialList is a list of Trials.
//
// +kubebuilder:object:root=true
type TrialList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Trial `json:"items"`
}
