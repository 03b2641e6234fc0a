package catalogue

import (
	"strings"
	"testing"
)

func TestWhen(t *testing.T) {
	all, err := Embedded()
	if err != nil {
		t.Fatal(err)
	}
	image, err := Find(all, "SH-004")
	if err != nil {
		t.Fatal(err)
	}
	for step, want := range map[string]string{
		"Then the image of the spec comes back": "When the Deployment gets a foreign image",
		"Given that the controller is quiet":    "", // nothing was changed before
		"Then another step":                     "", // it has no such step
	} {
		if got := image.When(step); got != want {
			t.Errorf("before %q: %q, want %q", step, got, want)
		}
	}
	for _, r := range all {
		for line := range strings.Lines(string(r.Raw)) {
			name, ok := strings.CutPrefix(strings.TrimSpace(line), "- name: Then ")
			if !ok {
				continue
			}
			if when := r.When("Then " + name); strings.HasPrefix(when, "When the controller has settled") {
				t.Errorf("%s, before %q: %q", r.ID, name, when)
			}
		}
	}
	if got := (&Requirement{Raw: []byte("not: [YAML")}).When("Then"); got != "" {
		t.Errorf("of no scenario: %q", got)
	}
}
