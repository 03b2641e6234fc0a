package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/internal/mutant"
)

func TestAdaptProfile(t *testing.T) {
	const content = `metadata:
  name: reference
spec:
  implementation:
    name: webapp-controller # ours
    description: The reference.
  launch:
    command:
      - ../../bin/manager
      - --leader-elect={{ .LeaderElect }}
`
	const want = `metadata:
    name: broken
spec:
    implementation:
        name: broken # ours
        description: 'A mutant. It is wrong: so.'
    launch:
        command:
            - ../../../../mutants
            - --mutant=broken
            - --leader-elect={{ .LeaderElect }}
`
	broken := mutant.Mutant{Name: "broken", Mistake: "It is wrong: so."}
	got, err := adaptProfile(broken, []byte(content))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("profile (-want +got):\n%s", diff)
	}
	for name, bad := range map[string]string{
		"no command":     "metadata: {name: a}\nspec: {implementation: {name: a, description: b}, launch: {command: []}}\n",
		"no description": "metadata: {name: a}\nspec: {implementation: {name: a}, launch: {command: [a]}}\n",
		"no mapping":     "- a\n",
		"no YAML":        "a: [\n",
		"empty":          "",
	} {
		if _, err := adaptProfile(broken, []byte(bad)); err == nil {
			t.Errorf("no error for a profile with %s", name)
		}
	}
}
