package report

import (
	"errors"
	"fmt"
	"io/fs"
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
	case errors.Is(err, os.ErrNotExist), isFile(dir):
		return nil, &AbsentError{Of: "an earlier run", Dir: dir, File: YAMLFile}
	case err != nil:
		return nil, fmt.Errorf("reading the report %s: %w", path, err)
	}
	report, err := Parse(path, data)
	if err != nil {
		return nil, fmt.Errorf("reading the report: %w", err)
	}
	return report, nil
}

// AbsentError says that a folder has no report. It is fs.ErrNotExist.
type AbsentError struct {
	// Of says of what the report would be, such as an earlier run.
	Of string
	// Dir is the folder, as the user wrote it.
	Dir string
	// File is the name of the report.
	File string
}

func (e *AbsentError) Error() string {
	problem := fmt.Sprintf("there is no %s in the folder %s", e.File, e.Dir)
	if isFile(e.Dir) {
		problem = e.Dir + " is a file, not a folder"
	} else if _, err := os.Stat(e.Dir); err != nil {
		problem = "there is no folder " + e.Dir
	}
	return fmt.Sprintf("no report of %s: %s", e.Of, problem)
}

// Unwrap makes it the error of a file that is not there.
func (e *AbsentError) Unwrap() error { return fs.ErrNotExist }

// isFile says whether a path that must be a folder is something else.
func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}
