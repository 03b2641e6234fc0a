package snapshot

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"reconform.dev/reconform/internal/record/history"
)

// nameGenerated gives the objects whose names the API server made up names that are the
// same in each run, and returns what replaces the names in other objects. Several of one
// generateName are numbered, in the order of what is in them, and those that are alike in the order
// in which they were created: the time of a creation has whole seconds only, so what is made at
// about the same time has another order in each run.
func (r *rules) nameGenerated(objects []object) []alias {
	var all []alias
	var generated []*object
	for i, o := range objects {
		if prefixOf(o) != "" {
			generated = append(generated, &objects[i])
		}
	}
	contents := map[*object]string{}
	for _, o := range generated {
		contents[o] = r.contentOf(*o)
	}
	slices.SortStableFunc(generated, func(a, b *object) int {
		return cmp.Or(cmp.Compare(contents[a], contents[b]), cmp.Compare(createdAt(*a), createdAt(*b)), cmp.Compare(a.name, b.name))
	})
	taken := map[string]int{}
	for _, o := range generated {
		was := o.name
		o.name = prefixOf(*o)
		if taken[o.String()]++; taken[o.String()] > 1 {
			o.name += fmt.Sprintf(" (%d)", taken[o.String()])
		}
		metadata, _ := o.content["metadata"].(map[string]any)
		metadata["name"] = o.name
		all = append(all, aliasesOf(was, strings.ReplaceAll(o.name, "$", "$$"))...)
	}
	return all
}

// contentOf returns what is in an object, as it is the same in each run, without its status.
func (r *rules) contentOf(o object) string {
	o.content = runtime.DeepCopyJSON(o.content)
	delete(o.content, "status")
	r.mask([]object{o})
	labels, _, _ := unstructured.NestedFieldNoCopy(o.content, "metadata", "labels")
	delete(o.content, "metadata")
	return text([]any{o.content, labels})
}

// prefixOf returns the name that is the same in each run, if the API server made up the name
// of an object; otherwise "".
func prefixOf(o object) string {
	given, _, _ := unstructured.NestedString(o.content, "metadata", "generateName")
	if given == "" {
		return ""
	}
	stable := history.GeneratedName(given)
	if len(stable) != len(o.name) || !strings.HasPrefix(o.name, strings.TrimRight(stable, "?")) {
		return "" // somebody else chose it
	}
	return stable
}

func createdAt(o object) string {
	at, _, _ := unstructured.NestedString(o.content, "metadata", "creationTimestamp")
	return at
}
