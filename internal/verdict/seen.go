package verdict

import (
	"fmt"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/verdict/seen"
)

// whereSeen returns the finding for a requirement about features that are not claimed. The
// finding counts only if the scenario shows these features. If it could not be judged,
// that is not a fault of an implementation that claims nothing.
func (c *Case) whereSeen(f Finding) Finding {
	if len(c.Unclaimed) == 0 {
		return f
	}
	shown := seen.Shown(c.Contract, c.Account)
	for _, feature := range c.Unclaimed {
		request, seen := shown[feature]
		switch {
		case !seen:
			return Finding{Verdict: v1alpha1.Skipped, Reason: fmt.Sprintf("feature %s is not claimed, and was not seen", feature)}
		case f.Verdict == v1alpha1.ResultInconclusive:
			f.Verdict, f.Failure = v1alpha1.Skipped, ""
			f.Reason = fmt.Sprintf("feature %s is not claimed, and what was seen of it could not be judged: %s", feature, f.Reason)
		case f.Verdict == v1alpha1.Failed:
			f.Reason += fmt.Sprintf("; the profile does not claim %s, but it was seen: %s", feature, request.InWords())
		}
	}
	return f
}
