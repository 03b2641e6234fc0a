package page

import (
	"fmt"
	"slices"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/sanitize"
	about "reconform.dev/reconform/internal/report/evidence"
	"reconform.dev/reconform/internal/report/logline"
	"reconform.dev/reconform/internal/report/paragraph"
	"reconform.dev/reconform/internal/scenario/catalogue"
	"reconform.dev/reconform/internal/verdict"
)

// entry is one requirement on the page.
type entry struct {
	Result *v1alpha1.Result
	Anchor string // its anchor within the page
	State  state
	Title  string // the ID, and the round if there are several
	Must   string // what was not met

	Found      finding
	Catches    string
	Hint       string
	Path       string // of the scenario
	Mistake    string // the mistake that it exists to catch, as a title, if it failed
	Scenario   *told  // the scenario itself, if it was accused
	ReliesOn   []string
	Documents  []catalogue.Document // documents that explain it
	Exercised  string               // how many of its Faults met a request
	Seen       []string             // what the failed step found, in words
	Details    []string             // what it found, item by item
	Difference []diffLine
	Log        []logline.Line
	SeenIn     []seen

	Followers []*entry // entries that this one is the cause of
	Same      []*entry // entries that failed by the same defect
	Open      bool     // unfolded at first
	Looks     bool     // something of it was recorded
	Earlier   bool     // it is the result of an earlier run, and the history is of a later one
	elsewhere bool     // it is shown as a cause, or with its cause
	home      bool     // it is the home of an invariant that was broken in this run
}

// seen says where else an invariant was broken.
type seen struct {
	Rule, About string
	Others      []string
}

func newEntry(r *v1alpha1.Result, all []catalogue.Requirement, of *v1alpha1.ConformanceReport) *entry {
	e := &entry{Result: r, Must: about.Must(r), Anchor: anchor(r.ID, r.Repeat), Title: r.ID, State: stateOf(r.Verdict), Found: findingOf(r)}
	e.Documents = catalogue.Documents(r.Area)
	e.Earlier = of.Rerun != nil && !slices.Contains(of.Rerun.Judged, r.ID)
	if r.Repeat > 0 {
		e.Title = fmt.Sprintf("%s round %d", r.ID, r.Repeat)
	}
	// A report may be older or newer than this suite.
	if known, err := catalogue.Find(all, r.ID); err == nil {
		e.Catches, e.Hint, e.Path, e.ReliesOn = known.Catches, known.Hint, known.Path, known.ReliesOn
		e.home = slices.ContainsFunc(of.Invariants, func(i v1alpha1.Invariant) bool {
			return i.Verdict != v1alpha1.Passed && slices.Contains(known.Judges, i.Rule)
		})
		if verdict.NeedsLook(r.Verdict) {
			e.Scenario = tell(string(known.Raw), stepOf(r))
		}
	}
	if r.Exercised != "" {
		e.Exercised = fmt.Sprintf("Faults, which are errors, delays or cuts that the scenario injects: %s met a request of the controller.", r.Exercised)
	}
	if len(r.Idle) > 0 {
		e.Exercised += fmt.Sprintf(" No request came for %s.", strings.Join(r.Idle, ", "))
	}
	if of.CutShort != nil && r.Verdict == v1alpha1.Skipped && slices.Contains(of.CutShort.NotJudged, r.ID) {
		e.State = unjudged()
	}
	evidence := r.Evidence
	if evidence == nil {
		return e
	}
	e.Log = logline.Shown(evidence.Log)
	if len(e.Found.Pairs) == 0 {
		e.Difference = difference(evidence.Difference)
	}
	if seen := about.Seen(evidence); seen != "" {
		e.Seen = strings.Split(seen, "\n")
	}
	if len(evidence.Details) > 1 {
		e.Details = evidence.Details
	}
	if evidence.Catches != "" || evidence.Hint != "" { // a hint alone is about an invariant
		e.Catches = evidence.Catches
	}
	if evidence.Hint != "" {
		e.Hint = evidence.Hint
	}
	if verdict.Fails(r.Verdict) {
		e.Mistake = paragraph.Capitalized(about.Named(r))
	}
	for _, i := range of.Invariants {
		broken := func(v v1alpha1.Violation) bool { return v.Rule == i.Rule && v.About == i.About }
		if i.Verdict != v1alpha1.Passed && slices.ContainsFunc(evidence.Violations, broken) {
			others := slices.DeleteFunc(slices.Clone(i.SeenIn), func(id string) bool { return id == r.ID })
			e.SeenIn = append(e.SeenIn, seen{i.Rule, i.About, others})
		}
	}
	return e
}

// FirstLook returns in words what the first look found, or "" if there was only one.
func (e *entry) FirstLook() string {
	word, reason, found := strings.Cut(e.Result.FirstLook, ": ")
	if !found {
		return e.Result.FirstLook
	}
	return word + ": " + about.Brief(&v1alpha1.Result{Reason: reason})
}

// anchor returns the anchor of a requirement in one of several rounds.
func anchor(id string, repeat int) string {
	if repeat > 1 {
		return fmt.Sprintf("%s-r%d", id, repeat)
	}
	return id
}

// NeedsLook says whether the requirement failed, or could not be judged.
func (e *entry) NeedsLook() bool { return verdict.NeedsLook(e.Result.Verdict) }

// Explains returns how many other entries this one is the cause of, or failed by the same
// defect.
func (e *entry) Explains() int { return len(e.Followers) + len(e.Same) }

// Words returns the text that the search looks through.
func (e *entry) Words() string {
	r := e.Result
	return strings.ToLower(strings.Join([]string{e.Title, r.Area, r.Level, r.Feature, r.Must, r.Reason, e.Catches}, " "))
}

// Numbers returns the numbers of the requests that prove a violation, as in messages.
func (e *entry) Numbers(v v1alpha1.Violation) string {
	const most = 12
	var list []string
	for _, seq := range v.Requests {
		list = append(list, fmt.Sprintf("#%d", seq))
	}
	return sanitize.CutList(list, most, ", ")
}
