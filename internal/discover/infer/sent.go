package infer

import (
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/internal/record/history"
)

// filledIn tells whether a value of an object is the API server's: the controller's own
// writes are known, and none of them sent it. An update sends back all that was read, so
// there a value counts only if it was another one before. It returns false if no write of
// the object is known.
func (r *Record) filledIn(object *unstructured.Unstructured, path string) bool {
	known := false
	for _, write := range r.Writes {
		if write.UID != object.GetUID() || write.Subresource != "" || write.Effect != history.EffectEffective {
			continue
		}
		body, before, err := write.Decode()
		if err != nil || body == nil {
			continue
		}
		sent := counterpartIn(body, object.Object, path)
		if sent != nil && (before == nil || !same(sent, counterpartIn(before, object.Object, path))) {
			return false
		}
		known = known || write.Verb == history.VerbCreate
	}
	return known
}

// counterpartIn returns the value of a body that stands for the one at a path of an object.
// An entry of a list that has a name is found by its name, because something else may have
// added entries.
func counterpartIn(body, object map[string]any, path string) any {
	var sent, stored any = body, object
	for _, step := range steps(path) {
		switch v := stored.(type) {
		case map[string]any:
			fields, _ := sent.(map[string]any)
			sent, stored = fields[step], v[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(v) {
				return nil
			}
			list, _ := sent.([]any)
			sent, stored = entryLike(list, v[i], i), v[i]
		default:
			return nil
		}
	}
	return sent
}

// entryLike returns the entry of a list that has the name of another entry, or is at its
// place if that one has no name.
func entryLike(list []any, other any, place int) any {
	named, _ := other.(map[string]any)
	if name := named["name"]; name != nil {
		for _, entry := range list {
			if fields, _ := entry.(map[string]any); same(fields["name"], name) {
				return entry
			}
		}
		return nil
	}
	if place < len(list) {
		return list[place]
	}
	return nil
}
