package v1alpha1

import "strings"

// Divergence is one thing that is not as without the disturbance.
type Divergence struct {
	// kind of divergence.
	Kind DivergenceKind `json:"kind"`
	// object as resource and name.
	// +optional
	Object string `json:"object,omitempty"`
	// path of the field that differs, or the rule that was broken.
	// +optional
	Path string `json:"path,omitempty"`
	// expected and found say what it is without the disturbance, and what it was with it.
	// +optional
	Expected string `json:"expected,omitempty"`
	// +optional
	Found string `json:"found,omitempty"`
}

// DivergenceKind says what sort of divergence it is.
//
// +kubebuilder:validation:Enum=Field;Missing;Extra;Harm;Restless;Traffic
type DivergenceKind string

// The kinds of divergences.
const (
	// DivergenceField: a field of an object has another value at the end.
	DivergenceField DivergenceKind = "Field"
	// DivergenceMissing: an object is not there at the end.
	DivergenceMissing DivergenceKind = "Missing"
	// DivergenceExtra: there is an object at the end that should not be.
	DivergenceExtra DivergenceKind = "Extra"
	// DivergenceHarm: something happened on the way that must never happen.
	DivergenceHarm DivergenceKind = "Harm"
	// DivergenceRestless: the subject does not fall quiet, or does not become ready.
	DivergenceRestless DivergenceKind = "Restless"
	// DivergenceTraffic: it sends many more requests.
	DivergenceTraffic DivergenceKind = "Traffic"
)

// InWords says what differs.
func (d Divergence) InWords() string {
	switch d.Kind {
	case DivergenceMissing, DivergenceExtra:
		if d.Expected != "" { // the objects are counted only
			return d.Object + ": expected " + d.Expected + ", found " + d.Found
		}
	}
	switch d.Kind {
	case DivergenceMissing:
		return d.Object + " is missing"
	case DivergenceExtra:
		return d.Object + " should not be there"
	case DivergenceHarm:
		return strings.TrimSpace(d.Object + " " + d.Path + ": " + d.Found)
	case DivergenceField:
		return d.Object + ": " + d.Path + ": expected " + d.Expected + ", found " + d.Found
	}
	return "expected: " + d.Expected + "; found: " + d.Found
}
