package expectation

import (
	"fmt"

	"k8s.io/utils/ptr"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// Number is a number that was found, with its bounds.
type Number struct {
	// Name of what was counted, in the plural: effective writes.
	Name string
	// Found is the number that was found.
	Found int64
	// Bounds of the number; nil if it is not judged.
	Bounds *v1alpha1.NumberBound
}

// Broken says what was expected and what was found. It returns "" if the number is within
// its bounds.
func (n Number) Broken() string {
	if n.Bounds == nil {
		return ""
	}
	least, most := ptr.Deref(n.Bounds.Min, 0), ptr.Deref(n.Bounds.Max, n.Found)
	if least <= n.Found && n.Found <= most {
		return ""
	}
	return fmt.Sprintf("expected %s %s, found %d", boundsInWords(n.Bounds), n.Name, n.Found)
}

// boundsInWords writes bounds in words: no, at most 20, exactly 1, 2 to 5, at least 3.
func boundsInWords(b *v1alpha1.NumberBound) string {
	switch {
	case b.Max == nil:
		return fmt.Sprintf("at least %d", ptr.Deref(b.Min, 0))
	case *b.Max == 0:
		return "no"
	case b.Min == nil || *b.Min == 0:
		return fmt.Sprintf("at most %d", *b.Max)
	case *b.Min == *b.Max:
		return fmt.Sprintf("exactly %d", *b.Max)
	default:
		return fmt.Sprintf("%d to %d", *b.Min, *b.Max)
	}
}
