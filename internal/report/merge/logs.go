package merge

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/report"
)

// mostLog is how much of a log is copied, in bytes. A run keeps no more of a log.
const mostLog = 8 << 20

// Logs copies the logs that the evidence of the merged report names from the folders of
// its parts. Then the evidence names the copies: logs/part-2/…. It no longer names logs
// that do not exist any more.
func Logs(dir string, parts []Part, merged *v1alpha1.ConformanceReport) error {
	with := reported(parts)
	for n := range merged.Results {
		r := &merged.Results[n]
		if r.Evidence == nil {
			continue
		}
		var kept []string
		for _, name := range r.Evidence.Logs {
			rest, ours := strings.CutPrefix(name, report.LogDir+"/")
			if !ours || r.Part < 1 || r.Part > len(with) {
				continue
			}
			to := path.Join(report.LogDir, fmt.Sprintf("part-%d", r.Part), rest)
			err := copyLog(with[r.Part-1].Dir, name, dir, to)
			switch {
			case errors.Is(err, fs.ErrNotExist):
			case err != nil:
				return fmt.Errorf("copying the log %s: %w", name, err)
			default:
				kept = append(kept, to)
			}
		}
		r.Evidence.Logs = kept
	}
	return nil
}

// copyLog copies a log from one folder into another. A report from somebody else can name
// any path, so no path may lead out of its folder.
func copyLog(fromDir, from, toDir, to string) (err error) {
	source, err := os.OpenRoot(fromDir)
	if err != nil {
		return err
	}
	defer source.Close()
	info, err := source.Lstat(filepath.FromSlash(from))
	if err != nil || !info.Mode().IsRegular() {
		return errors.Join(fs.ErrNotExist, err)
	}
	in, err := source.Open(filepath.FromSlash(from))
	if err != nil {
		return err
	}
	defer in.Close()
	target, err := os.OpenRoot(toDir)
	if err != nil {
		return err
	}
	defer target.Close()
	if err := target.MkdirAll(filepath.FromSlash(path.Dir(to)), 0o755); err != nil {
		return err
	}
	out, err := target.OpenFile(filepath.FromSlash(to), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, io.LimitReader(in, mostLog))
	return errors.Join(err, out.Close())
}
