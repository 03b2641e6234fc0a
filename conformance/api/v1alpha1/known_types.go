package v1alpha1

// KindKnownFailures is the kind of a file of known failures.
const KindKnownFailures = "KnownFailures"

// KnownFailure is a requirement that fails, or a divergence that an exploration finds,
// which somebody knows and will mend.
type KnownFailure struct {
	// id of the requirement, or of the cause in the report of an exploration.
	ID string `json:"id"`
	// reason why it fails, or why that is accepted for now.
	Reason string `json:"reason"`
	// owner is who will mend it.
	Owner string `json:"owner"`
	// expires is the last day on which it may fail, as in 2027-01-31. After it the failure
	// counts like any other.
	Expires string `json:"expires"`
}

// KnownState is what a run has found of a known failure.
//
// +kubebuilder:validation:Enum=Fails;Expired;Mended;NotSeen
type KnownState string

// The states of a known failure.
const (
	// KnownFails: it fails, as is known.
	KnownFails KnownState = "Fails"
	// KnownExpired: it fails, and its last day is over.
	KnownExpired KnownState = "Expired"
	// KnownMended: it does not fail any more, and can be taken out of the file.
	KnownMended KnownState = "Mended"
	// KnownNotSeen: the run has not judged it.
	KnownNotSeen KnownState = "NotSeen"
)

// KnownResult is a known failure, and what a run has found of it.
type KnownResult struct {
	KnownFailure `json:",inline"`
	// state of the known failure.
	State KnownState `json:"state"`
}
