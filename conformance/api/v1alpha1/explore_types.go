package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// KindExploreReport is the kind of an ExploreReport.
const KindExploreReport = "ExploreReport"

// ExploreReport says what an exploration of a controller found: each operation was
// disturbed once at each point, and the outcome compared with the undisturbed one. It is
// a file.
type ExploreReport struct {
	metav1.TypeMeta `json:",inline"`

	// verdict is Converges where there is no confirmed divergence, Diverges where there is
	// one, and Inconclusive where nothing could be concluded.
	Verdict ExploreVerdict `json:"verdict"`
	// reason of an Inconclusive verdict.
	// +optional
	Reason string `json:"reason,omitempty"`
	// cut says why not all plans were carried out: the budget, or an interruption.
	// +optional
	Cut string `json:"cut,omitempty"`
	// implementation that was explored.
	Implementation Implementation `json:"implementation"`
	// profile as it was named.
	Profile string `json:"profile"`
	// version of Reconform.
	Version string `json:"version"`
	// seed of the order.
	Seed int64 `json:"seed"`
	// took is how long it took, and recording how much of that.
	Took      metav1.Duration `json:"took"`
	Recording metav1.Duration `json:"recording"`
	// plans counts them.
	Plans ExplorePlans `json:"plans"`
	// operations that were disturbed.
	Operations []ExploredOperation `json:"operations"`
	// left are operations and disturbances that were left out, each with the reason.
	// +optional
	Left []string `json:"left,omitempty"`
	// masks that were made from the recordings, by operation.
	// +optional
	Masks map[string][]TrialMask `json:"masks,omitempty"`
	// causes of the confirmed divergences, with the most frequent one first.
	// +optional
	Causes []ExploredCause `json:"causes,omitempty"`
	// unconfirmed divergences came once only. They accuse nobody.
	// +optional
	Unconfirmed []ExploredCase `json:"unconfirmed,omitempty"`
	// unreached plans did not come to their point.
	// +optional
	Unreached []UnreachedPlan `json:"unreached,omitempty"`
}

// ExploreVerdict is the result of an exploration.
//
// +kubebuilder:validation:Enum=Converges;Diverges;Inconclusive
type ExploreVerdict string

// The verdicts of an exploration.
const (
	Converges            ExploreVerdict = "Converges"
	Diverges             ExploreVerdict = "Diverges"
	ExploredInconclusive ExploreVerdict = "Inconclusive"
)

// ExplorePlans counts the plans.
type ExplorePlans struct {
	// planned are all plans that differ.
	Planned int `json:"planned"`
	// done were carried out and came to their point.
	Done int `json:"done"`
	// unreached were carried out, and did not come to their point.
	Unreached int `json:"unreached"`
	// failed could not be carried out, through no fault of the controller.
	Failed int `json:"failed"`
	// diverging are those with a confirmed divergence.
	Diverging int `json:"diverging"`
	// repeats are trials that were carried out again to confirm a divergence.
	Repeats int `json:"repeats"`
	// secondsPerPlan is the time of all trials, divided by their number.
	SecondsPerPlan string `json:"secondsPerPlan"`
}

// ExploredOperation is an operation, as it was recorded.
type ExploredOperation struct {
	// name of it.
	Name string `json:"name"`
	// writes of the controller in it, in order.
	Writes []string `json:"writes,omitempty"`
	// watches that were open in it.
	Watches []string `json:"watches,omitempty"`
	// plans that disturb it.
	Plans int `json:"plans"`
}

// ExploredCause is what several divergences have in common.
type ExploredCause struct {
	// about says in a sentence what a user sees in production.
	About string `json:"about"`
	// divergence that all have.
	Divergence Divergence `json:"divergence"`
	// cases of it, the simplest first.
	Cases []ExploredCase `json:"cases"`
	// scenario is the folder with a scenario that reproduces the first case.
	// +optional
	Scenario string `json:"scenario,omitempty"`
}

// ExploredCase is one plan whose outcome was another one.
type ExploredCase struct {
	// plan in words: the operation, the point, and the disturbance.
	Plan string `json:"plan"`
	// operation by name.
	Operation string `json:"operation"`
	// came is in how many of the tries it came.
	Came int `json:"came"`
	// tries of the plan.
	Tries int `json:"tries"`
	// divergences of one of them.
	Divergences []Divergence `json:"divergences"`
	// repaired is true where another event of the object repaired it.
	// +optional
	Repaired bool `json:"repaired,omitempty"`
	// requests around the point, and those that wrote what differs.
	// +optional
	Requests []string `json:"requests,omitempty"`
	// namespace of that one, in history.jsonl and in the logs.
	Namespace string `json:"namespace"`
}

// UnreachedPlan is a plan that did not come to its point.
type UnreachedPlan struct {
	// plan in words.
	Plan string `json:"plan"`
	// reason why.
	Reason string `json:"reason"`
}
