package report

import (
	"cmp"
	"encoding/json"
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
	// OldNotReached and NewNotReached are true if the run was cut short before it.
	OldNotReached bool `json:"oldNotReached,omitempty"`
	NewNotReached bool `json:"newNotReached,omitempty"`
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
		change.OldNotReached, change.NewNotReached = notReached(old, id), notReached(current, id)
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

// notReached says whether a run was cut short before it judged a requirement.
func notReached(r *v1alpha1.ConformanceReport, id string) bool {
	return r.CutShort != nil && slices.Contains(r.CutShort.NotJudged, id)
}

// inWords says a verdict in a comparison.
func inWords(v v1alpha1.ResultVerdict, notReached bool) string {
	if notReached {
		return "not reached"
	}
	return cmp.Or(string(v), "not there")
}

// String describes the change in words.
func (c Change) String() string {
	return fmt.Sprintf("%s %s: %s", c.Kind, c.ID, c.what())
}

// what says what has changed, without the requirement.
func (c Change) what() string {
	text := fmt.Sprintf("was %s, is %s", inWords(c.Old, c.OldNotReached), inWords(c.New, c.NewNotReached))
	if c.Reason != "" {
		brief := evidence.Brief(&v1alpha1.Result{Reason: c.Reason})
		if strings.HasPrefix(c.Reason, brief) {
			brief = c.Reason // it names no step that could be said in fewer words
		}
		text += ": " + strings.Join(strings.Fields(brief), " ")
	}
	return text
}

// Lines says what has changed, one line for each change. Changes of the kind Other with the same
// words share a line, because two selections differ in many requirements.
func (c *Comparison) Lines() []string {
	same := map[string][]string{} // IDs, by the words of their change
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
	for _, c := range []struct {
		what string
		of   func(*v1alpha1.ConformanceReport) string
	}{
		{"implementation", func(r *v1alpha1.ConformanceReport) string { return r.Implementation.Name }},
		{"version", func(r *v1alpha1.ConformanceReport) string { return r.Implementation.Version }},
		{"profile", func(r *v1alpha1.ConformanceReport) string { return r.Profile }},
		{"contract", func(r *v1alpha1.ConformanceReport) string { return cmp.Or(r.Contract, "webapp") }},
		{"Reconform", func(r *v1alpha1.ConformanceReport) string { return r.Versions.Reconform }},
		{"Kubernetes", func(r *v1alpha1.ConformanceReport) string { return r.Versions.Kubernetes }},
		{"platform", func(r *v1alpha1.ConformanceReport) string { return r.Versions.Platform }},
		{"not isolated", func(r *v1alpha1.ConformanceReport) string { return strings.Join(r.Isolation, "; ") }},
		{"--timeout-scale", func(r *v1alpha1.ConformanceReport) string { return fmt.Sprint(cmp.Or(r.TimeoutScale, 1)) }},
		{"selection", func(r *v1alpha1.ConformanceReport) string { return Selected(r.Selection) }},
		{"shard", func(r *v1alpha1.ConformanceReport) string {
			if r.Shard == nil {
				return ""
			}
			return r.Shard.String()
		}},
		{"cut short", func(r *v1alpha1.ConformanceReport) string {
			if cut := Cut(r); cut != "" {
				return "yes (" + cut + ")"
			}
			return "no"
		}},
		{"verdict", func(r *v1alpha1.ConformanceReport) string { return string(r.Verdict) }},
	} {
		lines = append(lines, replaced(c.what, c.of(old), c.of(current))...)
	}
	return append(lines, profiles(old, current)...)
}

// profiles returns how the profiles of two reports differ, one difference in each line. They
// can have the same name.
func profiles(old, current *v1alpha1.ConformanceReport) []string {
	was, is := claims(old), claims(current)
	keys := maps.Clone(was)
	maps.Copy(keys, is)
	var lines []string
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		_, list := keys[key].([]any)
		if list {
			lines = append(lines, members("claims."+key, texts(was[key]), texts(is[key]))...)
		} else {
			lines = append(lines, replaced("claims."+key, text(was[key]), text(is[key]))...)
		}
	}
	switch a, b := old.ProfileDigest, current.ProfileDigest; {
	case a == b || a == "" || b == "":
	case len(lines) == 0:
		lines = []string{"the profile was changed, and its claims are the same"}
	default:
		lines = slices.Insert(lines, 0, "the profile was changed")
	}
	before := Expired(old)
	return append(lines, slices.DeleteFunc(Expired(current), func(line string) bool { return slices.Contains(before, line) })...)
}

// claims returns the claims of the profile as JSON, with the exemptions that have expired.
func claims(r *v1alpha1.ConformanceReport) map[string]any {
	c := r.Claims
	c.Exempt = slices.Concat(c.Exempt, r.Expired)
	fields := map[string]any{}
	data, err := json.Marshal(c)
	if err != nil || json.Unmarshal(data, &fields) != nil {
		panic("claims are not JSON") // they were read from it
	}
	return fields
}

// text returns a value of JSON for people: a string without quotes.
func text(value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case string:
		return value
	}
	data, _ := json.Marshal(value) // it was JSON before
	return string(data)
}

// texts returns the elements of a list of JSON for people.
func texts(list any) []string {
	elements, _ := list.([]any) // none, if the key is absent
	var all []string
	for _, element := range elements {
		all = append(all, text(element))
	}
	return all
}

// replaced returns the line about a value that differs, or none.
func replaced(what, old, current string) []string {
	if old == current {
		return nil
	}
	return []string{fmt.Sprintf("%s: was %s, is %s", what, cmp.Or(old, "none"), cmp.Or(current, "none"))}
}

// members returns the line about a list that has other elements, or none.
func members(what string, old, current []string) []string {
	without := func(all, others []string) string {
		return strings.Join(slices.DeleteFunc(slices.Clone(all), func(one string) bool { return slices.Contains(others, one) }), ", ")
	}
	var parts []string
	if added := without(current, old); added != "" {
		parts = append(parts, "now also "+added)
	}
	if removed := without(old, current); removed != "" {
		parts = append(parts, "no longer "+removed)
	}
	if parts == nil {
		return nil
	}
	return []string{what + ": " + strings.Join(parts, "; ")}
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
