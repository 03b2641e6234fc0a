package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ResultVerdict is the verdict on one requirement.
//
// +kubebuilder:validation:Enum=Passed;Failed;Inconclusive;Skipped;Blocked;Flaky;NotExercised
type ResultVerdict string

// The verdicts on a requirement.
const (
	Passed             ResultVerdict = "Passed"
	Failed             ResultVerdict = "Failed"
	ResultInconclusive ResultVerdict = "Inconclusive"
	Skipped            ResultVerdict = "Skipped"
	// Blocked: it did not pass, and another one that failed is the cause. That one
	// counts.
	Blocked ResultVerdict = "Blocked"
	// Flaky: it failed, which was proved, and passed at a second look. It counts as
	// failed.
	Flaky ResultVerdict = "Flaky"
	// NotExercised: it passed, but none of the Faults of its scenario fired, because
	// the controller sent none of the requests that they are about. Or it needs a watch, and
	// the controller polls.
	NotExercised ResultVerdict = "NotExercised"
)

// Result is the verdict on one requirement, with its evidence.
type Result struct {
	// id such as SH-001.
	ID string `json:"id"`
	// area such as self-healing.
	Area string `json:"area"`
	// level is core, extended or advice.
	Level string `json:"level"`
	// feature that makes it apply; empty for core.
	Feature string `json:"feature,omitempty"`
	// verdict on the requirement.
	Verdict ResultVerdict `json:"verdict"`
	// unclaimed is true if the profile does not claim the feature, and it was judged
	// because it was seen.
	Unclaimed bool `json:"unclaimed,omitempty"`
	// must is the requirement in words.
	Must string `json:"must"`
	// blockedBy is the requirement that failed and is the cause, if the verdict is
	// Blocked.
	BlockedBy string `json:"blockedBy,omitempty"`
	// reason for any verdict except Passed; for advice, what was found.
	Reason string `json:"reason,omitempty"`
	// beside are the invariants that were broken in its scenario, but are judged by
	// another requirement. So this requirement passed.
	Beside []string `json:"beside,omitempty"`
	// duration of the scenario.
	Duration metav1.Duration `json:"duration"`
	// exercised tells how many Faults of the scenario fired, such as 2 of 3.
	Exercised string `json:"exercised,omitempty"`
	// idle are the Faults that need not fire, and did not.
	Idle []string `json:"idle,omitempty"`
	// firstLook is what was found at first, if the machine was too busy for that to
	// count, and the scenario ran again, with fewer others at the same time.
	FirstLook string `json:"firstLook,omitempty"`
	// repeat counts from 1 if the run repeats scenarios.
	Repeat int `json:"repeat,omitempty"`
	// part of a merged report that the result is from, counted from 1.
	Part int `json:"part,omitempty"`
	// itself is what its own scenario found, if another requirement that failed has
	// changed the verdict or the reason.
	Itself *Itself `json:"itself,omitempty"`
	// advice lists what to look at, if the level is advice.
	Advice []string `json:"advice,omitempty"`
	// evidence for a failure.
	Evidence *Evidence `json:"evidence,omitempty"`
}

// Itself is the verdict on a requirement by its own scenario alone.
type Itself struct {
	// verdict on the requirement.
	Verdict ResultVerdict `json:"verdict"`
	// reason for it.
	Reason string `json:"reason,omitempty"`
}

// Evidence shows why a requirement failed.
type Evidence struct {
	// failure is what a step that judges has found in addition to the violations.
	// Without violations it is left out, because the reason has it.
	Failure string `json:"failure,omitempty"`
	// step and operation that failed.
	Step string `json:"step,omitempty"`
	// difference between what was expected and what was observed.
	Difference string `json:"difference,omitempty"`
	// details are what the step found, one by one, if that is much: fields that did not
	// come back, differences between two pictures.
	Details []string `json:"details,omitempty"`
	// symptoms are what the step found in terms that can be compared with those of other
	// requirements.
	Symptoms []Symptom `json:"symptoms,omitempty"`
	// happened says in words, by the recorded requests, what made the step fail. Left out if
	// the reason says it, or if they do not show it.
	Happened string `json:"happened,omitempty"`
	// before says in words what may explain it: what the subject was refused before, or its
	// last write of the object.
	Before []string `json:"before,omitempty"`
	// violations of what must never happen in any scenario.
	Violations []Violation `json:"violations,omitempty"`
	// without is what the verdict is if the violations are left out. Left out if a step
	// that judges failed as well.
	Without *Itself `json:"without,omitempty"`
	// excused is true if nothing can be concluded because of the bench, the machine or the
	// profile.
	Excused bool `json:"excused,omitempty"`
	// requests that prove the violations, in words. If there are many, the first of
	// them.
	Requests []string `json:"requests,omitempty"`
	// recent are the last writes that the subject sent before the step failed, and what it
	// was refused, in words. Left out if requests prove the failure.
	Recent []string `json:"recent,omitempty"`
	// catches names the mistake that this requirement exists to catch.
	Catches string `json:"catches,omitempty"`
	// hint says where to look.
	Hint string `json:"hint,omitempty"`
	// scenario is its file in this suite, with the line of the step that failed, or of the
	// scenario: scenarios/….yaml:42.
	Scenario string `json:"scenario,omitempty"`
	// rendered is the file in the report folder that has the scenario as it was rendered for
	// this controller.
	Rendered string `json:"rendered,omitempty"`
	// namespace of the scenario, as it stands in history.jsonl.
	Namespace string `json:"namespace,omitempty"`
	// logs are the files in the report folder that have all that the subject wrote. In a
	// merged report, they are in the folder of the part.
	Logs []string `json:"logs,omitempty"`
	// log holds the last lines that the subject wrote before the failure. Left out if
	// requests say what happened.
	Log []string `json:"log,omitempty"`
	// reproduce is the command that runs this scenario alone.
	Reproduce string `json:"reproduce,omitempty"`
}

// Symptom is one thing that a failed step found wrong: the same mistake shows by the same
// symptom in every scenario.
type Symptom struct {
	// resource as plural.group, such as deployments.apps.
	Resource string `json:"resource"`
	// role of the object in the contract.
	Role SymptomRole `json:"role"`
	// state that it is in.
	State SymptomState `json:"state"`
	// path of the field, without the keys of list entries; left out if it is about the
	// whole object.
	Path string `json:"path,omitempty"`
	// afterFailure is true if the last attempt at the write that is missing has failed.
	AfterFailure bool `json:"afterFailure,omitempty"`
	// late is true if the controller made the write that is missing after the step had
	// failed.
	Late bool `json:"late,omitempty"`
	// starved is true if the controller never came to what is missing, because it was
	// in a loop with other objects until the step failed.
	Starved bool `json:"starved,omitempty"`
	// seen is the symptom in words, with the requests that show it.
	Seen string `json:"seen"`
}

// SymptomRole says what an object is for the controller.
//
// +kubebuilder:validation:Enum=Primary;Child;Other
type SymptomRole string

// The roles of an object.
const (
	// RolePrimary: of the kind that the controller serves.
	RolePrimary SymptomRole = "Primary"
	// RoleChild: of a kind that it makes.
	RoleChild SymptomRole = "Child"
	// RoleOther: anything else.
	RoleOther SymptomRole = "Other"
)

// SymptomState says what is wrong with an object, or a field of it.
//
// +kubebuilder:validation:Enum=NeverMade;NotMadeAgain;Left;NotWritten;Refused;Written;Removed;Repeated;Restless;NeverQuiet
type SymptomState string

// The states of an object or a field. In the first five, a write is missing; the others
// are what the controller did.
const (
	// NeverMade: it is not there, and the controller has never made it in this scenario.
	NeverMade SymptomState = "NeverMade"
	// NotMadeAgain: it is not there. The controller had made it, and somebody else removed
	// it.
	NotMadeAgain SymptomState = "NotMadeAgain"
	// Left: it is there, and must be gone.
	Left SymptomState = "Left"
	// NotWritten: the field is not as it must be, and no write of the controller's made it so.
	NotWritten SymptomState = "NotWritten"
	// Refused: the controller goes on trying a write that the API server refuses each
	// time. No Fault is the reason. The path is the verb, and the reason of the
	// refusal.
	Refused SymptomState = "Refused"
	// Written: the controller's own write made it so.
	Written SymptomState = "Written"
	// Removed: the controller itself removed it.
	Removed SymptomState = "Removed"
	// Repeated: there were more requests about it than allowed.
	Repeated SymptomState = "Repeated"
	// Restless: the controller wrote it although only times in it changed.
	Restless SymptomState = "Restless"
	// NeverQuiet: the controller wrote it again and again, and did not come to rest in time.
	NeverQuiet SymptomState = "NeverQuiet"
)
