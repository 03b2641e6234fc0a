package report

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile/strictyaml"
)

// mostReport limits the size of a report that is read, in bytes. Even a complete run in
// which everything fails, with all the evidence that fits, writes less.
const mostReport = 64 << 20

// Read reads the report of an earlier run from its folder. The error is fs.ErrNotExist if
// there is none.
func Read(dir string) (*v1alpha1.ConformanceReport, error) {
	path := filepath.Join(dir, YAMLFile)
	data, err := strictyaml.ReadRegular(path, mostReport)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("no report of an earlier run: %w", err)
	case err != nil:
		return nil, fmt.Errorf("reading the report %s: %w", path, err)
	}
	report, err := Parse(path, data)
	if err != nil {
		return nil, fmt.Errorf("reading the report: %w", err)
	}
	return report, nil
}
