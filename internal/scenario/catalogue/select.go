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

// Find finds a requirement by its ID, in upper or lower case. If the ID is only the beginning of
// some, or their area, the error names these.
func Find(requirements []Requirement, id string) (Requirement, error) {
	i := slices.IndexFunc(requirements, func(r Requirement) bool { return strings.EqualFold(r.ID, id) })
	if i >= 0 {
		return requirements[i], nil
	}
	var ids, begin, areas []string
	for _, r := range requirements {
		ids = append(ids, r.ID)
		if !begins(r, id) {
			continue
		}
		if begin = append(begin, r.ID); !slices.Contains(areas, r.Area) {
			areas = append(areas, r.Area)
		}
	}
	if len(begin) > 0 {
		return Requirement{}, fmt.Errorf("no requirement %s; there are: %s; reconform list -l 'area in (%s)' says what they ask for",
			id, strings.Join(begin, ", "), strings.Join(areas, ","))
	}
	return Requirement{}, fmt.Errorf("no requirement %s%s; reconform list shows all", id, nearest.Question(id, ids))
}

// begins tells whether a word is the beginning of a requirement's ID, with or without the dash at
// its end, or the requirement's area.
func begins(r Requirement, word string) bool {
	id, word := strings.ToLower(r.ID), strings.ToLower(word)
	return len(word) > 1 && (strings.HasPrefix(id, word) || word == strings.ToLower(r.Area))
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
