package catalogue

import "testing"

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
	if got := (&Requirement{Raw: []byte("not: [YAML")}).When("Then"); got != "" {
		t.Errorf("of no scenario: %q", got)
	}
}
