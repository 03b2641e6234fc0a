package evidence

import (
	"fmt"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// Text of a result that did not pass: the reason, and what proves it, each below its
// title. It ends without a newline.
func Text(r *v1alpha1.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "reason: %s\n", indent(r.Reason))
	if e := r.Evidence; e != nil {
		for _, part := range []struct{ title, text string }{
			{"expected and observed", e.Difference},
			{"the requests that prove it", strings.Join(e.Requests, "\n")},
			{"its last writes before that", strings.Join(e.Recent, "\n")},
			{"this requirement exists to catch", e.Catches},
			{"hint", e.Hint},
			{"last lines of the subject", strings.Join(e.Log, "\n")},
			{"reproduce with", e.Reproduce},
		} {
			if part.text != "" {
				fmt.Fprintf(&b, "%s:\n  %s\n", part.title, indent(part.text))
			}
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// indent keeps a text of several lines together below its title.
func indent(text string) string {
	return strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ")
}
