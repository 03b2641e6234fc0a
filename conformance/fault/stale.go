package fault

import (
	"errors"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

func newStale(*v1alpha1.Fault) (action, error) {
	return nil, errors.New("stale reads are not served yet")
}
