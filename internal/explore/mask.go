package explore

import (
	"path"
	"slices"
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

// sameCount returns how many objects with names that are made up a mask is about, if that is the same
// in each outcome; otherwise 0.
func sameCount(outcomes []map[string]any, mask v1alpha1.TrialMask) int32 {
	if mask.Path != "" || !strings.Contains(mask.Object, "?") {
		return 0
	}
	count := func(outcome map[string]any) (n int32) {
		for object := range outcome {
			if matches, err := path.Match(mask.Object, object); err == nil && matches {
				n++
			}
		}
		return n
	}
	first := count(outcomes[0])
	if slices.ContainsFunc(outcomes, func(outcome map[string]any) bool { return count(outcome) != first }) {
		return 0
	}
	return first
}

// nameIn returns the name of an object, as it is the same in each run.
func nameIn(masks []v1alpha1.TrialMask, resource, name string) string {
	object := resource + " " + name
	pattern := anyEnding(object)
	for _, mask := range masks {
		if mask.Path == "" && mask.Object == pattern {
			return strings.TrimPrefix(pattern, resource+" ")
		}
	}
	return name
}

// uncounted returns masks that do not say how many objects there are.
func uncounted(masks []v1alpha1.TrialMask) []v1alpha1.TrialMask {
	all := slices.Clone(masks)
	for i := range all {
		all[i].Count = 0
	}
	return all
}

// maskedToo returns the masks of an outcome that is expected, and those of another operation. How
// many objects there are is said by the outcome that is expected.
func maskedToo(expected, others []v1alpha1.TrialMask) []v1alpha1.TrialMask {
	counted := slices.Clone(expected)
	for _, other := range others {
		same := slices.ContainsFunc(expected, func(m v1alpha1.TrialMask) bool {
			return m.Object == other.Object && m.Path == other.Path && m.Count > 0 && other.Count > 0
		})
		if other.Count = 0; !same && !slices.Contains(counted, other) {
			counted = append(counted, other)
		}
	}
	return counted
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
