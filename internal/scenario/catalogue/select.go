package catalogue

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile/nearest"
)

// choose picks the requirements whose ID or path matches run and does not match skip, and
// whose labels match the selector. A nil run or selector matches everything, and a nil skip
// skips nothing. Areas are part of the path, so run=self-healing works. The short names of
// labels work, too: area=self-healing.
func choose(requirements []Requirement, run, skip *regexp.Regexp, selector labels.Selector) []Requirement {
	matches := func(pattern *regexp.Regexp, r Requirement) bool {
		return pattern.MatchString(r.ID) || pattern.MatchString(r.Path)
	}
	var selected []Requirement
	for _, r := range requirements {
		if (run == nil || matches(run, r)) && (skip == nil || !matches(skip, r)) &&
			(selector == nil || selector.Matches(withShortNames(r.Labels))) {
			selected = append(selected, r)
		}
	}
	return selected
}

// Chosen returns the requirements that a selection names. Errors name the flags.
func Chosen(all []Requirement, selection v1alpha1.Selection) ([]Requirement, error) {
	run, err := pattern(selection.Run)
	if err != nil {
		return nil, fmt.Errorf("--run: %w", err)
	}
	var skip *regexp.Regexp
	if selection.Skip != "" {
		if skip, err = pattern(selection.Skip); err != nil {
			return nil, fmt.Errorf("--skip: %w", err)
		}
	}
	selector, err := labels.Parse(selection.Selector)
	if err != nil { // the words of the library are about its grammar
		return nil, fmt.Errorf("--selector: %s is not a selector; write it as in area=status,level=core or slow!=true", selection.Selector)
	}
	return choose(all, run, skip, selector), nil
}

// pattern compiles a pattern for IDs, in upper or lower case.
func pattern(text string) (*regexp.Regexp, error) {
	if _, err := regexp.Compile(text); err != nil { // about the text as it was given
		var wrong *syntax.Error
		if errors.As(err, &wrong) {
			return nil, fmt.Errorf("%s is not a regular expression: %s; write it as in ^SH- or SH-00[1-4]", text, wrong.Code)
		}
		return nil, err
	}
	return regexp.Compile("(?i:" + text + ")")
}

// In returns the requirements of a shard, which are every count-th of them.
func In(shard v1alpha1.Shard, requirements []Requirement) []Requirement {
	var part []Requirement
	for i, requirement := range requirements {
		if i%shard.Count == shard.Index-1 {
			part = append(part, requirement)
		}
	}
	return part
}

// Find finds a requirement by its ID, in upper or lower case.
func Find(requirements []Requirement, id string) (Requirement, error) {
	i := slices.IndexFunc(requirements, func(r Requirement) bool { return strings.EqualFold(r.ID, id) })
	if i < 0 {
		var ids []string
		for _, r := range requirements {
			ids = append(ids, r.ID)
		}
		return Requirement{}, fmt.Errorf("no requirement %s%s (reconform list shows all)", id, nearest.Question(id, ids))
	}
	return requirements[i], nil
}

// withShortNames adds our labels under their names without the prefix.
func withShortNames(given map[string]string) labels.Set {
	set := labels.Set{}
	for name, value := range given {
		set[name] = value
		set[strings.TrimPrefix(name, prefix)] = value
	}
	return set
}
