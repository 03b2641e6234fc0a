package snapshot

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/sanitize"
)

const (
	maxDifferences = 50
	maxValue       = 120 // characters
	// mostTold is how many differences a message lists.
	mostTold = 3
)

// inShort returns the first of many differences. The status has all of them.
func inShort(differences []string) string {
	if more := len(differences) - mostTold; more > 1 {
		differences = append(slices.Clone(differences[:mostTold]), fmt.Sprintf("and %d more", more))
	}
	return strings.Join(differences, "; ")
}

// allowance says what does not count as a difference.
type allowance struct {
	// late are the keys of objects whose status is ignored.
	late []string
	// defaulted is the beginning of the keys of objects in whose spec only fields count
	// that both have. It is empty if there are none.
	defaulted string
}

// differences describes how the content of one Snapshot differs from that of another: the
// first differences, and how many more there are. It ignores what is allowed. A UID or
// version that the controller copied into a text is not a difference.
func differences(other, one v1alpha1.SnapshotStatus, known history.Identities, allowed allowance) ([]string, error) {
	was, err := content(other)
	if err != nil {
		return nil, err
	}
	is, err := content(one)
	if err != nil {
		return nil, err
	}
	quoted := quotesIn(known, was, is)
	was, is = unmarkBefore(quoted.hideIn(was), quoted.hideIn(is))
	var found []string
	for _, name := range keysOf(was, is) {
		before, there := was[name]
		after, here := is[name]
		switch {
		case !here:
			found = append(found, name+": is missing")
		case !there:
			found = append(found, name+": was not there")
		default:
			if slices.Contains(allowed.late, name) {
				before, after = withoutStatus(before), withoutStatus(after)
			}
			if allowed.defaulted != "" && strings.HasPrefix(name, allowed.defaulted) {
				before, after = withCommonSpec(before, after)
			}
			compare("", before, after, func(path, difference string) {
				found = append(found, name+": "+path+": "+difference)
			})
		}
	}
	if more := len(found) - maxDifferences; more > 0 {
		found = append(found[:maxDifferences], fmt.Sprintf("and %d more", more))
	}
	return found, nil
}

func withoutStatus(object any) any {
	fields, _ := object.(map[string]any)
	fields = maps.Clone(fields)
	delete(fields, "status")
	return fields
}

// compare calls tell for every path at which two values differ.
func compare(path string, was, is any, tell func(path, difference string)) {
	tellFields(path, was, is, func(path, was, is string) {
		switch {
		case is == Absent:
			tell(path, "is missing, was "+was)
		case was == Absent:
			tell(path, is+", was not there")
		default:
			tell(path, is+", was "+strings.TrimPrefix(was, inOrder))
		}
	})
}

// byKey gives names to the entries of a list, in order. A name is the field that
// identifies the entry, if that is different for each entry. Otherwise it is the index.
func byKey(list []any) (named map[string]any, order []string) {
	for _, identity := range []string{"type", "name", "containerPort", "port", "mountPath"} {
		named, order = map[string]any{}, nil
		for _, entry := range list {
			if fields, ok := entry.(map[string]any); ok && fields[identity] != nil {
				key := fmt.Sprint(fields[identity])
				named[key], order = entry, append(order, key)
			}
		}
		if len(named) == len(list) {
			return named, order
		}
	}
	named, order = map[string]any{}, nil
	for i, entry := range list {
		key := fmt.Sprint(i)
		named[key], order = entry, append(order, key)
	}
	return named, order
}

func keysOf(a, b map[string]any) []string {
	all := map[string]any{}
	maps.Copy(all, a)
	maps.Copy(all, b)
	return slices.Sorted(maps.Keys(all))
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// shown returns a value as JSON, cut short.
func shown(value any) string {
	return sanitize.CutEnd(text(value), maxValue)
}
