package explore

import (
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/snapshot"
)

// masks returns what differs between two outcomes of the same operation. An object that
// only one of them has is masked as a whole, with all whose names differ from its name only
// in a random ending: the next run has another one.
func masks(one, other map[string]any) []v1alpha1.TrialMask {
	var all []v1alpha1.TrialMask
	for _, d := range snapshot.Between(one, other) {
		mask := v1alpha1.TrialMask{Object: d.Object, Path: d.Path}
		if d.Kind == v1alpha1.DivergenceMissing || d.Kind == v1alpha1.DivergenceExtra {
			mask.Object = anyEnding(d.Object)
		}
		all = append(all, mask)
	}
	return all
}

// anyEnding returns a pattern for all objects whose names differ from that of an object only
// in its random ending. That is the object itself if it has none.
func anyEnding(object string) string {
	at := strings.LastIndexByte(object, '-')
	if at < 0 || !random.MatchString(object[at+1:]) {
		return object
	}
	return object[:at+1] + strings.Repeat("?", len(object)-at-1)
}
