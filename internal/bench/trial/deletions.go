package trial

import (
	"path"
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// deletes says whether a request deleted one object.
func deletes(q history.Request) bool {
	return q.Verb == history.VerbDelete && q.Effect == history.EffectEffective && q.Name != "" &&
		history.Matches(v1alpha1.RequestMatch{}, q)
}

// deletions returns the objects that the subject deleted, each once. Bystanders are not
// among them: one may have the name of a child, whose deletion is then not expected.
func deletions(requests []history.Request, names history.Generated) []string {
	var all []string
	for _, q := range requests {
		if deletes(q) && !q.Bystander {
			all = append(all, names.Object(objectOf(q)))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// expects says whether an object is among those, whose names may have wildcards.
func expects(those []string, object string) bool {
	return slices.ContainsFunc(those, func(expected string) bool {
		matches, err := path.Match(expected, object)
		return matches && err == nil
	})
}

func objectOf(q history.Request) string { return q.GroupResource().String() + " " + q.Name }
