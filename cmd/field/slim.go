package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"go.yaml.in/yaml/v3"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/sanitize"
	"reconform.dev/reconform/internal/report"
)

// Limits of a committed report: the bytes of a reason and of a difference, and the number
// of requests that prove something.
const (
	mostReason     = 1 << 10
	mostDifference = 600
	mostRequests   = 5
)

var fileName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]*$`)

// commit writes the report in a folder to the page.
func commit(page, dir string) error {
	r, err := report.Read(dir)
	if err != nil {
		return err
	}
	if !fileName.MatchString(r.Profile) {
		return fmt.Errorf("the report in %s is about the profile %q, which is not a name for a file", dir, r.Profile)
	}
	root, err := os.Getwd()
	if err == nil {
		r, err = below(root, r)
	}
	if err != nil {
		return fmt.Errorf("taking the paths out of the report in %s: %w", dir, err)
	}
	slim(r)
	data, err := report.YAML(r, oneLine)
	if err != nil {
		return fmt.Errorf("encoding the report in %s: %w", dir, err)
	}
	if err := os.WriteFile(filepath.Join(page, r.Profile+".yaml"), data, 0o644); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

// below returns the report with paths below root made relative to it.
func below(root string, r *v1alpha1.ConformanceReport) (*v1alpha1.ConformanceReport, error) {
	data, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	from := &v1alpha1.ConformanceReport{}
	return from, json.Unmarshal(bytes.ReplaceAll(data, []byte(root+"/"), nil), from)
}

// oneLine writes a short row in braces, without empty fields.
func oneLine(result v1alpha1.Result, row *yaml.Node) {
	if !short(result) {
		return
	}
	row.Style = yaml.FlowStyle
	var kept []*yaml.Node
	for i := 0; i < len(row.Content); i += 2 {
		switch row.Content[i].Value {
		case "id", "verdict", "reason":
			kept = append(kept, row.Content[i:i+2]...)
		}
	}
	row.Content = kept
}

// short tells whether a row has nothing to explain, because it passed or was skipped. Its
// text is in the catalogue.
func short(result v1alpha1.Result) bool {
	switch result.Verdict {
	case v1alpha1.Passed:
		return len(result.Advice) == 0 && len(result.Beside) == 0 && result.FirstLook == ""
	case v1alpha1.Skipped:
		return true
	}
	return false
}

// slim removes what is specific to one machine, such as logs and commands, and what is too
// long.
func slim(r *v1alpha1.ConformanceReport) {
	sanitize.All(r)
	r.Reproduce, r.JudgeRest, r.Isolation = "", "", nil
	for n := range r.Results {
		result := &r.Results[n]
		if short(*result) {
			*result = v1alpha1.Result{ID: result.ID, Verdict: result.Verdict, Reason: result.Reason}
		}
		result.Reason = sanitize.Cut(result.Reason, mostReason)
		result.FirstLook = sanitize.Cut(result.FirstLook, mostReason)
		e := result.Evidence
		if e == nil {
			continue
		}
		e.Log, e.Logs, e.Reproduce = nil, nil, ""
		e.Failure, e.Difference = sanitize.Cut(e.Failure, mostReason), sanitize.Cut(e.Difference, mostDifference)
		e.Requests = e.Requests[:min(mostRequests, len(e.Requests))]
		for i := range e.Violations {
			v := &e.Violations[i]
			v.Message, v.Requests = sanitize.Cut(v.Message, mostReason), v.Requests[:min(mostRequests, len(v.Requests))]
		}
	}
}
