package runner

import (
	"testing"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/report"
)

func TestOutcome(t *testing.T) {
	for name, tc := range map[string]struct {
		unclaimed []v1alpha1.Feature
		failed    string
		want      report.Outcome
	}{
		"passed":                {nil, "", report.Passes},
		"failed":                {nil, "Then it is undone", report.Fails},
		"was not prepared":      {nil, "Given the controller", report.Unsettled},
		"did not happen":        {nil, "When it is scaled", report.Unsettled},
		"failed, not claimed":   {[]v1alpha1.Feature{"conditions"}, "Then it is undone", report.NotClaimed},
		"passed, yet unclaimed": {[]v1alpha1.Feature{"conditions"}, "", report.NotClaimed},
	} {
		if got := (&scenario{unclaimed: tc.unclaimed}).outcome(tc.failed); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}
