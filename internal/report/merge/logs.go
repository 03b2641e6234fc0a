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

// Logs copies the logs and the scenarios that the evidence of the merged report names from
// the folders of its parts. Then the evidence names the copies: logs/part-2/…. It no longer
// names what does not exist any more. If one cannot be copied, as on a full disk, all copies
// are removed and none is named: the parts still have them, and the report needs the room.
func Logs(dir string, parts []Part, merged *v1alpha1.ConformanceReport) error {
	failed := copyLogs(dir, reported(parts), merged)
	if failed == nil {
		return nil
	}
	for _, r := range merged.Results {
		if r.Evidence != nil {
			r.Evidence.Logs, r.Evidence.Rendered = nil, ""
		}
	}
	return errors.Join(failed, os.RemoveAll(filepath.Join(dir, report.LogDir)))
}

func copyLogs(dir string, with []Part, merged *v1alpha1.ConformanceReport) error {
	for n := range merged.Results {
		r := &merged.Results[n]
		if r.Evidence == nil {
			continue
		}
		var kept []string
		for _, name := range r.Evidence.Logs {
			to, err := copied(dir, with, r.Part, name)
			if err != nil {
				return err
			}
			if to != "" {
				kept = append(kept, to)
			}
		}
		r.Evidence.Logs = kept
		to, err := copied(dir, with, r.Part, r.Evidence.Rendered)
		if err != nil {
			return err
		}
		r.Evidence.Rendered = to
	}
	return nil
}

// copied copies a file that the evidence names from the folder of a part, and returns its
// new name, or "" if the file is not there.
func copied(dir string, with []Part, part int, name string) (string, error) {
	rest, ours := strings.CutPrefix(name, report.LogDir+"/")
	if !ours || part < 1 || part > len(with) {
		return "", nil
	}
	to := path.Join(report.LogDir, fmt.Sprintf("part-%d", part), rest)
	err := copyLog(with[part-1].Dir, name, dir, to)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("copying %s: %w", name, err)
	}
	return to, nil
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
