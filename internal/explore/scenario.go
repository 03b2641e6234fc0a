package explore

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/envtest"
	"reconform.dev/reconform/internal/record/sanitize"
	"reconform.dev/reconform/internal/report"
)

// WriteScenarios writes a scenario for the simplest case of each of the first causes below a folder,
// in the place of those of an earlier report. It notes in the report where it is, and the
// command that runs it.
func (e *Exploration) WriteScenarios(dir string, r *v1alpha1.ExploreReport) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := os.RemoveAll(filepath.Join(dir, report.ScenarioDir)); err != nil {
		return fmt.Errorf("removing the scenarios of an earlier report: %w", err)
	}
	for i, c := range e.causes() {
		if i == mostScenarios {
			break
		}
		simplest := c.findings[0]
		name := slug(simplest.plan.Operation.Name + "-" + simplest.plan.Sort + "-" + simplest.plan.Kind)
		at := filepath.Join(report.ScenarioDir, "level-triggered", fmt.Sprintf("%d-%s", i+1, name))
		text, err := scenario(i+1, r.Causes[i].About, simplest.plan, simplest.plan.spec(e.target.Profile), e.target.of(simplest.plan.Operation).Beside)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Join(dir, at), 0o755); err != nil {
			return fmt.Errorf("making the folder of a scenario: %w", err)
		}
		if err := report.Replace(filepath.Join(dir, at, "chainsaw-test.yaml"), text); err != nil {
			return fmt.Errorf("writing a scenario: %w", err)
		}
		r.Causes[i].Scenario = at
		r.Causes[i].Reproduce = Reproduce(r, dir, i+1)
	}
	return nil
}

// Reproduce returns the command that runs the scenario of a cause, which is numbered from 1.
func Reproduce(r *v1alpha1.ExploreReport, dir string, number int) string {
	kubernetes := ""
	if r.Kubernetes != envtest.Version && slices.Contains(envtest.Versions(), r.Kubernetes) {
		kubernetes = " --kubernetes " + r.Kubernetes
	}
	return fmt.Sprintf("reconform run --profile %s%s --scenarios %s LT-%03d",
		sanitize.Word(r.Profile), kubernetes, sanitize.Word(filepath.Join(dir, report.ScenarioDir)), firstNumber+number)
}

// ours matches the ID in a scenario that was written.
var ours = regexp.MustCompile(`(LT|lt)-9[0-9]{2}`)

// CopyScenario copies a scenario that an exploration has written, as the one of the cause
// with this number, and returns its new folder, in dir.
func CopyScenario(dir, from string, number int) (string, error) {
	text, err := os.ReadFile(filepath.Join(from, "chainsaw-test.yaml"))
	if err != nil {
		return "", fmt.Errorf("reading a scenario: %w", err)
	}
	text = ours.ReplaceAll(text, fmt.Appendf(nil, "${1}-%03d", firstNumber+number))
	_, name, _ := strings.Cut(filepath.Base(from), "-")
	at := filepath.Join(report.ScenarioDir, "level-triggered", fmt.Sprintf("%d-%s", number, name))
	if err := os.MkdirAll(filepath.Join(dir, at), 0o755); err != nil {
		return "", fmt.Errorf("making the folder of a scenario: %w", err)
	}
	if err := report.Replace(filepath.Join(dir, at, "chainsaw-test.yaml"), text); err != nil {
		return "", fmt.Errorf("writing a scenario: %w", err)
	}
	return at, nil
}

var noWord = regexp.MustCompile(`[^a-z0-9]+`)

// slug makes a name for a folder.
func slug(text string) string {
	return strings.Trim(noWord.ReplaceAllString(strings.ToLower(text), "-"), "-")
}

// firstNumber is the number before the first ID. The suite's own requirements of the area have
// smaller ones. An ID has three digits, so there are at most mostScenarios.
const (
	firstNumber   = 900
	mostScenarios = 99
)

// scenario returns a scenario that carries out a plan. Beside is what must be there beside the
// object.
func scenario(number int, about string, plan *Plan, spec v1alpha1.TrialSpec, beside []*unstructured.Unstructured) ([]byte, error) {
	id := fmt.Sprintf("LT-%03d", firstNumber+number)
	trial, err := trialOf(spec)
	if err != nil {
		return nil, err
	}
	subject := map[string]any{"replicas": 1}
	if plan.Operation.Elects {
		subject = map[string]any{"replicas": 2, "leaderElection": true}
	}
	step := func(name string, operations ...any) any { return map[string]any{"name": name, "try": operations} }
	// A text in parentheses is what a user wrote, and no expression.
	create := func(object map[string]any) any {
		return map[string]any{"create": map[string]any{"template": false, "resource": object}}
	}
	assert := func(object map[string]any) any {
		return map[string]any{"assert": map[string]any{"timeout": "600s", "resource": object}}
	}
	var steps []any
	if len(beside) > 0 {
		var created []any
		for _, one := range beside {
			created = append(created, create(one.Object))
		}
		steps = append(steps, step("Given what must be there beside the object", created...))
	}
	steps = append(steps,
		step("Given the controller",
			create(object("Subject", subjectName, map[string]any{"spec": subject})),
			assert(object("Subject", subjectName, map[string]any{"(status.ready > `0`)": true}))),
		step("When "+plan.InWords(), create(object("Trial", trialName, map[string]any{"spec": trial}))),
		step("Then the outcome is as without the disturbance",
			assert(object("Trial", trialName, map[string]any{"(status.verdict != null && status.verdict != 'Pending')": true})),
			assert(object("Trial", trialName, map[string]any{"status": map[string]any{"verdict": "Met"}}))),
	)
	test := map[string]any{
		"apiVersion": "chainsaw.kyverno.io/v1alpha1", "kind": "Test",
		"metadata": map[string]any{
			"name": strings.ToLower(id),
			"labels": map[string]any{
				"reconform.dev/id": id, "reconform.dev/area": "level-triggered", "reconform.dev/level": "core", "reconform.dev/pods": "true",
				"reconform.dev/any": "as-written", // it is about the controller's own objects
			},
			"annotations": map[string]any{
				"reconform.dev/catches": plan.InWords(), "reconform.dev/takes": "60s",
				"reconform.dev/hint": "The disturbance is in the Trial, under spec.disturb. Its status lists what differs, and the requests that prove it.",
			},
		},
		"spec": map[string]any{
			"description": strings.TrimSuffix(about, ".") + ". It must end up as without the disturbance.",
			"steps":       steps,
		},
	}
	text, err := yaml.Marshal(test)
	if err != nil {
		return nil, fmt.Errorf("encoding a scenario: %w", err)
	}
	return append([]byte("# Written by reconform explore: it reproduces a divergence that was found.\n"+
		"# reconform run --profile PROFILE --scenarios DIR runs it.\n"), text...), nil
}

// object returns an object of the bench with these fields.
func object(kind, name string, fields map[string]any) map[string]any {
	all := map[string]any{"apiVersion": v1alpha1.GroupVersion.String(), "kind": kind, "metadata": map[string]any{"name": name}}
	for key, value := range fields {
		all[key] = value
	}
	return all
}

// trialOf returns the spec of a Trial as people write it: the expected objects are YAML.
func trialOf(spec v1alpha1.TrialSpec) (map[string]any, error) {
	if spec.Undisturbed != nil && spec.Undisturbed.Objects != "" {
		written, err := yaml.JSONToYAML([]byte(spec.Undisturbed.Objects))
		if err != nil {
			return nil, fmt.Errorf("writing the expected objects: %w", err)
		}
		spec.Undisturbed.Objects = string(written)
	}
	data, err := json.Marshal(spec)
	if err != nil {
		return nil, fmt.Errorf("encoding a Trial: %w", err)
	}
	var fields map[string]any
	if err := utiljson.Unmarshal(data, &fields); err != nil { // keeps whole numbers whole
		return nil, fmt.Errorf("decoding a Trial: %w", err)
	}
	return fields, nil
}
