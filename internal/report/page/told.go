package page

import (
	"io"
	"io/fs"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/sanitize"
	"reconform.dev/reconform/internal/scenario/catalogue"
)

// told is a scenario, in three parts: what is before the step that failed, this step, and
// what is after it. If no step is known, all of it is in Before.
type told struct {
	Before, Step, After string
	Rendered            bool // for the controller
}

// mostScenario is how much of each part of a scenario is shown, in characters.
const mostScenario = 24 << 10

// stepOf returns the name of the step that failed, or "".
func stepOf(r *v1alpha1.Result) string {
	if m := atStep.FindStringSubmatch(r.Reason); m != nil {
		return m[2]
	}
	return ""
}

// tell splits a scenario at a step.
func tell(text, step string) *told {
	lines := strings.SplitAfter(text, "\n")
	t := &told{Before: text}
	if from := (&catalogue.Requirement{Raw: []byte(text)}).Line(step) - 1; from > 0 && from < len(lines) {
		to := from + 1
		for to < len(lines) && (indent(lines[to]) > indent(lines[from]) || strings.TrimSpace(lines[to]) == "") {
			to++
		}
		t.Before, t.Step, t.After = strings.Join(lines[:from], ""), strings.Join(lines[from:to], ""), strings.Join(lines[to:], "")
	}
	for _, part := range []*string{&t.Before, &t.Step, &t.After} {
		*part = sanitize.Text(sanitize.Cut(*part, mostScenario))
	}
	return t
}

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// tellRendered replaces the scenario of the suite by the one that was rendered for the
// controller, if the report folder has it.
func (e *entry) tellRendered(files fs.FS) {
	evidence := e.Result.Evidence
	if files == nil || evidence == nil || evidence.Rendered == "" {
		return
	}
	info, err := fs.Stat(files, evidence.Rendered)
	if err != nil || !info.Mode().IsRegular() {
		return
	}
	file, err := files.Open(evidence.Rendered)
	if err != nil {
		return
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, mostRead))
	if err != nil {
		return
	}
	e.Scenario = tell(string(text), stepOf(e.Result))
	e.Scenario.Rendered = true
}
