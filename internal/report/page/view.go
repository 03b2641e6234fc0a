package page

import (
	"fmt"
	"slices"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/sanitize"
	"reconform.dev/reconform/internal/report"
	about "reconform.dev/reconform/internal/report/evidence"
	"reconform.dev/reconform/internal/report/paragraph"
	"reconform.dev/reconform/internal/scenario/catalogue"
)

// view is what the template shows.
type view struct {
	Report   *v1alpha1.ConformanceReport
	Name     string // of the implementation, with its version
	Run      state  // the verdict on the run
	Counts   []count
	Core     string
	Verdict  string // in a sentence
	Gaps     []gap
	Unjudged int // core requirements, all that the gaps name
	Classes  []classLine
	Extended extended
	Facts    []fact
	Notes    []string
	Cut      *cut // if the run was cut short
	Rest     rest

	Causes   []*entry // failed entries, each with the entries that it is the cause of
	Unsure   []*entry // entries that came to no conclusion
	Orphans  []*entry // blocked entries whose cause is not in the report
	Areas    []area   // all requirements
	Levels   []string
	Known    []knownLine
	Never    []never
	Recorded recorded

	entries []*entry
	data    data
}

// count says how many requirements have a state.
type count struct {
	State state
	N     int
}

type fact struct{ Name, Value string }

// cut names what a run that was cut short did not reach. It is folded if it is long: on a
// telephone, what failed would be screens below.
type cut struct {
	Reason    string
	NotJudged []string
	Open      bool
}

// mostUnfolded is how many IDs are not folded.
const mostUnfolded = 12

func cutOf(r *v1alpha1.ConformanceReport) *cut {
	if r.CutShort == nil || len(r.CutShort.NotJudged) == 0 {
		return nil
	}
	return &cut{r.CutShort.Reason, r.CutShort.NotJudged, len(r.CutShort.NotJudged) <= mostUnfolded}
}

// rest is the command that judges what the run left out, and what it does. It is empty if
// nothing is left.
type rest struct{ What, Command string }

func restOf(r *v1alpha1.ConformanceReport) rest {
	what, command := report.Rest(r)
	if command == "" {
		return rest{}
	}
	return rest{paragraph.Capitalized(what), command}
}

// gap is a [report.Gap] whose requirements are links, or at least say what they are about.
type gap struct {
	Reason string
	Named  []mention
	More   int // how many are not named
}

// mention is a requirement in a text.
type mention struct {
	ID    string
	About string // what it says
	Here  bool   // it has an entry on this page
}

// mostMentioned is how many requirements of a gap are named.
const mostMentioned = 12

func gapOf(g report.Gap, r *v1alpha1.ConformanceReport, all []catalogue.Requirement) gap {
	named := g.IDs[:min(mostMentioned, len(g.IDs))]
	told := gap{Reason: g.Reason, More: len(g.IDs) - len(named)}
	for _, id := range named {
		one := mention{ID: id, Here: slices.ContainsFunc(r.Results, func(r v1alpha1.Result) bool { return r.ID == id })}
		if n := slices.IndexFunc(all, func(r catalogue.Requirement) bool { return r.ID == id }); n >= 0 {
			one.About = all[n].Must
		}
		told.Named = append(told.Named, one)
	}
	return told
}

// area has the requirements of one area: all of them as tiles, and in full those that are
// not shown elsewhere.
type area struct {
	Name    string
	Entries []*entry
	Rest    []*entry
	Passed  int
}

// recorded says how much of the history is on the page.
type recorded struct {
	History  bool // there is a history
	Requests int
	Shown    int
	LeftOut  int
}

func newView(r *v1alpha1.ConformanceReport, all []catalogue.Requirement) *view {
	shown := r.DeepCopy()
	sanitize.All(shown)
	v := &view{
		Report: shown, Name: strings.TrimSpace(shown.Implementation.Name + " " + shown.Implementation.Version),
		Run: stateOfRun(shown.Verdict), Core: report.Core(shown),
		Classes: classLines(shown.Classes), Extended: extendedOf(shown), Facts: facts(shown), Notes: notes(shown), Cut: cutOf(shown), Rest: restOf(shown),
	}
	gaps := report.Gaps(shown, all)
	for _, g := range gaps {
		v.Unjudged += len(g.IDs)
		v.Gaps = append(v.Gaps, gapOf(g, shown, all))
	}
	if v.Verdict = report.Verdict(shown, gaps); v.Verdict != "" {
		v.Verdict = paragraph.Capitalized(v.Verdict) + "."
	}
	for n := range shown.Results {
		v.entries = append(v.entries, newEntry(&shown.Results[n], all, shown))
	}
	v.Counts = counts(v.entries)
	v.Causes, v.Unsure, v.Orphans = causes(v.entries)
	v.Areas = areasOf(v.entries)
	v.Known = knownLines(shown.Known)
	for _, i := range shown.Invariants {
		v.Never = append(v.Never, never{i, about.NeverHappens(i.Rule)})
	}
	for _, e := range v.entries {
		if level := e.Result.Level; level != "" && !slices.Contains(v.Levels, level) {
			v.Levels = append(v.Levels, level)
		}
	}
	return v
}

func counts(entries []*entry) []count {
	var all []count
	for _, s := range states() {
		n := 0
		for _, e := range entries {
			if e.State == s {
				n++
			}
		}
		if n > 0 {
			all = append(all, count{s, n})
		}
	}
	return all
}

// areasOf returns the areas of entries, in the order of the report.
func areasOf(entries []*entry) []area {
	var all []area
	for _, e := range entries {
		n := slices.IndexFunc(all, func(a area) bool { return a.Name == e.Result.Area })
		if n < 0 {
			n = len(all)
			all = append(all, area{Name: e.Result.Area})
		}
		a := &all[n]
		a.Entries = append(a.Entries, e)
		if !e.elsewhere {
			a.Rest = append(a.Rest, e)
		}
		if e.Result.Verdict == v1alpha1.Passed {
			a.Passed++
		}
	}
	return all
}

// facts returns facts about the run, one for each line.
func facts(r *v1alpha1.ConformanceReport) []fact {
	d, v := r.Durations, r.Versions
	all := []fact{
		{"Profile", strings.TrimSpace(r.Profile + " " + shortDigest(r.ProfileDigest))},
		{"Date", r.Date.UTC().Format("2006-01-02 15:04 UTC")},
		{"Took", fmt.Sprintf("%s: control plane %s, scenarios %s",
			report.Round(d.Total.Duration), report.Round(d.ControlPlane.Duration), report.Pace(r))},
		{"Kubernetes", v.Kubernetes},
		{"Reconform", v.Reconform},
		{"Made with", strings.Join([]string{"Chainsaw " + v.Chainsaw, v.Go, v.Platform}, ", ")},
	}
	if selection := report.Selected(r.Selection); selection != "" {
		all = append(all, fact{"Selection", selection})
	}
	if r.Shard != nil {
		all = append(all, fact{"Shard", r.Shard.String()})
	}
	return all
}

// notes returns what limits the meaning of the verdict.
func notes(r *v1alpha1.ConformanceReport) []string {
	var all []string
	if r.TimeoutScale != 0 {
		all = append(all, fmt.Sprintf("Every time limit was multiplied by %g.", r.TimeoutScale))
	}
	all = append(all, report.Expired(r)...)
	all = append(all, report.Unused(r)...)
	if cut := report.Cut(r); cut != "" && cutOf(r) == nil {
		all = append(all, paragraph.Capitalized(cut)+".")
	}
	if waiting := report.Waiting(r); waiting != "" {
		all = append(all, waiting+".")
	}
	for _, missing := range r.Isolation {
		all = append(all, "Not isolated on this machine: "+missing)
	}
	all = append(all, report.Unserved(r)...)
	for _, part := range report.Parts(r) {
		all = append(all, "Merged from "+part)
	}
	return all
}
