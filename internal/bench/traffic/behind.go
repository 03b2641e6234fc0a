package traffic

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// kept are the kinds that a controller may leave on purpose, because they hold the user's data.
var kept = []schema.GroupResource{{Resource: "persistentvolumeclaims"}, {Resource: "secrets"}}

// leftBehind returns the objects that the requests created, and that nobody removes: they have no
// owner, by which the garbage collector would, and the requests have not deleted them. Only
// creations that match count.
func leftBehind(requests []history.Request, match v1alpha1.RequestMatch) []history.Request {
	var left []history.Request
	for _, r := range requests {
		same := func(made history.Request) bool {
			return made.GroupResource() == r.GroupResource() && made.Namespace == r.Namespace && (made.Name == r.Name || r.Name == "")
		}
		switch {
		case r.Effect != history.EffectEffective || r.Subresource != "":
		case r.Verb == history.VerbDelete, len(r.Owners) > 0, slices.ContainsFunc(r.Changed, ofOwners):
			left = slices.DeleteFunc(left, same)
		case r.Verb == history.VerbCreate && history.Matches(match, r) && !slices.Contains(kept, r.GroupResource()):
			left = append(left, r)
		}
	}
	return left
}

// ofOwners says whether a path is that of the owner references.
func ofOwners(path string) bool { return strings.HasPrefix(path, "metadata.ownerReferences") }
