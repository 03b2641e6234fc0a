package profile

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"reconform.dev/reconform/internal/profile/strictyaml"
)

// everyField returns the examples of docs/profile.md that have each field.
func everyField(t *testing.T) []map[string]any {
	t.Helper()
	text, err := os.ReadFile("../../docs/profile.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), "\n## Every field\n\n```yaml\n")
	contract, _, found := strings.Cut(after, "```\n")
	_, after, _ = strings.Cut(after, "\n## Without a contract\n")
	_, after, _ = strings.Cut(after, "```yaml\n")
	serves, _, alsoFound := strings.Cut(after, "```\n")
	if !found || !alsoFound {
		t.Fatal("docs/profile.md has no examples under Every field and Without a contract")
	}
	around := "apiVersion: reconform.dev/v1alpha1\nkind: Profile\nmetadata: {name: mine, labels: {a: b}}\n" +
		serves + "  implementation: {name: mine}\n  install: {crds: [crd.yaml]}\n  launch: {command: [bin/mine]}\n"
	var examples []map[string]any
	for _, text := range []string{contract, around} {
		var example map[string]any
		if err := yaml.Unmarshal([]byte(text), &example); err != nil {
			t.Fatal(err)
		}
		examples = append(examples, example)
	}
	return examples
}

// everyValue calls visit with each value in a value, and with what replaces it.
func everyValue(at string, value any, visit func(at string, value any, set func(any))) {
	look := func(at string, value any, set func(any)) {
		visit(at, value, set)
		everyValue(at, value, visit)
	}
	switch v := value.(type) {
	case map[string]any:
		for key, one := range v {
			look(strings.TrimPrefix(at+"."+key, "."), one, func(other any) { v[key] = other })
		}
	case []any:
		for i, one := range v {
			look(fmt.Sprintf("%s[%d]", at, i), one, func(other any) { v[i] = other })
		}
	}
}

// TestWrongTypes: whatever has the wrong type, of all fields of a profile, is told once, at
// its own line and field, and in words that are not those of Go.
func TestWrongTypes(t *testing.T) {
	free := regexp.MustCompile(`\.(base|root|sample|beside|patch)\b`) // in these, any value may stand
	odd := regexp.MustCompile(`map\[|<nil>|unmarshal|Checked value|anyOf|must be( of type)? ?(:|$)|regex`)
	for _, example := range everyField(t) {
		everyValue("", example, func(at string, value any, set func(any)) {
			if free.MatchString(at) {
				return
			}
			defer set(value)
			wrong := []any{[]any{"a"}, 7.5, true}
			switch value.(type) {
			case map[string]any:
				wrong = append(wrong, "nope")
			case []any:
				wrong[0] = map[string]any{"a": "b"}
			case bool:
				wrong = []any{"nope", 7.5}
			default:
				wrong = append(wrong, map[string]any{"a": "b"})
			}
			for _, other := range wrong {
				if number, isNumber := value.(float64); isNumber && at == "spec.claims.times.retry.factor" && number != other {
					continue // it may be 7.5
				}
				set(other)
				text, err := yaml.Marshal(example)
				if err != nil {
					t.Fatal(err)
				}
				_, err = Parse("mine.yaml", text)
				var problems strictyaml.Problems
				if !errors.As(err, &problems) {
					t.Errorf("%s: %v: got %v", at, other, err)
					continue
				}
				told := 0
				for _, problem := range problems {
					if within(problem.Field, at) {
						told++
					}
					if problem.Line == 0 || problem.Field == "" || odd.MatchString(problem.Message) {
						t.Errorf("%s: %v: %v", at, other, problem)
					}
				}
				if told != 1 {
					t.Errorf("%s: %v: told %d times: %v", at, other, told, problems)
				}
			}
		})
	}
}

// TestWordsForWrongTypes: a message says what is there, what must be there, and how to write it.
func TestWordsForWrongTypes(t *testing.T) {
	for name, tc := range map[string]struct{ old, changed, want string }{
		"time":       {"longestRetryPause: 30s", "longestRetryPause: 30", "spec.claims.times.longestRetryPause: is 30, a number; it must be a time with its unit, such as 30s"},
		"true":       {"claims: {", `claims: {reporting: {condition: {type: Ready, status: True}}, `, `spec.claims.reporting.condition.status: is true, a boolean; allowed: True, False: write "True", with quotes`},
		"constant":   {"replicas: {path: spec.size}", "replicas: {constant: 1.5}", "spec.contract.spec.replicas.constant: is 1.5, a number; it must be a whole number or a string"},
		"name":       {"name: mine", "name: 7", `mine.yaml:4: metadata.name: is 7, a number; it must be a string: write "7", with quotes`},
		"kind":       {"kind: Profile", "kind: [Profile]", "mine.yaml:2: kind: is a list; it must be Profile"},
		"empty text": {"crds: [crd.yaml]", `crds: ""`, `spec.install.crds: is "", a string; it must be a list`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse("mine.yaml", []byte(edit(t, minimal, tc.old, tc.changed)))
			if err == nil || !strings.Contains(err.Error()+"\n", tc.want+"\n") {
				t.Errorf("got %v, want %s", err, tc.want)
			}
		})
	}
}

// TestMisspeltIsOneMistake: a misspelt field does not also count as missing, and what is in
// it is judged as if it had the right name.
func TestMisspeltIsOneMistake(t *testing.T) {
	for name, tc := range map[string]struct {
		oldnew []string
		want   []string
	}{
		"contracts": {[]string{"  contract:\n", "  contracts:\n"}, []string{`spec.contracts: unknown field "contracts" (did you mean "contract"?)`}},
		"instal":    {[]string{"  install:", "  instal:"}, []string{`spec.instal: unknown field "instal" (did you mean "install"?)`}},
		"two, one in the other": {
			[]string{"  contract:\n", "  contracts:\n", "replicas: {path", "replicas: {pth"},
			[]string{`spec.contracts: unknown field "contracts" (did you mean "contract"?)`, `spec.contract.spec.replicas.pth: unknown field "pth" (did you mean "path"?)`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse("mine.yaml", []byte(edit(t, minimal, tc.oldnew...)))
			var problems strictyaml.Problems
			if !errors.As(err, &problems) || len(problems) != len(tc.want) {
				t.Fatalf("got %v, want %q", err, tc.want)
			}
			for i, want := range tc.want {
				if !strings.Contains(problems[i].Error(), want) || problems[i].Line == 0 {
					t.Errorf("got %v, want %s", problems[i], want)
				}
			}
		})
	}
}
