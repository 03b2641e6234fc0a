package runner

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"reconform.dev/reconform/envtest/folder"
	"reconform.dev/reconform/internal/process/capture"
	"reconform.dev/reconform/internal/record/sanitize"
	"reconform.dev/reconform/internal/report/logline"
)

// linesSince returns lines of each log in a folder: those that were written after the log had
// the given length. There are at most count lines for each log; if fewer are new, older ones
// come before them. If there are several logs, each starts with the name of its file. Empty
// logs and stack frames of runtimes are left out.
func linesSince(dir string, count int, lengths map[string]int64) []string {
	files := logsIn(dir)
	var lines []string
	for _, file := range files {
		data, err := capture.ReadEnd(file, logEnd)
		if err != nil || strings.TrimSpace(data) == "" {
			continue
		}
		if len(files) > 1 {
			lines = append(lines, logline.Head(filepath.Base(file)))
		}
		since := ""
		if info, err := os.Stat(file); err == nil && lengths != nil {
			if grown := info.Size() - lengths[file]; grown > 0 {
				since = data[len(data)-int(min(grown, int64(len(data)))):]
			}
		}
		lines = append(lines, partOf(data, since, count)...)
	}
	return lines
}

// partOf returns count lines of a log. Those in since, the end of the log, count: if there are more
// than count, their first and last ones are returned, and otherwise the last lines of the log.
func partOf(log, since string, count int) []string {
	all := endOf(since, math.MaxInt)
	if len(all) <= count {
		return endOf(log, count)
	}
	first := count / 2
	last := count - first - 1
	left := fmt.Sprintf("… (%d lines of this step are left out)", len(all)-first-last)
	return slices.Concat(all[:first], []string{left}, all[len(all)-last:])
}

// endOf returns the last lines of a log. Stack frames of runtimes are left out.
func endOf(log string, count int) []string {
	if strings.TrimSpace(log) == "" {
		return nil
	}
	own := capture.WithoutStack(strings.Split(strings.TrimRight(log, "\n"), "\n"))
	var lines []string
	for _, line := range own[max(0, len(own)-count):] {
		lines = append(lines, logline.Cut(line, sanitize.MostLine))
	}
	return lines
}

// logsIn returns the logs in a folder, in the order of their names.
func logsIn(dir string) []string {
	files, err := folder.Glob(dir, "*.log")
	if err != nil {
		return nil
	}
	slices.Sort(files)
	return files
}

// logsOf returns the paths of a scenario's logs in the report folder.
func logsOf(reportDir, namespace string) []string {
	var paths []string
	for _, file := range logsIn(filepath.Join(logDir(reportDir), namespace)) {
		if path, err := filepath.Rel(reportDir, file); err == nil {
			paths = append(paths, filepath.ToSlash(path))
		}
	}
	return paths
}

// renderedFile is the name of a scenario as it was rendered, beside the logs of its subject.
const renderedFile = "scenario.yaml"

// keepRendered writes the scenario, as it was rendered for the controller, beside the logs,
// and returns its path in the report folder. It returns "" if that was not possible: the
// report then has the scenario as it stands in the suite.
func (r *run) keepRendered(s scenario) string {
	if s.test == nil || r.options.ReportDir == "" {
		return ""
	}
	data, err := s.test.YAML()
	if err != nil {
		return ""
	}
	dir := r.logDir(s.namespace)
	if os.MkdirAll(dir, 0o755) != nil || os.WriteFile(filepath.Join(dir, renderedFile), data, 0o600) != nil {
		return ""
	}
	path, err := filepath.Rel(r.options.ReportDir, filepath.Join(dir, renderedFile))
	if err != nil {
		return ""
	}
	return filepath.ToSlash(path)
}

// logEnd is how many bytes are read, from the end of a log.
const logEnd = 256 << 10
