package catalogue

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// Home is a symptom that a scenario exists to find.
type Home struct {
	// State of the object or the field.
	State v1alpha1.SymptomState
	// AfterFailure is true if the last attempt at the missing write must have failed.
	AfterFailure bool
	// Path of the field, with everything below it. Empty means the whole object.
	Path string
}

// afterFailure is the word in the annotation that says that a failed attempt came before.
const afterFailure = "after-failure"

// homes reads the annotation: NeverMade, NeverMade after-failure, Written metadata.labels,
// NotWritten status after-failure.
func (s *scenario) homes(annotations *yaml.Node) []Home {
	states := []string{string(v1alpha1.NeverMade), string(v1alpha1.NotMadeAgain), string(v1alpha1.NotWritten), string(v1alpha1.Refused), string(v1alpha1.Written)}
	var homes []Home
	for _, text := range list(annotations, AnnotationHomeOf) {
		state, rest, _ := strings.Cut(text, " ")
		if !slices.Contains(states, state) {
			s.problem(child(annotations, AnnotationHomeOf), "there is no symptom %q: give one or more of %s, joined by commas, "+
				"each with the path of a field, or %s, or both after it where that is meant", state, strings.Join(states, ", "), afterFailure)
			continue
		}
		path, failed := strings.CutSuffix(" "+rest, " "+afterFailure)
		homes = append(homes, Home{State: v1alpha1.SymptomState(state), AfterFailure: failed, Path: strings.TrimSpace(path)})
	}
	return homes
}
