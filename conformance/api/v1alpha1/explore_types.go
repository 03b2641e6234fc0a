package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// KindExploreReport is the kind of an ExploreReport.
const KindExploreReport = "ExploreReport"

// ExploreReport says what an exploration of a controller found: each operation was
// disturbed once at each point, and the outcome compared with the undisturbed one. It is
// a file.
type ExploreReport struct {
	metav1.TypeMeta `json:",inline"`

	// verdict is Converges if there is no confirmed divergence, Diverges if there is
	// one, and Inconclusive if nothing could be concluded.
	Verdict ExploreVerdict `json:"verdict"`
	// reason of an Inconclusive verdict. If the verdict is Diverges, this is why it would be
	// Inconclusive without the causes, for example if all of them are known.
	// +optional
	Reason string `json:"reason,omitempty"`
	// cut says why not all plans were carried out: the budget, or an interruption.
	// +optional
	Cut string `json:"cut,omitempty"`
	// implementation that was explored.
	Implementation Implementation `json:"implementation"`
	// profile as it was named.
	Profile string `json:"profile"`
	// profileDigest is the SHA-256 of its file, as in sha256:….
	// +optional
	ProfileDigest string `json:"profileDigest,omitempty"`
	// date on which the exploration ended, RFC 3339.
	Date metav1.Time `json:"date"`
	// reproduce is the command that explores again. Left out in a merged report.
	// +optional
	Reproduce string `json:"reproduce,omitempty"`
	// version of Reconform.
	Version string `json:"version"`
	// kubernetes is the version of Kubernetes that it was explored on.
	// +optional
	Kubernetes string `json:"kubernetes,omitempty"`
	// seed of the random order of the plans.
	Seed int64 `json:"seed"`
	// sorts are the kinds of operations that were to be disturbed. Left out: all.
	// +optional
	Sorts []string `json:"sorts,omitempty"`
	// disturbances that were to be carried out. Left out: all.
	// +optional
	Disturbances []string `json:"disturbances,omitempty"`
	// shard is the part of the plans that was to be carried out. Left out: all of them.
	// +optional
	Shard *Shard `json:"shard,omitempty"`
	// parts are the reports of the shards that this one was merged from.
	// +optional
	Parts []ExplorePart `json:"parts,omitempty"`
	// took is how long the exploration took. recording is how much of that time the
	// recordings took.
	Took      metav1.Duration `json:"took"`
	Recording metav1.Duration `json:"recording"`
	// plans counts the plans.
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
	// known are the known failures that are about divergences, and what was found of each.
	// +optional
	Known []KnownResult `json:"known,omitempty"`
	// unconfirmed divergences came once only. They accuse nobody.
	// +optional
	Unconfirmed []ExploredCase `json:"unconfirmed,omitempty"`
	// unanswered says what the controller did while one of its writes got no answer. It does
	// not count as a divergence. Left out: that was not tried.
	// +optional
	Unanswered *ExploredUnanswered `json:"unanswered,omitempty"`
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
	// planned are all different plans. With several shards: those of this shard.
	Planned int `json:"planned"`
	// all are the plans of all shards.
	// +optional
	All int `json:"all,omitempty"`
	// earlier is how many of the plans were done before the exploration was resumed.
	// +optional
	Earlier int `json:"earlier,omitempty"`
	// done were carried out and came to their point.
	Done int `json:"done"`
	// unreached were carried out, and did not come to their point.
	Unreached int `json:"unreached"`
	// failed could not be carried out, for a reason that is not the controller's.
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
	// name of the operation.
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
	// id of the cause: EX- and a digest of the kind of divergence, the object and the field.
	// The same divergence has the same ID in each exploration. It can stand in a file of
	// known failures.
	// +kubebuilder:validation:Pattern=`^EX-[0-9a-f]{8}$`
	ID string `json:"id"`
	// about says in a sentence what a user sees in production.
	About string `json:"about"`
	// divergence that all have.
	Divergence Divergence `json:"divergence"`
	// cases with this cause, the simplest first.
	Cases []ExploredCase `json:"cases"`
	// scenario is the folder with a scenario that reproduces the first case.
	// +optional
	Scenario string `json:"scenario,omitempty"`
	// reproduce is the command that runs that scenario.
	// +optional
	Reproduce string `json:"reproduce,omitempty"`
	// minimised says whether a smaller plan was looked for, and with which result. Left
	// out: the first case has nothing to leave out, or there was no time.
	// +optional
	Minimised *Minimised `json:"minimised,omitempty"`
}

// ExploredCase is one plan whose outcome differed from the expected one.
type ExploredCase struct {
	// plan in words: the operation, the point, and the disturbance.
	Plan string `json:"plan"`
	// operation by name.
	Operation string `json:"operation"`
	// steps are the operations of its Trial in words, in order.
	// +optional
	Steps []string `json:"steps,omitempty"`
	// came is the number of tries in which the divergence came.
	Came int `json:"came"`
	// tries of the plan.
	Tries int `json:"tries"`
	// divergences of one of the tries.
	Divergences []Divergence `json:"divergences"`
	// repaired is true if another event of the object repaired it.
	// +optional
	Repaired bool `json:"repaired,omitempty"`
	// requests around the point, and those that wrote what differs.
	// +optional
	Requests []string `json:"requests,omitempty"`
	// namespace of that try, in history.jsonl and in the logs.
	Namespace string `json:"namespace"`
}

// Minimised is the result of the search for fewer operations, or a smaller object, with
// which the divergence still comes.
type Minimised struct {
	// from is the plan that was made smaller.
	From string `json:"from"`
	// leftOut are the operations and fields that it does not need. Empty: it needs all.
	// +optional
	LeftOut []string `json:"leftOut,omitempty"`
	// trials that were carried out for this search.
	Trials int `json:"trials"`
	// cut says why not everything was tried.
	// +optional
	Cut string `json:"cut,omitempty"`
}

// ExplorePart is the report of a shard that was merged with others.
type ExplorePart struct {
	// shard that it explored. Left out if it was told to explore everything.
	// +optional
	Shard *Shard `json:"shard,omitempty"`
	// date of the report, RFC 3339.
	Date metav1.Time `json:"date"`
	// verdict of the report.
	Verdict ExploreVerdict `json:"verdict"`
	// plans counts its plans.
	Plans ExplorePlans `json:"plans"`
	// took is how long it took.
	Took metav1.Duration `json:"took"`
}

// ExploredUnanswered is what a controller did in all plans in which one of its writes got no
// answer.
type ExploredUnanswered struct {
	// plans in which a write got no answer.
	Plans int `json:"plans"`
	// gaveUp counts those in which it no longer waited before its connection was cut.
	GaveUp int `json:"gaveUp"`
	// silent counts the others in which it sent no request meanwhile.
	Silent int `json:"silent"`
	// longest is how long it waited at most.
	Longest metav1.Duration `json:"longest"`
}

// UnreachedPlan is a plan that did not come to its point.
type UnreachedPlan struct {
	// plan in words.
	Plan string `json:"plan"`
	// reason why.
	Reason string `json:"reason"`
}
