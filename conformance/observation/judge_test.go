package observation

import (
	"testing"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/conformance/expectation"
)

func newTestJudge(t *testing.T, spec v1alpha1.ObservationSpec) *judge {
	t.Helper()
	j, err := newJudge(spec, expectation.Times{}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return j
}
