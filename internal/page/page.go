package page

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/catalogue"
	"reconform.dev/reconform/internal/report"
)

// Write the page of a report into its folder, beside its history.
func Write(dir string, r *v1alpha1.ConformanceReport) error {
	path := filepath.Join(dir, report.HistoryFile)
	history, err := os.Open(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return write(dir, r, nil)
	case err != nil:
		return fmt.Errorf("reading the history: %w", err)
	}
	defer history.Close()
	if info, err := history.Stat(); err != nil || !info.Mode().IsRegular() {
		return errors.Join(fmt.Errorf("reading the history: %s is not a regular file", path), err)
	}
	if err := write(dir, r, history); err != nil {
		return fmt.Errorf("making %s of %s: %w", report.PageFile, path, err)
	}
	return nil
}

// Again makes the page anew, of the report that is in the folder.
func Again(dir string) error {
	r, err := report.Read(dir)
	if err != nil {
		return err
	}
	return Write(dir, r)
}

func write(dir string, r *v1alpha1.ConformanceReport, history io.Reader) error {
	var out bytes.Buffer
	if err := Make(&out, r, history); err != nil {
		return err
	}
	if err := report.Replace(filepath.Join(dir, report.PageFile), out.Bytes()); err != nil {
		return fmt.Errorf("writing %s: %w", report.PageFile, err)
	}
	return nil
}

// Make writes the page. The history is read to its end; where there is none, it is nil,
// and the page says so.
func Make(to io.Writer, r *v1alpha1.ConformanceReport, history io.Reader) error {
	all, err := catalogue.Embedded()
	if err != nil {
		return err
	}
	looks, err := collect(history)
	if err != nil {
		return err
	}
	v := newView(r, all)
	v.add(looks, history != nil)
	return v.execute(to)
}
