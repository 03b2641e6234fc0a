package history

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"reconform.dev/reconform/internal/record/sanitize"
)

// Change is a field that has another value than before, with both values.
type Change struct {
	// Path of the field, such as spec.template.spec.containers[0].image.
	Path string `json:"path"`
	// Was and Is are the values before and after, as JSON. A field that is not there has an
	// empty one.
	Was string `json:"was,omitempty"`
	Is  string `json:"is,omitempty"`
}

// Limits of changes: how many are listed, how deep they may lie, and how long a value may be
// that is told, in bytes.
const (
	mostChanges = 8
	mostDeep    = 8
	mostValue   = 80
	mostOfText  = 40 // of a label or an annotation, in characters
)

// Changes returns the paths of the fields in which an object differs from what it was, and
// how many more there are. It leaves out what the API server itself maintains. It also returns
// the values of those whose values may be told. It calls each with both values of every field
// that differs.
func Changes(before, after map[string]any, each func(was, is any)) (paths []string, values []Change, more int) {
	secret := isSecret(before) || isSecret(after)
	differences(before, after, "", mostDeep, func(path string, was, is any) {
		each(was, is)
		if len(paths) == mostChanges {
			more++
			return
		}
		paths = append(paths, path)
		if change, told := changeOf(path, was, is); told && !secret {
			values = append(values, change)
		}
	})
	return paths, values, more
}

// ChangesAt returns the fields in which an object differs from what it was, of those at or
// below some paths, or above them. It leaves out those whose values may not be told.
func ChangesAt(before, after map[string]any, paths []string) []Change {
	var changes []Change
	if isSecret(before) || isSecret(after) {
		return nil
	}
	differences(before, after, "", mostDeep, func(path string, was, is any) {
		meant := func(of string) bool { return within(path, of) || within(of, path) }
		change, told := changeOf(path, was, is)
		if told && len(changes) < mostChanges && slices.ContainsFunc(paths, meant) {
			changes = append(changes, change)
		}
	})
	return changes
}

// isSecret tells whether an object is a Secret, of which no value is told.
func isSecret(object map[string]any) bool { return object["kind"] == "Secret" }

// within says whether a path is equal to another one, or below it.
func within(path, of string) bool {
	rest, below := strings.CutPrefix(path, of)
	return below && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// InWords says from which value to which a field has changed.
func (c Change) InWords() string {
	value := func(text string) string {
		if text == "" {
			return "nothing"
		}
		return text
	}
	return fmt.Sprintf("%s from %s to %s", c.Path, value(c.Was), value(c.Is))
}

// mostSpec is how many fields of the spec are named of a write.
const mostSpec = 4

// SpecInWords says which fields a write changed, apart from the metadata and the status, such
// as ", which changed spec.replicas from 1 to 2". A change of one of these raises the
// generation. It returns "" if it is not known.
func (r *Request) SpecInWords() string {
	var fields []string
	for _, path := range r.Changed {
		if strings.HasPrefix(path, "metadata.") || strings.HasPrefix(path, "status.") {
			continue
		}
		words := path
		if n := slices.IndexFunc(r.Values, func(c Change) bool { return c.Path == path }); n >= 0 {
			words = r.Values[n].InWords()
		}
		fields = append(fields, words)
	}
	if len(fields) == 0 {
		return ""
	}
	return ", which changed " + sanitize.CutList(fields, mostSpec, ", ")
}

// changeOf returns a change, and whether its values may be told.
func changeOf(path string, was, is any) (Change, bool) {
	if path == "metadata.ownerReferences" {
		was, is = namesOf(was), namesOf(is)
	}
	if ofMetadata.MatchString(path) {
		was, is = short(was), short(is)
	}
	before, told := valueOf(was)
	after, toldToo := valueOf(is)
	return Change{Path: path, Was: before, Is: after}, told && toldToo && before != after && !mayBeSecret.MatchString(path)
}

// namesOf returns the kinds and names of owners.
func namesOf(owners any) any {
	list, ok := owners.([]any)
	if !ok {
		return owners
	}
	var names []any
	for _, one := range list {
		owner, ok := one.(map[string]any)
		if !ok {
			return owners
		}
		names = append(names, fmt.Sprint(owner["kind"], " ", owner["name"]))
	}
	return names
}

// ofMetadata matches the path of a label or an annotation.
var ofMetadata = regexp.MustCompile(`\bmetadata\.(labels|annotations)\.`)

// short cuts a text, so that a part of it can be told.
func short(value any) any {
	if text, ok := value.(string); ok {
		return sanitize.CutEnd(text, mostOfText)
	}
	return value
}

// mayBeSecret matches the paths of what Secrets and ConfigMaps hold, of environments and
// arguments, of fields whose names say so, and of the annotation in which kubectl keeps the
// whole object.
var mayBeSecret = regexp.MustCompile(`(?i)^(data|stringData|binaryData)\b|\b(env|command|args)\b|last-applied-configuration|passw|secret|token|credential`)

// valueOf returns a value as JSON, and whether it is short enough to be told: a text, a
// number or a boolean, or a list of these.
func valueOf(value any) (text string, told bool) {
	switch value := value.(type) {
	case nil:
		return "", true
	case map[string]any:
		return "", false
	case []any:
		if len(value) == 0 {
			return "", true
		}
		for _, one := range value {
			if _, told := valueOf(one); !told || one == nil {
				return "", false
			}
		}
	}
	data, err := json.Marshal(value)
	return string(data), err == nil && len(data) <= mostValue
}

// isMapOfTexts says whether a value is a map whose keys people choose, such as labels and
// annotations. If it is new, or gone, its keys say more than its path.
func isMapOfTexts(value any) bool {
	entries, ok := value.(map[string]any)
	for _, entry := range entries {
		if _, text := entry.(string); !text {
			return false
		}
	}
	return ok && len(entries) > 0
}

// differences calls each for every field in which a value differs from what it was, with its
// path and both values. It leaves out what the API server itself maintains.
func differences(before, after any, path string, deep int, each func(path string, before, after any)) {
	switch {
	case path == "metadata.managedFields", path == "metadata.resourceVersion", path == "metadata.generation":
		return
	case reflect.DeepEqual(before, after):
		return
	}
	if before == nil && isMapOfTexts(after) {
		before = map[string]any{}
	} else if after == nil && isMapOfTexts(before) {
		after = map[string]any{}
	}
	switch was := before.(type) {
	case map[string]any:
		is, ok := after.(map[string]any)
		if !ok || deep == 0 {
			break
		}
		both := maps.Clone(was)
		maps.Copy(both, is)
		for _, name := range slices.Sorted(maps.Keys(both)) {
			below := name
			if path != "" {
				below = path + "." + name
			}
			differences(was[name], is[name], below, deep-1, each)
		}
		return
	case []any:
		is, ok := after.([]any)
		if !ok || len(is) != len(was) || deep == 0 {
			break
		}
		for n := range was {
			differences(was[n], is[n], fmt.Sprintf("%s[%d]", path, n), deep-1, each)
		}
		return
	}
	each(path, before, after)
}
