package merge

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile/strictyaml"
	"reconform.dev/reconform/internal/report"
)

// Part is the folder of one run.
type Part struct {
	// Dir is the folder, as the user wrote it.
	Dir string
	// Report of the run. It is nil if the run ended before it wrote one.
	Report *v1alpha1.ConformanceReport
}

// Read reads the reports in the folders. It sorts them by shard, then by date; folders
// without a report come last. These count, because something should have been judged
// there. A folder that does not exist is an error.
func Read(dirs []string) ([]Part, error) {
	if err := checkFolders(dirs); err != nil {
		return nil, err
	}
	var parts []Part
	for _, dir := range dirs {
		r, err := report.Read(dir)
		if errors.Is(err, fs.ErrNotExist) {
			r, err = nil, nil
		}
		if err != nil {
			return nil, err
		}
		if r != nil && len(r.Parts) > 0 {
			return nil, fmt.Errorf("the report in %s was merged from %d others: name the folders of these", dir, len(r.Parts))
		}
		parts = append(parts, Part{dir, r})
	}
	if !slices.ContainsFunc(parts, func(p Part) bool { return p.Report != nil }) {
		in := "in " + dirs[0]
		if len(dirs) > 1 {
			in = "in any of " + strings.Join(dirs, ", ")
		}
		return nil, fmt.Errorf("there is no report (%s) %s: name the folders that the runs of the shards wrote into (their --report-dir)", report.YAMLFile, in)
	}
	slices.SortStableFunc(parts, func(a, b Part) int {
		switch {
		case a.Report == nil && b.Report == nil:
			return 0
		case a.Report == nil:
			return 1
		case b.Report == nil:
			return -1
		}
		return cmp.Or(cmp.Compare(a.shard().Index, b.shard().Index), a.Report.Date.Compare(b.Report.Date.Time))
	})
	return parts, nil
}

// reported returns the parts that have a report. They come first.
func reported(parts []Part) []Part {
	return slices.DeleteFunc(slices.Clone(parts), func(p Part) bool { return p.Report == nil })
}

// shard returns the shard that the part judged. A part without shards is the only shard.
func (p Part) shard() v1alpha1.Shard {
	if p.Report.Shard == nil {
		return v1alpha1.Shard{Index: 1, Count: 1}
	}
	return *p.Report.Shard
}

// checkFolders returns an error if a path is not a folder, or is the same folder as another.
func checkFolders(dirs []string) error {
	var known []os.FileInfo
	for _, dir := range dirs {
		info, err := os.Stat(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("there is no folder %s: name the folders that the runs of the shards wrote into (their --report-dir)", dir)
		case err != nil:
			return fmt.Errorf("reading the report in %s: %w", dir, strictyaml.Cause(err))
		case !info.IsDir():
			return fmt.Errorf("%s is a file: name the folder that a run wrote into (its --report-dir)", dir)
		}
		if n := slices.IndexFunc(known, func(other os.FileInfo) bool { return os.SameFile(info, other) }); n >= 0 {
			return fmt.Errorf("%s and %s are the same folder", dirs[n], dir)
		}
		known = append(known, info)
	}
	return nil
}
