package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Verdict of a whole run.
//
// +kubebuilder:validation:Enum=Conformant;Partial;NotConformant;Inconclusive
type Verdict string

// The verdicts of a run.
const (
	// Conformant: nothing failed, and every core requirement there is was judged.
	Conformant Verdict = "Conformant"
	// Partial: nothing failed, but core requirements were not judged: they could not
	// be, or were not selected.
	Partial Verdict = "Partial"
	// NotConformant: at least one requirement failed, or is flaky.
	NotConformant Verdict = "NotConformant"
	// Inconclusive: the test itself could not be carried out.
	Inconclusive Verdict = "Inconclusive"
)

// KindConformanceReport is the kind of a ConformanceReport.
const KindConformanceReport = "ConformanceReport"

// ConformanceReport is what a run ends with: the verdict on one implementation,
// with a result for each requirement. It is a file, never served.
type ConformanceReport struct {
	metav1.TypeMeta `json:",inline"`
	// implementation that was judged.
	Implementation Implementation `json:"implementation"`
	// profile that described it.
	Profile string `json:"profile"`
	// contract that it was judged by. Empty: webapp.
	// +optional
	Contract string `json:"contract,omitempty"`
	// profileDigest is the SHA-256 of its file, as in sha256:…. The same digest is the same
	// profile, byte by byte.
	ProfileDigest string `json:"profileDigest,omitempty"`
	// date of the run, RFC 3339.
	Date metav1.Time `json:"date"`
	// selection of the requirements that were to be judged. Left out: all of them.
	// +optional
	Selection Selection `json:"selection,omitzero"`
	// shard is the part of the selection that this run was told to judge. Left out if
	// it is all of it.
	Shard *Shard `json:"shard,omitempty"`
	// reproduce is the command that repeats the run. Left out in a merged report.
	Reproduce string `json:"reproduce,omitempty"`
	// judgeRest is the command that judges what this run left out: what it did not reach, or
	// else what was not selected, together with the rest. Left out if nothing is left.
	JudgeRest string `json:"judgeRest,omitempty"`
	// parts are the runs that this report was merged from. Left out in the report of a run.
	Parts []Part `json:"parts,omitempty"`
	// verdict on the whole.
	Verdict Verdict `json:"verdict"`
	// notStarted tells of a controller that never was ready: nothing else could be
	// judged.
	NotStarted *NotStarted `json:"notStarted,omitempty"`
	// cutShort tells of a run that ended before all was judged. It is inconclusive, unless
	// something failed by then.
	CutShort *CutShort `json:"cutShort,omitempty"`
	// rerun tells that some results are of a later run, by run --rerun-failed.
	Rerun *Rerun `json:"rerun,omitempty"`
	// summary counts the results.
	Summary Summary `json:"summary"`
	// core tells how many of all core requirements were judged, which the selection
	// of a run may leave out.
	Core Coverage `json:"core"`
	// classes are named sets of requirements, and how far each is met.
	Classes []ClassResult `json:"classes,omitempty"`
	// durations of the parts of the run. In a merged report, those of the longest run,
	// because the runs ran side by side.
	Durations Durations `json:"durations"`
	// versions of what took part.
	Versions Versions `json:"versions"`
	// claims of the profile, as judged.
	Claims Claims `json:"claims"`
	// expired are the exemptions of the profile whose last day was over: they did not count.
	Expired []Exemption `json:"expired,omitempty"`
	// unused are the exemptions of the profile that no request of the run matched. In a run of
	// a part of the requirements, others may match them.
	Unused []Exemption `json:"unused,omitempty"`
	// timeoutScale is what every time limit was multiplied by, if it is not 1.
	// Below 1 a limit can be shorter than what a scenario measures: a sound controller
	// may fail.
	TimeoutScale float64 `json:"timeoutScale,omitempty"`
	// isolation names what the subject could not be isolated from on this machine.
	Isolation []string `json:"isolation,omitempty"`
	// unserved are requests for processes of Pods that the bench could not serve: commands,
	// logs, forwarded ports. They accuse nobody. A scenario that failed after one is
	// inconclusive.
	Unserved []Unserved `json:"unserved,omitempty"`
	// invariants are what must never happen, in any scenario: whether it did, and where.
	Invariants []Invariant `json:"invariants,omitempty"`
	// seenButUnclaimed is what the implementation was seen to do or to have, and the
	// profile does not claim. It accuses nobody.
	SeenButUnclaimed []SeenButUnclaimed `json:"seenButUnclaimed,omitempty"`
	// measured are the profile's times, each with what the run shows of it. They accuse
	// nobody.
	Measured []Measured `json:"measured,omitempty"`
	// rights that the manifests ask for, and the requests of one shard. The rights are judged
	// when the reports of all shards are merged.
	Rights *Rights `json:"rights,omitempty"`
	// known are the failures that were declared as known (--known), and what the run has
	// found of each. They change no verdict, only the exit status.
	Known []KnownResult `json:"known,omitempty"`
	// results, in the order of their IDs.
	Results []Result `json:"results"`
}

// Unserved counts requests of one sort that the bench could not serve.
type Unserved struct {
	// request is the verb and the resource: create pods/exec.
	Request string `json:"request"`
	// count of these requests in all scenarios.
	Count int `json:"count"`
	// answer to the first of them.
	Answer string `json:"answer"`
	// seenIn are the requirements in whose scenarios they were sent.
	SeenIn []string `json:"seenIn,omitempty"`
}

// SeenButUnclaimed is a feature that an implementation was seen to have, and that its
// profile does not claim: what could be judged of it was not.
type SeenButUnclaimed struct {
	// feature that could be claimed.
	Feature Feature `json:"feature"`
	// seen is what showed it.
	Seen string `json:"seen"`
	// add says what to add to the spec of the profile.
	Add string `json:"add"`
}

// Measured is one of the times that a profile declares, and the longest such time that was
// seen in the run.
type Measured struct {
	// name as in claims.times, or start, which nobody declares.
	Name string `json:"name"`
	// what was measured, in words.
	What string `json:"what"`
	// declared by the profile. Left out if it declares none.
	Declared *metav1.Duration `json:"declared,omitempty"`
	// measured is the longest of the run. Left out if nothing showed it.
	Measured *metav1.Duration `json:"measured,omitempty"`
	// in is the requirement in whose scenario that was.
	In string `json:"in,omitempty"`
}

// CutShort tells why a run ended before all was judged.
type CutShort struct {
	// reason, in a sentence.
	Reason string `json:"reason"`
	// notJudged are the IDs of what was selected and not judged.
	NotJudged []string `json:"notJudged,omitempty"`
}

// NotStarted tells why a controller was never ready.
type NotStarted struct {
	// reason, in a sentence.
	Reason string `json:"reason"`
	// log holds the last lines that it wrote.
	Log []string `json:"log,omitempty"`
	// reproduce is the command that starts it again.
	Reproduce string `json:"reproduce,omitempty"`
}

// Summary counts results.
type Summary struct {
	Passed       int `json:"passed"`
	Failed       int `json:"failed"`
	Inconclusive int `json:"inconclusive"`
	Skipped      int `json:"skipped"`
	// blocked by others that failed.
	Blocked int `json:"blocked,omitempty"`
	// flaky ones failed once and passed once.
	Flaky int `json:"flaky,omitempty"`
	// notExercised ones passed, but tried nothing.
	NotExercised int `json:"notExercised,omitempty"`
	// notJudged ones were selected, and the run ended before them. They are not among the
	// skipped ones.
	NotJudged int `json:"notJudged,omitempty"`
}

// Rerun says which results of a report are newer than the others.
type Rerun struct {
	// date of the others.
	Date metav1.Time `json:"date"`
	// judged are the IDs of those that were judged again.
	Judged []string `json:"judged"`
	// reproduce is the command by which they were.
	Reproduce string `json:"reproduce,omitempty"`
}

// Invariant is one rule that holds in every scenario, or one way in which it was broken.
type Invariant struct {
	// rule such as Forbidden.
	Rule string `json:"rule"`
	// verdict on it: Passed, or Failed.
	Verdict ResultVerdict `json:"verdict"`
	// about says what was done to what, if it failed.
	About string `json:"about,omitempty"`
	// seenIn are the requirements in whose scenarios it was broken. Those that failed by
	// it have the evidence.
	SeenIn []string `json:"seenIn,omitempty"`
}

// Coverage tells how much of a set of requirements was judged.
type Coverage struct {
	// judged are those that passed or failed.
	Judged int `json:"judged"`
	// total of the set.
	Total int `json:"total"`
}

// ClassVerdict is the verdict on one conformance class.
//
// +kubebuilder:validation:Enum=Conformant;Partial;NotConformant;NotJudged;NotClaimed
type ClassVerdict string

// The verdicts on a conformance class.
const (
	// ClassConformant: all that it requires passed, and nothing of it failed.
	ClassConformant ClassVerdict = "Conformant"
	// ClassPartial: nothing of it failed, but not all that it requires was judged, or
	// is claimed.
	ClassPartial ClassVerdict = "Partial"
	// ClassNotConformant: something of it failed.
	ClassNotConformant ClassVerdict = "NotConformant"
	// ClassNotJudged: nothing of it was judged. It was not selected, for example.
	ClassNotJudged ClassVerdict = "NotJudged"
	// ClassNotClaimed: nothing of it applies to the implementation.
	ClassNotClaimed ClassVerdict = "NotClaimed"
)

// ClassResult tells how far an implementation meets a conformance class.
type ClassResult struct {
	// name such as Core or High availability.
	Name string `json:"name"`
	// verdict on it.
	Verdict ClassVerdict `json:"verdict"`
	// required are the requirements that make the class.
	Required Tally `json:"required"`
	// optional are those that belong to it, and that an implementation need not claim.
	// +optional
	Optional Tally `json:"optional,omitzero"`
}

// Tally counts requirements, each once, by the worst of its results.
type Tally struct {
	// passed, all of them.
	Passed int `json:"passed"`
	// failed, or flaky, or blocked by such a one.
	Failed int `json:"failed,omitempty"`
	// notJudged were not selected, or could not be judged.
	NotJudged int `json:"notJudged,omitempty"`
	// notClaimed do not apply to the implementation.
	NotClaimed int `json:"notClaimed,omitempty"`
	// total of the requirements.
	Total int `json:"total"`
}

// Durations of a run's parts, as Go durations.
type Durations struct {
	// controlPlane until a Deployment's Pods become Ready.
	ControlPlane metav1.Duration `json:"controlPlane"`
	// scenarios, from the first start to the last end.
	Scenarios metav1.Duration `json:"scenarios"`
	// slow is the part for scenarios that run after all others: those that change what all
	// share, and, on nodes, the slow ones.
	// +optional
	Slow metav1.Duration `json:"slow,omitzero"`
	// again is the part for second looks.
	// +optional
	Again metav1.Duration `json:"again,omitzero"`
	// longestScenario of those that ran side by side.
	LongestScenario metav1.Duration `json:"longestScenario"`
	// ratio of all that ran side by side to the longest of them: 1 is as fast as
	// it can be.
	Ratio float64 `json:"ratio,omitempty"`
	// total of the run.
	Total metav1.Duration `json:"total"`
}

// Versions of what took part in a run.
type Versions struct {
	Reconform  string `json:"reconform"`
	Kubernetes string `json:"kubernetes"`
	Chainsaw   string `json:"chainsaw"`
	Go         string `json:"go"`
	Platform   string `json:"platform"`
}
