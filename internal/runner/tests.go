package runner

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"sigs.k8s.io/yaml"

	"reconform.dev/reconform/internal/scenario/render"
)

// write writes the tests of one round into a folder, in the order in which they start.
// The time of a test is what it declares, or the sum of its measurements if that is
// longer.
func write(dir string, implementations []*Implementation, round int, options *Options) ([]scenario, error) {
	var written []scenario
	for _, i := range implementations {
		for _, planned := range i.Plan.Scenarios {
			s := scenario{
				implementation: i, requirement: planned.Requirement, unclaimed: planned.Unclaimed, test: planned.Test,
				namespace: i.namespace(planned.Requirement, round, options.Repeat),
			}
			if options.Repeat > 1 {
				s.repeat = round
			}
			if err := s.write(dir, options); err != nil {
				return nil, err
			}
			written = append(written, s)
		}
	}
	sortByStart(written, options.MaxTime)
	return written, nil
}

// veryLong is how long a scenario must take to start before all others: it waits for
// most of that time, and decides how long the round takes.
const veryLong = time.Minute

// sortByStart sorts scenarios in the order in which they start: first the very long
// ones, then those on which others rely, because their failure explains others, and
// then the rest, the longest first. If the time of the run is limited, the longest come
// last: in the time of a very long one, many others are judged.
func sortByStart(scenarios []scenario, maxTime time.Duration) {
	relied := map[string]int{}
	for _, s := range scenarios {
		for _, id := range s.requirement.ReliesOn {
			relied[id]++
		}
	}
	slices.SortStableFunc(scenarios, func(a, b scenario) int {
		byRelied := cmp.Compare(relied[b.requirement.ID], relied[a.requirement.ID])
		if maxTime > 0 {
			return cmp.Or(byRelied, cmp.Compare(a.takes, b.takes))
		}
		if a.takes > veryLong || b.takes > veryLong {
			return cmp.Compare(b.takes, a.takes)
		}
		return cmp.Or(byRelied, cmp.Compare(b.takes, a.takes))
	})
}

// write writes the test of one scenario into its own folder.
func (s *scenario) write(dir string, options *Options) error {
	test, err := s.test.ForRun(render.RunOptions{
		Name: s.name(), Namespace: s.namespace, TimeoutScale: options.TimeoutScale, WindowScale: options.WindowScale,
	})
	if err != nil {
		return err
	}
	document, err := test.YAML()
	if err != nil {
		return err
	}
	s.takes = max(s.requirement.Takes, measuring(document))
	s.folder = filepath.Join(dir, s.name())
	if err := os.MkdirAll(s.folder, 0o700); err != nil {
		return fmt.Errorf("making the folder of %s: %w", s.title(), err)
	}
	if err := os.WriteFile(filepath.Join(s.folder, render.FileName), document, 0o600); err != nil {
		return fmt.Errorf("writing the test of %s: %w", s.title(), err)
	}
	return nil
}

// measuring adds up the windows of the test's Traffic measurements.
func measuring(document []byte) time.Duration {
	var content any
	if err := yaml.Unmarshal(document, &content); err != nil {
		return 0
	}
	var total time.Duration
	var visit func(any)
	visit = func(value any) {
		switch v := value.(type) {
		case map[string]any:
			if window, ok := v["windowMs"].(float64); ok {
				total += time.Duration(window) * time.Millisecond
			}
			for _, child := range v {
				visit(child)
			}
		case []any:
			for _, child := range v {
				visit(child)
			}
		}
	}
	visit(content)
	return total
}
