package merge

import (
	"fmt"
	"slices"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/scenario/catalogue"
)

// missing says what should have been judged but was not: because a shard has no report, or
// because a run was cut short and no other part has the row. It returns nil if everything
// was judged. The parts without a report are the last ones.
func missing(parts []Part, all []catalogue.Requirement, results []v1alpha1.Result, cut []string) (*v1alpha1.CutShort, error) {
	with := reported(parts)
	var reasons []string
	if absent := absent(with); len(absent) > 0 {
		reasons = append(reasons, "there is no report of "+strings.Join(absent, ", "))
	}
	for _, p := range parts[len(with):] {
		reasons = append(reasons, fmt.Sprintf("the run in %s ended without a report", p.Dir))
	}
	if len(cut) > 0 {
		for _, p := range with {
			if short := p.Report.CutShort; short != nil {
				reasons = append(reasons, fmt.Sprintf("in %s %s", p.Dir, short.Reason))
			}
		}
	}
	unseen, err := unseen(with[0].Report.Selection, all, results)
	if err != nil {
		return nil, err
	}
	if len(reasons) == 0 && len(unseen) > 0 {
		reasons = append(reasons, "no report has results of these requirements")
	}
	if len(reasons) == 0 {
		return nil, nil
	}
	short := &v1alpha1.CutShort{Reason: strings.Join(reasons, "; ")}
	for _, requirement := range all {
		if slices.Contains(unseen, requirement.ID) || slices.Contains(cut, requirement.ID) {
			short.NotJudged = append(short.NotJudged, requirement.ID)
		}
	}
	return short, nil
}

// absent returns the shards without a report.
func absent(parts []Part) []string {
	var names []string
	for shard := (v1alpha1.Shard{Index: 1, Count: parts[0].shard().Count}); shard.Valid(); shard.Index++ {
		if !slices.ContainsFunc(parts, func(p Part) bool { return p.shard() == shard }) {
			names = append(names, "shard "+shard.String())
		}
	}
	return names
}

// unseen returns the requirements that were selected but have no row in any part. For
// --rerun-failed it returns none: it is not known here what the earlier run did not pass.
func unseen(selection v1alpha1.Selection, all []catalogue.Requirement, results []v1alpha1.Result) ([]string, error) {
	if selection.RerunFailed {
		return nil, nil
	}
	chosen, err := catalogue.Chosen(all, selection)
	if err != nil {
		return nil, fmt.Errorf("reading the selection of the reports: %w", err)
	}
	var ids []string
	for _, requirement := range chosen {
		if !slices.ContainsFunc(results, func(r v1alpha1.Result) bool { return r.ID == requirement.ID }) {
			ids = append(ids, requirement.ID)
		}
	}
	return ids, nil
}
