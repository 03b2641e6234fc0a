package snapshot

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// isEmptyStatus says whether a difference is a field of a status that is empty in one
// outcome, and not there in the other. A status that is written as a whole has empty
// fields, and one that is patched does not; readers cannot tell them apart.
func isEmptyStatus(d v1alpha1.Divergence) bool {
	return d.Kind == v1alpha1.DivergenceField && (d.Path == "status" || strings.HasPrefix(d.Path, "status.")) &&
		isEmptyText(d.Expected) && isEmptyText(d.Found)
}

// isEmptyText says whether a value in a divergence is not there, or has nothing in it, as
// {"conditions":[]}.
func isEmptyText(text string) bool {
	if text == Absent {
		return true
	}
	var value any
	return json.Unmarshal([]byte(text), &value) == nil && isEmpty(value)
}

func isEmpty(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		return !slices.ContainsFunc(slices.Collect(maps.Values(v)), func(below any) bool { return !isEmpty(below) })
	case []any:
		return len(v) == 0
	}
	return false
}

// isOwnNote says whether a difference is an annotation of a child that one outcome has and
// the other has not, and whose key belongs to the group that the controller serves. It is a
// note that the controller makes for itself, such as of earlier revisions: whether it is
// there depends on what happened on the way. Its value never counts.
func isOwnNote(d v1alpha1.Divergence, plural, group string) bool {
	if d.Kind != v1alpha1.DivergenceField || group == "" || strings.HasPrefix(d.Object, plural+"."+group+" ") || d.Expected != Absent && d.Found != Absent {
		return false
	}
	key, ok := strings.CutPrefix(d.Path, "metadata.annotations.")
	domain, _, named := strings.Cut(key, "/")
	return ok && named && (domain == group || strings.HasSuffix(domain, "."+group))
}
