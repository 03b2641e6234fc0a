package report

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"reconform.dev/reconform/envtest/folder"
)

// EarlierDir is the folder, inside a report directory, of the report that was moved aside.
const EarlierDir = "earlier"

// stageDir is where the files of a report are put together before they are the earlier one.
const stageDir = ".earlier-part"

// reportFiles returns the names of what a run writes. The report itself is the last one.
func reportFiles() []string {
	names := []string{PageFile, HistoryFile, LogDir}
	for _, f := range slices.Backward(formats()) {
		names = append(names, f.name)
	}
	return names
}

// SetAside moves the report in dir to dir/earlier, with what lies beside it, and replaces
// the one there. If it cannot, everything is where it was. The files are only renamed, so
// this works on a full disk. The caller holds dir.
func SetAside(dir string) (err error) {
	if err := settle(dir); err != nil {
		return err
	}
	stage := filepath.Join(dir, stageDir)
	held, err := folder.Hold(stage) // so that it can be a --report-dir
	if err != nil {
		return fmt.Errorf("moving the report of the earlier run aside: %w", err)
	}
	defer held.Release()
	var moved []string
	defer func() {
		if err == nil {
			return
		}
		err = fmt.Errorf("moving the report of the earlier run aside: %w", err)
		for _, name := range slices.Backward(moved) {
			err = errors.Join(err, os.Rename(filepath.Join(stage, name), filepath.Join(dir, name)))
		}
	}()
	for _, name := range reportFiles() {
		switch err := os.Rename(filepath.Join(dir, name), filepath.Join(stage, name)); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return err
		default:
			moved = append(moved, name)
		}
	}
	return finish(dir)
}

// settle completes what a process left that was killed while it moved a report aside: if
// the report itself was moved, all was. Otherwise the rest still lies beside the report, and
// what was moved goes back to it.
func settle(dir string) error {
	stage := filepath.Join(dir, stageDir)
	if _, err := os.Lstat(stage); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if _, err := os.Lstat(filepath.Join(stage, YAMLFile)); err == nil {
		return finish(dir)
	}
	for _, name := range reportFiles() {
		from, to := filepath.Join(stage, name), filepath.Join(dir, name)
		if _, err := os.Lstat(to); err == nil {
			continue // written since
		}
		if err := os.Rename(from, to); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("moving back the report of an earlier run: %w", err)
		}
	}
	return os.RemoveAll(stage)
}

// finish makes the files that were put together the earlier report.
func finish(dir string) error {
	earlier := filepath.Join(dir, EarlierDir)
	old, err := folder.Hold(earlier) // nobody else's, and not in use
	if err != nil {
		return err
	}
	if err := old.Remove(); err != nil {
		return err
	}
	return os.Rename(filepath.Join(dir, stageDir), earlier)
}

// PutBack moves the report in dir/earlier to dir. What a run without a report left there, its
// history and its logs, it removes. The caller holds dir.
func PutBack(dir string) error {
	if err := Clear(dir); err != nil {
		return err
	}
	earlier := filepath.Join(dir, EarlierDir)
	held, err := folder.Hold(earlier)
	if err != nil {
		return fmt.Errorf("putting back the report of the earlier run: %w", err)
	}
	defer held.Release()
	for _, name := range reportFiles() { // the report itself is the last one
		if err := os.Rename(filepath.Join(earlier, name), filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("putting back the report of the earlier run: %w", err)
		}
	}
	return nil
}
