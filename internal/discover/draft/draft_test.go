package draft

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/discover/infer"
	"reconform.dev/reconform/internal/profile"
)

// TestWrite: the result is a valid profile, with the notes beside the fields.
func TestWrite(t *testing.T) {
	found := &infer.Findings{
		Notes: map[string]infer.Note{
			"contract.spec.image":    {Basis: infer.Seen, Text: "with spec.image: v2,\nit # followed"},
			"claims.unowned":         {Basis: infer.Guessed, Text: "refuse or adopt?"},
			"claims.features.sigint": {Basis: infer.Seen, Text: "SIGINT ended it"},
		},
		Asked: map[string][]infer.Question{
			"contract.spec":                  {{Text: "which of the others decides?"}},
			"contract.spec.env":              {{Text: "which field sets variables?", Lines: []string{"env: {path: spec.env}"}}},
			"claims.features":                {{Text: "not tried:", Lines: []string{"- fenced", "- namespaced"}}},
			"claims.times.resync":            {{Text: "after which time does it look at all " + strings.Repeat("of its objects ", 9), Lines: []string{"resync: 10h"}}},
			"launch.leaderElection.disabled": {{Text: "which arguments switch it off?", Lines: []string{"disabled: [--leader-elect=false]"}}},
			"claims.clientQPS":               {{Text: "how many?", Lines: []string{"clientQPS: 5"}}},
			"claims.events.failed":           {{Text: "which one?", Lines: []string{"failed: Broken"}}},
			"contract.children.service":      {{Text: "does it make one?", Lines: []string{"service: {name: '{{ .name }}'}"}}},
		},
		Doubts: []infer.Doubt{{Path: "contract.spec.image", Text: "spec.image was changed,\nand nothing followed"}},
	}
	spec := &found.Spec
	spec.Implementation.Name = "mine"
	spec.Contract.Resource = v1alpha1.PrimaryResource{Group: "example.com", Version: "v1", Kind: "Shop", Plural: "shops"}
	spec.Contract.Spec.Image = &v1alpha1.Field{Path: "spec.image"}
	spec.Contract.Children.Deployment = v1alpha1.DeploymentChild{Name: "{{ .name }}", Container: "web"}
	spec.Claims = v1alpha1.Claims{Features: []v1alpha1.Feature{"sigint"}, Unowned: v1alpha1.OwnershipRefuse, Cleanup: "gc"}
	spec.Claims.Times.LongestRetryPause = metav1.Duration{Duration: time.Minute}
	spec.Install = v1alpha1.Install{CRDs: []string{"crd.yaml"}, RBAC: []string{"rbac.yaml"}}
	spec.Launch.Command = []string{"bin/mine", "--yes=true"}

	text, err := Write("mine", found)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"image: {path: spec.image} # seen: with spec.image: v2, it # followed\n",
		"    # ? which field sets variables?\n      #env: {path: spec.env}\n",
		"    # ? which of the others decides?\n    spec:\n",
		"      # ! A MISTAKE? spec.image was changed, and nothing followed\n      image: ",
		"      # ? not tried:\n      #- fenced\n      #- namespaced\n",
		"    # ? how many?\n    #clientQPS: 5\n",
		"    # ? which one?\n    #events: {failed: Broken}\n",
		"\n    # ? which arguments switch it off?\n    #leaderElection: {disabled: [--leader-elect=false]}\n",
		"unowned: refuse # guessed: refuse or adopt?\n",
		"- sigint # seen: SIGINT ended it\n",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("it lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(string(text), " resync:") || strings.Contains(string(text), "null") {
		t.Errorf("it says what is not known:\n%s", text)
	}
	p, err := profile.Parse("mine.yaml", text)
	if err != nil {
		t.Fatalf("what is written is not a profile: %v\n%s", err, text)
	}
	if got := p.Spec.Contract.Children.Deployment.Container; got != "web" {
		t.Errorf("container %q", got)
	}
	for line := range strings.Lines(string(text)) {
		if len(strings.TrimRight(line, "\n")) > widestComment+len("          ") && strings.Contains(line, "# ?") {
			t.Errorf("a question is too wide: %s", line)
		}
	}
}

// TestWriteEdits: edits that are offered stand at the end of the list, and are edits when
// their # is taken away.
func TestWriteEdits(t *testing.T) {
	found := findings()
	found.Spec.Contract = v1alpha1.Contract{}
	found.Spec.Claims = v1alpha1.Claims{Times: found.Spec.Claims.Times}
	found.Spec.Launch.Command = []string{"bin/mine"}
	edit := func(name string) v1alpha1.Edit {
		return v1alpha1.Edit{Name: name, Patch: apiextensionsv1.JSON{Raw: []byte(`{"spec":{"text":"` + name + `"}}`)}}
	}
	found.Spec.Serves = []v1alpha1.Served{{
		Resource: v1alpha1.ServedResource{Group: "example.com", Version: "v1", Kind: "Note", Plural: "notes"},
		Sample:   &apiextensionsv1.JSON{Raw: []byte(`{"spec":{"text":"a"}}`)}, Edits: []v1alpha1.Edit{edit("one")},
	}}
	found.Asked = map[string][]infer.Question{"serves.edits": {{Text: "which?", Lines: []string{`- {"name":"two","patch":{"spec":{"text":"# {{\"{{\"}} é"}}}`}}}}
	text, err := Write("mine", found)
	if err != nil {
		t.Fatal(err)
	}
	all := answers(string(text))
	if len(all) != 1 || !strings.Contains(string(text), "# ? which?\n") {
		t.Fatalf("one edit is to be offered:\n%s", text)
	}
	for _, text := range all {
		p, err := profile.Parse("mine.yaml", []byte(text))
		if err != nil {
			t.Fatalf("with the edit it is not a profile: %v\n%s", err, text)
		}
		if edits := p.Spec.Serves[0].Edits; len(edits) != 2 || edits[1].Name != "two" {
			t.Errorf("edits: %v", edits)
		}
	}
}

// answers returns the profile once for each line that may answer a question, with that line
// as if a user had taken its # away.
func answers(text string) map[string]string {
	found := map[string]string{}
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		body := strings.TrimLeft(line, " ")
		if len(body) < 2 || body[0] != '#' || body[1] == ' ' || body[1] == '\n' {
			continue
		}
		changed := slices.Clone(lines)
		changed[i] = strings.Replace(line, "#", "", 1)
		found[strings.TrimSpace(body)] = strings.Join(changed, "")
	}
	return found
}

// TestAnswers: each line that may answer a question is valid at the place where it is
// suggested.
func TestAnswers(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(spec *v1alpha1.ProfileSpec)
		not    []string // what is not asked then
	}{
		"nothing is known": {
			func(*v1alpha1.ProfileSpec) {},
			[]string{"launch.leaderElection.disabled", "launch.webhook.conversion", "claims.reporting", "claims.features"},
		},
		"the parents are there": {func(spec *v1alpha1.ProfileSpec) {
			seconds := func(n time.Duration) metav1.Duration { return metav1.Duration{Duration: n * time.Second} }
			spec.Contract.Status.Conditions = &v1alpha1.Field{Path: "status.conditions"}
			spec.Claims.Features = []v1alpha1.Feature{"leader-election"}
			spec.Claims.Times.Lease = &v1alpha1.LeaseTimes{Duration: seconds(15), RenewDeadline: seconds(10), RetryPeriod: seconds(2)}
			spec.Launch.LeaderElection = &v1alpha1.LaunchLeaderElection{Lease: v1alpha1.LeaseName{Name: "mine"}, Enabled: []string{"--elect"}}
			spec.Launch.Webhook = &v1alpha1.LaunchWebhook{Port: "webhook"}
			spec.Launch.Ports = []string{"webhook"}
			spec.Launch.Command = []string{"bin/mine", "--port={{ .ports.webhook }}"}
		}, []string{"contract.status.conditions"}},
	} {
		t.Run(name, func(t *testing.T) {
			found := findings()
			found.Spec.Launch.Command = []string{"bin/mine"}
			tc.change(&found.Spec)
			found.Asked = map[string][]infer.Question{"claims.features": {{Text: "these?", Lines: []string{"- foreign-fields", "- fenced"}}}}
			for path, lines := range infer.Examples() {
				found.Asked[path] = []infer.Question{{Text: "what is it?", Lines: lines}}
			}
			for _, path := range append(tc.not, "contract.spec.image") { // which is mapped
				delete(found.Asked, path)
			}
			text, err := Write("mine", found)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := profile.Parse("mine.yaml", text); err != nil {
				t.Fatalf("what is written is not a profile: %v\n%s", err, text)
			}
			all := answers(string(text))
			if len(all) < 11 {
				t.Errorf("only %d lines answer a question:\n%s", len(all), text)
			}
			for line, text := range all {
				if _, err := profile.Parse("mine.yaml", []byte(text)); err != nil {
					t.Errorf("with %s it is not a profile: %v", line, err)
				}
			}
			second := regexp.MustCompile(`(?m)^ *#reporting: \{condition.*\n`) // the field's other form
			together := regexp.MustCompile(`(?m)^( *)#([^ \n])`).ReplaceAllString(second.ReplaceAllString(string(text), ""), "$1$2")
			if _, err := profile.Parse("mine.yaml", []byte(together)); err != nil {
				t.Errorf("with all answers it is not a profile: %v\n%s", err, together)
			}
		})
	}
}

// TestWriteWhatNobodyPrints: a text of a webhook, or of a controller, may have characters that
// YAML has nowhere.
func TestWriteWhatNobodyPrints(t *testing.T) {
	found := findings()
	said := "\x1b[31mno\x1b[0m,\x00 \ufeffnot\u2028this \u0085one \xff\x9f"
	found.Notes = map[string]infer.Note{"claims.unowned": {Basis: infer.Seen, Text: said}, "contract.spec.image": {Basis: infer.Seen, Text: said}}
	found.Asked = map[string][]infer.Question{"claims.cleanup": {{Text: said}}, "contract.status.phase": {{Text: said}}}
	found.Doubts = []infer.Doubt{{Path: "claims.cleanup", Text: said}}
	text, err := Write("shop", found)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &yaml.Node{}); err != nil {
		t.Errorf("%v in:\n%s", err, text)
	}
	if n := strings.Count(string(text), "[31mno[0m, not this one"); n != 5 {
		t.Errorf("it is told %d times, want 5:\n%s", n, text)
	}
}
