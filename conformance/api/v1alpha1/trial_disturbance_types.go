package v1alpha1

// TrialDisturbance is what happens to the subject, and when. Exactly one of fault,
// terminate, meanwhile and lease is given.
//
// +kubebuilder:validation:XValidation:rule="(has(self.fault) ? 1 : 0) + (has(self.terminate) ? 1 : 0) + (has(self.meanwhile) ? 1 : 0) + (has(self.lease) ? 1 : 0) == 1",message="give exactly one of fault, terminate, meanwhile and lease"
// +kubebuilder:validation:XValidation:rule="!has(self.lasting) || !self.lasting || has(self.fault)",message="lasting goes with fault"
// +kubebuilder:validation:XValidation:rule="!has(self.answerWaits) || !self.answerWaits || has(self.meanwhile)",message="answerWaits goes with meanwhile"
// +kubebuilder:validation:XValidation:rule="!has(self.untilQuiet) || !self.untilQuiet || has(self.meanwhile)",message="untilQuiet goes with meanwhile"
type TrialDisturbance struct {
	// from is the number of the operation, from 1, just before which the disturbance comes
	// into force. Left out: the last one. If it is a stale fault, and the operation recreates
	// an object, it comes into force in the middle: what it shows is the object while it is
	// being deleted.
	// +optional
	// +kubebuilder:validation:Minimum=1
	From int32 `json:"from,omitempty"`

	// at is the request, or the watches, that are hit.
	At TrialPoint `json:"at"`

	// fault is what happens to the request. On watches, and with stale, it lasts until the
	// operations are over and the subject is quiet; on other requests it happens once,
	// unless lasting says otherwise.
	// +optional
	Fault *FaultAction `json:"fault,omitempty"`

	// lasting makes the fault happen to every request that matches, until the operations are
	// over and the subject is quiet, and for at least 5 s after each of them.
	// +optional
	Lasting bool `json:"lasting,omitempty"`

	// terminate ends the replica with SIGTERM while the request is open, and starts it
	// again. The request is let through 1.5 s later.
	// +optional
	Terminate *Empty `json:"terminate,omitempty"`

	// meanwhile is done while the request is open, which is then let through. It is
	// compared with the outcome of the operations with this one after them,
	// undisturbed.
	// +optional
	Meanwhile *TrialOperation `json:"meanwhile,omitempty"`

	// answerWaits lets the API server carry out the request first: what is done meanwhile is
	// done while the answer is on its way, and the answer arrives when the subject is quiet.
	// It goes with meanwhile, and with a write that has an effect: at.occurrence counts
	// only these.
	// +optional
	AnswerWaits bool `json:"answerWaits,omitempty"`

	// untilQuiet keeps the request open until the subject is quiet: by then it has done what it
	// can do, while that request is open, about what happened meanwhile. It goes with meanwhile.
	// +optional
	UntilQuiet bool `json:"untilQuiet,omitempty"`

	// lease is what happens to the Lease while the request is open, which is then let
	// through. Lost: the renewals of the replica that leads are refused until another one
	// leads. Regained: somebody else takes the Lease for a second, and the replica that
	// led takes it again. The Subject needs two replicas and leader election.
	// +optional
	Lease TrialLease `json:"lease,omitempty"`
}

// TrialAlso is a second disturbance.
type TrialAlso struct {
	// at is the request that is hit.
	At TrialPoint `json:"at"`
	// fault is what happens to it.
	Fault FaultAction `json:"fault"`
}

// TrialLease is what happens to the Lease of a leader.
//
// +kubebuilder:validation:Enum=Lost;Regained
type TrialLease string

// What happens to the Lease of a leader.
const (
	LeaseLost     TrialLease = "Lost"
	LeaseRegained TrialLease = "Regained"
)

// TrialPoint is one request of the subject, named by what it is and not by its time.
type TrialPoint struct {
	// target says whose request it is: All, Leader, Standby or the name of a replica.
	// +kubebuilder:default=All
	// +kubebuilder:validation:MinLength=1
	Target string `json:"target,omitempty"`
	// verb is logical, as in a Fault's match. Left out: any that the fault acts on.
	// +optional
	// +kubebuilder:validation:Enum=get;list;watch;create;update;delete
	Verb string `json:"verb,omitempty"`
	// resource as plural.group.
	// +optional
	Resource string `json:"resource,omitempty"`
	// subresource such as status; "-": the object itself only. Left out: both.
	// +optional
	Subresource string `json:"subresource,omitempty"`
	// name of the object. A * in it stands for any text. Left out: any.
	// +optional
	Name string `json:"name,omitempty"`
	// occurrence is which of the requests that match it is, from 1. A crash after a
	// request counts those that had an effect. For watches and with stale it is left out.
	// +optional
	// +kubebuilder:validation:Minimum=1
	Occurrence int32 `json:"occurrence,omitempty"`
}
