package observation

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/sanitize"
)

// told describes the first violations.
func told(violations []v1alpha1.ObservedViolation) string {
	var parts []string
	for _, v := range violations[:min(maxTold, len(violations))] {
		part := v.Excerpt
		if v.Name != "" {
			part = fmt.Sprintf("%s at resourceVersion %s %s", v.Name, v.ResourceVersion, v.Excerpt)
		}
		parts = append(parts, part)
	}
	text := more(parts, len(violations)-maxTold)
	if holds := violations[0].Holds; holds != "" {
		text += "; what came true of it: " + holds
	}
	return text
}

// more joins parts, and says how many are not shown.
func more(parts []string, left int) string {
	text := strings.Join(parts, "; ")
	if left > 0 {
		text += fmt.Sprintf("; and %d more", left)
	}
	return text
}

// excerpt returns what is shown of a version that must never have been: the object without its
// metadata, and the generation, if never reads that. The lock is held.
func (j *judge) excerpt(object map[string]any) map[string]any {
	content := withoutMetadata(object)
	generation, found, _ := unstructured.NestedFieldNoCopy(object, "metadata", "generation")
	reads := func(path []string) bool { return slices.Equal(path, []string{"metadata", "generation"}) }
	if found && slices.ContainsFunc(j.never.reads, reads) {
		content["metadata"] = map[string]any{"generation": generation}
	}
	return content
}

// withoutMetadata returns an object without its type and metadata.
func withoutMetadata(object map[string]any) map[string]any {
	content := maps.Clone(object)
	for _, key := range []string{"apiVersion", "kind", "metadata"} {
		delete(content, key)
	}
	return content
}

// marshal returns a value as JSON, cut short.
func marshal(value any, most int) string {
	data, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return sanitize.Cut(string(data), most)
}

// changed says in words which of the fields that never reads have changed since the version
// before, or, if none has, since the first one. The lock is held.
func (j *judge) changed(before, first any, after map[string]any) []string {
	var paths []string
	for _, path := range j.never.reads {
		paths = append(paths, strings.Join(path, "."))
	}
	for _, was := range []any{before, first} {
		was, _ := was.(map[string]any)
		if was == nil {
			continue
		}
		var words []string
		for _, change := range history.ChangesAt(was, after, paths) {
			words = append(words, change.InWords())
		}
		if len(words) > 0 {
			return words
		}
	}
	return nil
}

// unmet says what did not come, with a note about the time. The lock is held.
func (j *judge) unmet(note string) string {
	return fmt.Sprintf("expected %q within %s%s, seen at the end: %s", j.eventually.expression, j.within, note, j.present())
}

// ofNumber matches a rule that reads only how many objects there are.
var ofNumber = regexp.MustCompile(`^all\.size\(\) (?:[=!]=|[<>]=?) \d+$`)

// present describes what eventually reads of the current objects. The lock is held.
func (j *judge) present() string {
	if j.reading != nil {
		return cmp.Or(j.standing(), marshal(j.reading, maxExcerpt))
	}
	names := slices.Sorted(maps.Keys(j.there))
	if len(names) == 0 {
		return "nothing"
	}
	if ofNumber.MatchString(j.eventually.expression) {
		return fmt.Sprintf("%d (%s)", len(names), sanitize.CutList(names, maxTold, ", "))
	}
	var parts []string
	for _, name := range names[:min(maxTold, len(names))] {
		if paths := j.eventually.reads; len(paths) > 0 {
			parts = append(parts, name+" "+marshal(fieldsOf(j.there[name], paths), maxExcerpt))
		} else {
			parts = append(parts, name+" "+marshal(withoutMetadata(j.there[name]), maxWhole))
		}
	}
	return more(parts, len(names)-maxTold)
}
