package render

import (
	"strings"
	"testing"
)

// TestGiven: texts of the profile are rendered unchanged, although Chainsaw and Loads
// would read some of them as expressions.
func TestGiven(t *testing.T) {
	const base = `base: {owner: "team-{{ .name }}", container: {pull: Always}}`
	owner := func(text string) []string { return []string{base, "base: {owner: demo, text: " + text + "}"} }
	made := func(text string) string {
		return "- create: {resource: {" + mySite + ", spec: {owner: demo, text: " + text + ", container: {image: a:1}, size: 3}}}\n"
	}
	for name, tc := range map[string]rendering{
		"an expression for Chainsaw":     {operations: create + check, want: made("'(`\"(name)\"`)'") + check, edits: owner("(name)")},
		"one that the name makes":        {operations: create + check, want: made("'(`\"(demo)\"`)'") + check, edits: owner(`"({{ .name }})"`)},
		"what only a pattern would read": {operations: create + check, want: made("'~.a -> b'") + check, edits: owner("~.a -> b")},
		"a whole number":                 {operations: create + check, want: made("9007199254740993") + check, edits: owner("9007199254740993")},
		"a template of others":           {operations: create + check, want: made("'{{.Zone}}'") + check, edits: owner(`'{{"{{"}}.Zone}}'`)},
		"empty":                          {operations: create + check, want: made("{a: {}, b: [], c: '', d: null}") + check, edits: owner("{a: {}, b: [], c: '', d: null}")},
		"a quote beside a name that is an expression": {
			operations: strings.Replace(create, "name: demo", "name: \"(join('-', ['a', $namespace]))\"", 1) + check,
			want:       strings.Replace(made("\"(join('', [`\\\"it's \\\"`, join('-', ['a', $namespace])]))\""), "name: demo", "name: \"(join('-', ['a', $namespace]))\"", 1) + check,
			edits:      owner(`"it's {{ .name }}"`),
		},
		"in a Load": {
			operations: benchObject("Load", "action: Create, count: 3, template: {"+webapp+", spec: {image: a:1}}") + check,
			want:       benchObject("Load", "action: Create, count: 3, template: {"+mySite+`, spec: {owner: demo, text: '{{"{{"}} .i }} of demo-{{ .i }}', container: {image: a:1}}}`) + check,
			edits:      owner(`'{{"{{"}} .i }} of {{ .name }}'`),
		},
		"a phase in parentheses": {
			operations: create + "- assert: {resource: {" + webapp + ", status: {phase: Running}}}\n",
			want:       created + "- assert: {resource: {" + mySite + ", status: {state: {phase: '(`\"(up)\"`)'}}}}\n",
			edits:      []string{"Running: Up", "Running: (up)"},
		},
		"a phase that YAML 1.1 reads as true": {
			operations: create + "- assert: {resource: {" + webapp + ", status: {phase: Running}}}\n",
			want:       created + "- assert: {resource: {" + mySite + ", status: {state: {phase: 'on'}}}}\n",
			edits:      []string{"Running: Up", "Running: 'on'"},
		},
	} {
		t.Run(name, tc.check)
	}
}

// TestPatchKeepsDollars: Chainsaw expands variables in the arguments of a command, so
// dollars are escaped there.
func TestPatchKeepsDollars(t *testing.T) {
	s, err := parse("xx/chainsaw-test.yaml", []byte(scenario(create+check+
		"- command: {entrypoint: kubectl, args: [patch, webapp/demo, '--type=merge', '--patch={\"spec\":{\"image\":\"b:2\"}}']}\n")), nil)
	if err != nil {
		t.Fatal(err)
	}
	p := siteProfile(t, "image: {path: spec.container.image}", "image: {path: 'spec.containers[0].image'}",
		`base: {owner: "team-{{ .name }}", container: {pull: Always}}`, `base: {owner: demo, containers: [{args: [$HOME, (x)]}]}`)
	r, err := Render(s, p)
	if err != nil {
		t.Fatal(err)
	}
	text, err := r.YAML()
	if err != nil {
		t.Fatal(err)
	}
	if want := `"args":["\u0024HOME","(x)"]`; !strings.Contains(string(text), want) {
		t.Errorf("it lacks %s:\n%s", want, text)
	}
}
