package merge

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/report"
)

// History writes the histories of all parts into one file, one after the other. Each line
// has the number of its part, like each result of the report. Parts without a report have
// no number, and are left out. A history that no longer exists is left out too. A file that
// cannot be written to its end is removed, and leaves its room to the report.
func History(path string, parts []Part) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("writing the history: %w", err)
	}
	defer func() {
		info, unknown := file.Stat()
		if err = errors.Join(err, file.Close()); err != nil && unknown == nil && info.Mode().IsRegular() {
			err = errors.Join(err, os.Remove(path))
		}
	}()
	for n, p := range reported(parts) {
		if err := p.copyHistory(file, n+1); err != nil {
			return err
		}
	}
	return nil
}

func (p Part) copyHistory(to *os.File, number int) error {
	path := filepath.Join(p.Dir, report.HistoryFile)
	info, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading the history: %w", err)
	}
	from, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("reading the history: %w", err)
	}
	defer from.Close()
	return history.Copy(to, number, from)
}
