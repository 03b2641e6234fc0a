package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/report/evidence"
	"reconform.dev/reconform/internal/verdict"
)

// Change is a requirement that has another verdict in a later report.
type Change struct {
	ID string `json:"id"`
	// Kind of the change.
	Kind ChangeKind `json:"kind"`
	// Old and New are the verdicts. They are empty if the report has no such row. If a
	// requirement ran several times, it is the verdict that counts most against it.
	Old v1alpha1.ResultVerdict `json:"old,omitempty"`
	New v1alpha1.ResultVerdict `json:"new,omitempty"`
	// Reason for the new verdict.
	Reason string `json:"reason,omitempty"`
}

// Comparison is how two reports differ.
type Comparison struct {
	// Circumstances that differ, one in each line. They may be the reason for a different
	// verdict.
	Circumstances []string `json:"circumstances"`
	// Changes of verdicts, the worst first.
	Changes []Change `json:"changes"`
	// Worse, New, Mended and Other are the numbers of changes of each kind.
	Worse  int `json:"worse"`
	New    int `json:"new"`
	Mended int `json:"mended"`
	Other  int `json:"other"`
}

// Differences compares two reports, and counts the changes.
func Differences(old, current *v1alpha1.ConformanceReport) *Comparison {
	c := &Comparison{Circumstances: []string{}, Changes: []Change{}}
	c.Circumstances = append(c.Circumstances, circumstances(old, current)...)
	c.Changes = append(c.Changes, Compare(old, current)...)
	for _, change := range c.Changes {
		switch change.Kind {
		case Worse:
			c.Worse++
		case New:
			c.New++
		case Mended:
			c.Mended++
		default:
			c.Other++
		}
	}
	return c
}

// ChangeKind says what a change means.
type ChangeKind string

// The kinds of changes, the worst first.
const (
	Worse  ChangeKind = "worse"  // it fails now, and passed before
	New    ChangeKind = "new"    // it fails now, and was not judged before
	Mended ChangeKind = "mended" // it failed before, and passes now
	Other  ChangeKind = "other"  // any other change, such as a row that was added or is missing
)

// Compare returns the rows in which two reports differ, the worst first, then by ID.
func Compare(old, current *v1alpha1.ConformanceReport) []Change {
	before, after := rowsOf(old), rowsOf(current)
	all := maps.Clone(before)
	maps.Copy(all, after)
	var changes []Change
	for id := range all {
		was, is := before[id], after[id]
		if was.Verdict == is.Verdict {
			continue
		}
		change := Change{ID: id, Old: was.Verdict, New: is.Verdict, Reason: is.Reason, Kind: Other}
		switch {
		case verdict.Fails(is.Verdict) && was.Verdict == v1alpha1.Passed:
			change.Kind = Worse
		case verdict.Fails(is.Verdict) && !verdict.Fails(was.Verdict):
			change.Kind = New
		case verdict.Fails(was.Verdict) && is.Verdict == v1alpha1.Passed:
			change.Kind = Mended
		}
		changes = append(changes, change)
	}
	order := []ChangeKind{Worse, New, Mended, Other}
	slices.SortFunc(changes, func(a, b Change) int {
		return cmp.Or(slices.Index(order, a.Kind)-slices.Index(order, b.Kind), strings.Compare(a.ID, b.ID))
	})
	return changes
}

// String describes the change in words.
func (c Change) String() string {
	return fmt.Sprintf("%s %s: %s", c.Kind, c.ID, c.what())
}

// what says what has changed, without the requirement.
func (c Change) what() string {
	text := fmt.Sprintf("was %s, is %s", cmp.Or(c.Old, "not there"), cmp.Or(c.New, "not there"))
	if c.Reason != "" {
		brief := evidence.Brief(&v1alpha1.Result{Reason: c.Reason})
		if strings.HasPrefix(c.Reason, brief) {
			brief = c.Reason // it names no step that could be said in fewer words
		}
		text += ": " + strings.Join(strings.Fields(brief), " ")
	}
	return text
}

// Lines says what has changed, each in a line. Changes that are neither worse nor mended, and
// of which the same is said, are in one line: two selections differ in many requirements.
func (c *Comparison) Lines() []string {
	same := map[string][]string{} // IDs by what is said of them
	for _, change := range c.Changes {
		if change.Kind == Other {
			same[change.what()] = append(same[change.what()], change.ID)
		}
	}
	lines := slices.Clone(c.Circumstances)
	for _, change := range c.Changes {
		ids := same[change.what()]
		switch {
		case change.Kind != Other || len(ids) == 1:
			lines = append(lines, change.String())
		case ids[0] == change.ID:
			lines = append(lines, fmt.Sprintf("%s, %d requirements: %s: %s", Other, len(ids), change.what(), strings.Join(ids, ", ")))
		}
	}
	return lines
}

// rowsOf returns the rows of a report by ID.
func rowsOf(report *v1alpha1.ConformanceReport) map[string]v1alpha1.Result {
	rows := map[string]v1alpha1.Result{}
	for _, r := range report.Results {
		if present, ok := rows[r.ID]; !ok || gravity(r.Verdict) > gravity(present.Verdict) {
			rows[r.ID] = r
		}
	}
	return rows
}

// gravity returns how much a verdict counts against a requirement, compared with other
// verdicts on it.
func gravity(v v1alpha1.ResultVerdict) int {
	return slices.Index([]v1alpha1.ResultVerdict{
		v1alpha1.Skipped, v1alpha1.Passed, v1alpha1.NotExercised, v1alpha1.Blocked, v1alpha1.ResultInconclusive, v1alpha1.Flaky, v1alpha1.Failed,
	}, v)
}

// circumstances returns what differs between the circumstances of two reports, one in each
// line.
func circumstances(old, current *v1alpha1.ConformanceReport) []string {
	var lines []string
	for _, c := range []struct{ what, old, current string }{
		{"implementation", old.Implementation.Name, current.Implementation.Name},
		{"version", old.Implementation.Version, current.Implementation.Version},
		{"profile", old.Profile, current.Profile},
		{"Reconform", old.Versions.Reconform, current.Versions.Reconform},
		{"Kubernetes", old.Versions.Kubernetes, current.Versions.Kubernetes},
		{"platform", old.Versions.Platform, current.Versions.Platform},
		{"selection", Selected(old.Selection), Selected(current.Selection)},
		{"verdict", string(old.Verdict), string(current.Verdict)},
	} {
		if c.old != c.current {
			lines = append(lines, fmt.Sprintf("%s: was %s, is %s", c.what, cmp.Or(c.old, "none"), cmp.Or(c.current, "none")))
		}
	}
	return lines
}

// Selected returns the flags of a selection. It returns "" if everything was selected.
func Selected(s v1alpha1.Selection) string {
	var flags []string
	for _, f := range []struct{ name, value string }{{"--run", s.Run}, {"--skip", s.Skip}, {"-l", s.Selector}} {
		if f.value != "" {
			flags = append(flags, f.name+" "+f.value)
		}
	}
	if s.RerunFailed {
		flags = append(flags, "--rerun-failed")
	}
	return strings.Join(flags, " ")
}
