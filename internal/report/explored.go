package report

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"sigs.k8s.io/yaml"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/envtest/folder"
	"reconform.dev/reconform/internal/profile/strictyaml"
	"reconform.dev/reconform/internal/record/sanitize"
)

// The names of what an exploration leaves in its folder, beside its history and its logs.
const (
	ExploredFile     = "explore-report.yaml"
	ExploredPageFile = "explore.html"
	// ScenarioDir is the folder of the scenarios that reproduce what was found.
	ScenarioDir = "explore-scenarios"
)

// WriteExplored makes the report of an exploration harmless, then writes it into dir, with
// its summary. Each file is written completely, or the one that is there stays. If there is
// a GitHub summary file, it appends the summary to it.
func WriteExplored(dir string, r *v1alpha1.ExploreReport) error {
	sanitize.All(r)
	document, err := inOrder(r)
	if err != nil {
		return fmt.Errorf("making %s: %w", ExploredFile, err)
	}
	data, err := encoded(document)
	if err != nil {
		return fmt.Errorf("making %s: %w", ExploredFile, err)
	}
	summary := []byte(exploredSummary(r))
	var errs []error // if one file cannot be written, the others are written all the same
	for _, file := range []struct {
		name string
		data []byte
	}{{ExploredFile, data}, {SummaryFile, summary}} {
		if err := Replace(filepath.Join(dir, file.name), file.data); err != nil {
			errs = append(errs, fmt.Errorf("writing %s: %w", file.name, err))
		}
	}
	return errors.Join(append(errs, tellStep(summary))...)
}

// ClearExplored removes the files of an earlier exploration and of an earlier run from dir.
func ClearExplored(dir string) error {
	if err := Clear(dir); err != nil {
		return err
	}
	earlier, err := folder.Glob(dir, "history-*.jsonl")
	if err != nil {
		return fmt.Errorf("looking for the history of an earlier exploration: %w", err)
	}
	for _, path := range append(earlier, filepath.Join(dir, ExploredFile), filepath.Join(dir, ExploredPageFile), filepath.Join(dir, ScenarioDir)) {
		if err := os.RemoveAll(path); err != nil {
			return fmt.Errorf("removing the report of an earlier exploration: %w", err)
		}
	}
	return nil
}

// SetHistoryAside gives the history in dir another name, history-1.jsonl and so on, because
// an exploration that goes on begins a new one.
func SetHistoryAside(dir string) error {
	for n := 1; ; n++ {
		aside := filepath.Join(dir, fmt.Sprintf("history-%d.jsonl", n))
		if _, err := os.Lstat(aside); err == nil {
			continue
		}
		if err := os.Rename(filepath.Join(dir, HistoryFile), aside); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("keeping the history of the earlier exploration: %w", err)
		}
		return nil
	}
}

// ReadExplored reads the report of an exploration from its folder. The error is
// fs.ErrNotExist if there is none.
func ReadExplored(dir string) (*v1alpha1.ExploreReport, error) {
	path := filepath.Join(dir, ExploredFile)
	data, err := strictyaml.ReadRegular(path, mostReport)
	switch {
	case errors.Is(err, os.ErrNotExist), isFile(dir):
		return nil, &AbsentError{Of: "an exploration", Dir: dir, File: ExploredFile}
	case err != nil:
		return nil, fmt.Errorf("reading the report %s: %w", path, err)
	}
	r := &v1alpha1.ExploreReport{}
	if err := yaml.UnmarshalStrict(data, r); err != nil {
		return nil, fmt.Errorf("reading the report %s: %w", path, err)
	}
	if r.APIVersion != v1alpha1.GroupVersion.String() || r.Kind != v1alpha1.KindExploreReport {
		return nil, fmt.Errorf("%s is %s %s; it must be %s %s", path, r.APIVersion, r.Kind, v1alpha1.GroupVersion, v1alpha1.KindExploreReport)
	}
	for n, c := range r.Causes {
		if len(c.Cases) == 0 {
			return nil, fmt.Errorf("%s: causes[%d] has no cases; each cause has at least one", path, n)
		}
	}
	return r, nil
}
