package catalogue

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSpoken(t *testing.T) {
	r := Requirement{
		Must: "A WebApp.", Catches: "a WebApp", Hint: "The WebApp.",
		Raw: []byte("spec:\n  steps:\n  - name: When the WebApp changes\n    try:\n    - description: The WebApp.\n      assert: {resource: {kind: WebApp}}\n"),
	}
	got := r.Spoken(func(text string) string { return strings.ReplaceAll(text, "WebApp", "Site") })
	want := Requirement{
		Must: "A Site.", Catches: "a Site", Hint: "The Site.",
		Raw: []byte("spec:\n  steps:\n  - name: When the Site changes\n    try:\n    - description: The Site.\n      assert: {resource: {kind: WebApp}}\n"),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("spoken (-want +got):\n%s", diff)
	}
	if line := got.Line("When the Site changes"); line != 3 {
		t.Errorf("the step is on line %d, want 3", line)
	}
}
