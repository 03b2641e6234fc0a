package page

import "reconform.dev/reconform/conformance/api/v1alpha1"

// never is an invariant of the report, with what it forbids.
type never struct {
	v1alpha1.Invariant
	What string
}
