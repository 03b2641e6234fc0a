package page

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/scenario/catalogue"
)

// Recorded is what a run has left in addition to its report.
type Recorded struct {
	// History of the run's requests. It is read to its end. It is nil if there is none;
	// the page says that.
	History io.Reader
	// Logs has the files that the report's evidence names. It is nil if there are none.
	Logs fs.FS
}

// Write writes the page of a report into its folder, beside its history.
func Write(dir string, r *v1alpha1.ConformanceReport) (err error) {
	folder, err := os.OpenRoot(dir) // a report from somebody else must not lead out of its folder
	if err != nil {
		return fmt.Errorf("reading what was recorded: %w", err)
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	recorded := Recorded{Logs: folder.FS()}
	path := filepath.Join(dir, report.HistoryFile)
	history, err := os.Open(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return write(dir, r, recorded)
	case err != nil:
		return fmt.Errorf("reading the history: %w", err)
	}
	defer history.Close()
	if info, err := history.Stat(); err != nil || !info.Mode().IsRegular() {
		return errors.Join(fmt.Errorf("reading the history: %s is not a regular file", path), err)
	}
	recorded.History = history
	if err := write(dir, r, recorded); err != nil {
		return fmt.Errorf("making %s of %s: %w", report.PageFile, path, err)
	}
	return nil
}

// UnwrittenError says that the page was made and could not be written: the disk is full, for
// example.
type UnwrittenError struct{ error }

func (e *UnwrittenError) Unwrap() error { return e.error }

// Again makes the page again from the report in the folder, and returns the report.
func Again(dir string) (*v1alpha1.ConformanceReport, error) {
	r, err := report.Read(dir)
	if err != nil {
		return nil, err
	}
	return r, Write(dir, r)
}

func write(dir string, r *v1alpha1.ConformanceReport, recorded Recorded) error {
	var out bytes.Buffer
	if err := writePage(&out, r, recorded); err != nil {
		return err
	}
	if err := report.Replace(filepath.Join(dir, report.PageFile), out.Bytes()); err != nil {
		return &UnwrittenError{fmt.Errorf("writing %s: %w", report.PageFile, err)}
	}
	return nil
}

// writePage writes the page.
func writePage(to io.Writer, r *v1alpha1.ConformanceReport, recorded Recorded) error {
	all, err := catalogue.Embedded()
	if err != nil {
		return err
	}
	looks, err := collect(recorded.History)
	if err != nil {
		return err
	}
	v := newView(r, SpokenFor(r, all))
	v.add(looks, recorded)
	return v.execute(to)
}
