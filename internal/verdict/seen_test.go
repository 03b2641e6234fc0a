package verdict

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

func TestWhereSeen(t *testing.T) {
	event := history.Request{Seq: 7, Verb: "create", Resource: "events", Name: "demo.1", Code: 201}
	for name, tc := range map[string]struct {
		unclaimed []v1alpha1.Feature
		seen      bool
		found     Finding
		want      Finding
	}{
		"claimed":    {nil, false, Finding{Verdict: "Failed", Reason: "no"}, Finding{Verdict: "Failed", Reason: "no"}},
		"not seen":   {[]v1alpha1.Feature{"events"}, false, Finding{Verdict: "Failed", Reason: "no", Again: true}, Finding{Verdict: "Skipped", Reason: "feature events is not claimed, and was not seen"}},
		"sound":      {[]v1alpha1.Feature{"events"}, true, Finding{Verdict: "Passed"}, Finding{Verdict: "Passed"}},
		"wrong":      {[]v1alpha1.Feature{"events"}, true, Finding{Verdict: "Failed", Reason: "no"}, Finding{Verdict: "Failed", Reason: "no; the profile does not claim events, but it was seen: #7 create events demo.1"}},
		"not judged": {[]v1alpha1.Feature{"events"}, true, Finding{Verdict: "Inconclusive", Reason: "why"}, Finding{Verdict: "Skipped", Reason: "feature events is not claimed, and what was seen of it could not be judged: why"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := Case{Unclaimed: tc.unclaimed}
			if tc.seen {
				c.Account.Requests = []history.Request{event}
			}
			if diff := cmp.Diff(tc.want, c.whereSeen(tc.found)); diff != "" {
				t.Errorf("finding (-want +got):\n%s", diff)
			}
		})
	}
}
