package merge

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/verdict/baseline"
)

// ExploredPart is the folder of one exploration.
type ExploredPart struct {
	// Dir is the folder, as the user wrote it.
	Dir string
	// Report of the exploration. It is nil if it ended before it wrote one.
	Report *v1alpha1.ExploreReport
}

// ReadExplored reads the reports of explorations in the folders. It returns none if no
// folder has one. A folder without a report counts, because something should have been
// explored there. A folder that does not exist is an error.
func ReadExplored(dirs []string) ([]ExploredPart, error) {
	if err := checkFolders(dirs); err != nil {
		return nil, err
	}
	var parts []ExploredPart
	some := false
	for _, dir := range dirs {
		r, err := report.ReadExplored(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if r != nil && len(r.Parts) > 0 {
			return nil, fmt.Errorf("the report in %s was merged from %d others: name the folders of these", dir, len(r.Parts))
		}
		some = some || r != nil
		parts = append(parts, ExploredPart{dir, r})
	}
	if !some {
		return nil, nil
	}
	for _, p := range parts {
		if p.Report == nil {
			if _, err := report.Read(p.Dir); err == nil {
				return nil, fmt.Errorf("%s has the report of a run, and others have reports of explorations: merge them apart", p.Dir)
			}
		}
	}
	return parts, nil
}

// Explored merges the reports of shards of one exploration. The scenario of each cause is
// named by its path, and is still in the folder of its part. The error says that they do not
// belong together. A shard of which there is no report makes the result inconclusive, unless
// something diverges.
func Explored(parts []ExploredPart) (*v1alpha1.ExploreReport, error) {
	with := slices.DeleteFunc(slices.Clone(parts), func(p ExploredPart) bool { return p.Report == nil })
	slices.SortStableFunc(with, func(a, b ExploredPart) int { return cmp.Compare(a.shard().Index, b.shard().Index) })
	if err := fitExplored(with); err != nil {
		return nil, err
	}
	merged := withoutResults(with[0].Report)
	m := &merging{ExploreReport: merged}
	var cuts []string
	for _, shard := range absentShards(with) {
		cuts = append(cuts, "there is no report of shard "+shard)
	}
	for _, p := range parts {
		if p.Report == nil {
			cuts = append(cuts, fmt.Sprintf("the exploration in %s ended without a report", p.Dir))
		}
	}
	missing := len(cuts) > 0
	inconclusive, alike := "", true
	for _, p := range with {
		if p.Report.Cut != "" {
			cuts = append(cuts, fmt.Sprintf("in %s, %s", p.Dir, p.Report.Cut))
		}
		if p.Report.Plans.All != with[0].Report.Plans.All {
			alike = false
			merged.Left = append(merged.Left, fmt.Sprintf("the recordings differ: there are %d plans in %s, and %d in %s", with[0].Report.Plans.All, with[0].Dir, p.Report.Plans.All, p.Dir))
		}
		if p.Report.Reason != "" && inconclusive == "" {
			inconclusive = fmt.Sprintf("in %s: %s", p.Dir, p.Report.Reason)
		}
		m.add(p.Report, p.Dir)
	}
	if p := merged.Plans; !missing && alike && p.Planned != p.All {
		merged.Left = append(merged.Left, fmt.Sprintf("the recordings differ: each shard planned %d plans, and together they have %d of them, so some may be in no shard", p.All, p.Planned))
	}
	slices.SortStableFunc(merged.Causes, func(a, b v1alpha1.ExploredCause) int { return len(b.Cases) - len(a.Cases) })
	merged.Cut = strings.Join(cuts, "; ")
	merged.Reason = inconclusive
	if missing {
		merged.Reason = "a part of the plans has no report"
	}
	merged.Verdict = report.VerdictOfExplored(merged)
	merged.Known = baseline.SettleCauses(m.known, merged, merged.Date.Time)
	return merged, nil
}

// withoutResults returns a report with what all shards have in common: what was explored, and
// how. The rest is added from each shard.
func withoutResults(r *v1alpha1.ExploreReport) *v1alpha1.ExploreReport {
	r = r.DeepCopy()
	r.Shard, r.Reproduce, r.Reason = nil, "", ""
	r.Plans, r.Operations, r.Masks = v1alpha1.ExplorePlans{}, []v1alpha1.ExploredOperation{}, nil
	r.Causes, r.Known, r.Unconfirmed = nil, nil, nil
	r.Unanswered, r.Unreached, r.Left = nil, nil, nil
	return r
}

// merging adds up reports.
type merging struct {
	*v1alpha1.ExploreReport
	known []v1alpha1.KnownFailure
}

// add adds the report of one part, in this folder.
func (m *merging) add(r *v1alpha1.ExploreReport, dir string) {
	m.Parts = append(m.Parts, v1alpha1.ExplorePart{Shard: r.Shard, Date: r.Date, Verdict: r.Verdict, Plans: r.Plans, Took: r.Took})
	m.Took.Duration, m.Recording.Duration = max(m.Took.Duration, r.Took.Duration), max(m.Recording.Duration, r.Recording.Duration)
	if r.Date.After(m.Date.Time) {
		m.Date = r.Date
	}
	p, q := &m.Plans, r.Plans
	p.Planned, p.Done, p.Unreached, p.Failed = p.Planned+q.Planned, p.Done+q.Done, p.Unreached+q.Unreached, p.Failed+q.Failed
	p.Diverging, p.Repeats, p.Earlier, p.All = p.Diverging+q.Diverging, p.Repeats+q.Repeats, p.Earlier+q.Earlier, max(p.All, q.All)
	m.Unconfirmed, m.Unreached = append(m.Unconfirmed, r.Unconfirmed...), append(m.Unreached, r.Unreached...)
	m.addUnanswered(r.Unanswered)
	for _, left := range r.Left {
		if !slices.Contains(m.Left, left) {
			m.Left = append(m.Left, left)
		}
	}
	for _, k := range r.Known {
		if !slices.Contains(m.known, k.KnownFailure) {
			m.known = append(m.known, k.KnownFailure)
		}
	}
	for _, o := range r.Operations {
		n := slices.IndexFunc(m.Operations, func(known v1alpha1.ExploredOperation) bool { return known.Name == o.Name })
		if n < 0 {
			m.Operations = append(m.Operations, o)
		} else {
			m.Operations[n].Plans += o.Plans
		}
	}
	for operation, masks := range r.Masks {
		if m.Masks == nil {
			m.Masks = map[string][]v1alpha1.TrialMask{}
		}
		for _, mask := range masks {
			if !slices.Contains(m.Masks[operation], mask) {
				m.Masks[operation] = append(m.Masks[operation], mask)
			}
		}
	}
	for _, c := range r.Causes {
		m.addCause(*c.DeepCopy(), dir)
	}
}

// addCause adds a cause. If another part has found it, too, the simpler of the two first
// cases stays the first.
func (m *merging) addCause(c v1alpha1.ExploredCause, dir string) {
	c.Reproduce = "" // it names a folder that is perhaps on another machine
	if c.Scenario != "" {
		c.Scenario = filepath.Join(dir, c.Scenario)
	}
	n := slices.IndexFunc(m.Causes, func(known v1alpha1.ExploredCause) bool { return known.ID == c.ID })
	if n < 0 {
		m.Causes = append(m.Causes, c)
		return
	}
	known := m.Causes[n]
	if len(c.Cases[0].Steps) < len(known.Cases[0].Steps) {
		known, c = c, known
	}
	known.Cases = append(known.Cases, c.Cases...)
	m.Causes[n] = known
}

// fitExplored checks that the reports are about the same thing.
func fitExplored(parts []ExploredPart) error {
	first := parts[0].Report
	for _, p := range parts[1:] {
		r := p.Report
		for _, must := range []struct {
			what string
			a, b any
		}{
			{"Reconform", first.Version, r.Version},
			{"Kubernetes", first.Kubernetes, r.Kubernetes},
			{"profile", first.Profile + " " + first.ProfileDigest, r.Profile + " " + r.ProfileDigest},
			{"implementation", named(first.Implementation), named(r.Implementation)},
			{"--operations", inOrder(first.Sorts), inOrder(r.Sorts)},
			{"--disturbances", inOrder(first.Disturbances), inOrder(r.Disturbances)},
			{"number of shards", parts[0].shard().Count, p.shard().Count},
		} {
			if must.a != must.b {
				return fmt.Errorf("the reports in %s and %s are not from the same exploration: %s %v, and %v", parts[0].Dir, p.Dir, must.what, must.a, must.b)
			}
		}
		if n := slices.IndexFunc(parts, func(other ExploredPart) bool { return other.shard() == p.shard() }); parts[n].Dir != p.Dir {
			return fmt.Errorf("%s and %s have the report of the same shard, %s", parts[n].Dir, p.Dir, p.shard())
		}
	}
	return nil
}

// inOrder returns the words of a flag in order, each once.
func inOrder(words []string) string {
	return strings.Join(slices.Compact(slices.Sorted(slices.Values(words))), ",")
}

// absentShards returns the shards without a report.
func absentShards(parts []ExploredPart) []string {
	var names []string
	for shard := (v1alpha1.Shard{Index: 1, Count: parts[0].shard().Count}); shard.Valid(); shard.Index++ {
		if !slices.ContainsFunc(parts, func(p ExploredPart) bool { return p.shard() == shard }) {
			names = append(names, shard.String())
		}
	}
	return names
}

// shard returns the shard that was explored. A part without shards is the only shard.
func (p ExploredPart) shard() v1alpha1.Shard {
	if p.Report.Shard == nil {
		return v1alpha1.Shard{Index: 1, Count: 1}
	}
	return *p.Report.Shard
}

// addUnanswered adds what the controller of one part did without an answer.
func (m *merging) addUnanswered(u *v1alpha1.ExploredUnanswered) {
	if u == nil {
		return
	}
	if m.Unanswered == nil {
		m.Unanswered = &v1alpha1.ExploredUnanswered{}
	}
	all := m.Unanswered
	all.Plans, all.GaveUp, all.Silent = all.Plans+u.Plans, all.GaveUp+u.GaveUp, all.Silent+u.Silent
	all.Longest.Duration = max(all.Longest.Duration, u.Longest.Duration)
}
