package scenarios_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/kyverno/chainsaw/pkg/discovery"

	"reconform.dev/reconform/internal/scenario/catalogue"
)

// longestLine of a scenario or a template, in characters.
const longestLine = 120

// TestEveryStepHasARole: Given and When prepare, and only Then accuses. Somebody must. A
// message names the step that accuses, so each has a name of its own.
func TestEveryStepHasARole(t *testing.T) {
	tests, err := discovery.DiscoverTests("chainsaw-test", nil, false, ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range tests {
		judges, names := false, map[string]bool{}
		for _, step := range test.Test.Spec.Steps {
			role := catalogue.RoleOf(step.Name)
			if role == "" {
				t.Errorf("%s: the name of step %q begins with none of Given, When and Then", test.Test.Name, step.Name)
			}
			if role == catalogue.Then && names[step.Name] {
				t.Errorf("%s: two steps have the name %q: a message would not say which of them failed", test.Test.Name, step.Name)
			}
			names[step.Name] = true
			judges = judges || role == catalogue.Then
		}
		wholeRun := test.Test.Labels[catalogue.LabelWhole] != ""
		if !judges && !wholeRun {
			t.Errorf("%s: no step judges: the name of one begins with Then", test.Test.Name)
		}
	}
}

// Forms that scenarios are not to have, and what takes their place.
var forbidden = []struct {
	form    *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`&& '[^']*' \|\|`), "a message made by an expression: have an object of the bench judge"},
	{regexp.MustCompile(`timeoutScale|--timeout=\$`), "a computed bound: give within, window or quietWithin of an object of the bench"},
	{regexp.MustCompile(`(?i)^[ -]*(y|n|yes|no|on|off):`), "a key that YAML reads as true or false: choose another, or give it quotes"},
	{regexp.MustCompile(`phase: (Armed|Measuring|Watching|Taken)\b`), "a wait for what holds as soon as the object is created"},
}

// TestForm: no line is too wide, and no form stands there that has a better one. How long
// a scenario is, is not asked: steps went into templates of a single use for that.
func TestForm(t *testing.T) {
	requirements, err := catalogue.Read(os.DirFS("."), ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, requirement := range requirements {
		checkLines(t, requirement.Path, readLines(t, requirement.Path))
	}
	templates, err := os.ReadDir("templates")
	if err != nil {
		t.Fatal(err)
	}
	for _, template := range templates {
		path := "templates/" + template.Name()
		checkLines(t, path, readLines(t, path))
	}
}

func readLines(t *testing.T, path string) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

func checkLines(t *testing.T, path string, lines []string) {
	t.Helper()
	for i, line := range lines {
		if n := len([]rune(line)); n > longestLine {
			t.Errorf("%s:%d: %d characters; at most %d", path, i+1, n, longestLine)
		}
		for _, f := range forbidden {
			if f.form.MatchString(line) {
				t.Errorf("%s:%d: %s", path, i+1, f.instead)
			}
		}
	}
}
