package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/verdict"
)

const pageFile = "README.md"

// intro of the page. Its first line says that it is generated.
const intro = `<!-- Made by cmd/field (make field): change the reports, or the command, and not this file. -->
# Field page

Controllers that were judged, each with its report. A report here is what ` + "`reconform run`" + ` wrote, with one line for each
row that passed or was skipped, and without the logs, the commands and the paths of the machine. What is known about the controllers
of others, and why they fail, is in [field reports](../field-reports.md). Which requirements they are expected to fail is in
[fixtures/verdicts](../../fixtures/verdicts).

`

// outro explains how the reports are made.
const outro = `
` + "`make field`" + ` judges two controllers of our own and sample-controller, and makes the page again. To add another report, judge its
controller (` + "`make systems`" + ` and ` + "`make third-party-all`" + ` leave their reports in ` + "`reports/`" + `), and then name the folder:
` + "`go run ./cmd/field docs/field reports/systems/apipark`" + `. Not every report judges all requirements: the column *core* says how many.
`

// writePage writes the table of the reports in the folder.
func writePage(dir string) error {
	reports, err := readAll(dir)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, pageFile), []byte(table(reports)), 0o644); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	return nil
}

// readAll reads all reports in a folder, by the names of their files.
func readAll(dir string) (map[string]*v1alpha1.ConformanceReport, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		return nil, fmt.Errorf("looking for reports: %w", err)
	}
	reports := map[string]*v1alpha1.ConformanceReport{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("reading a report: %w", err)
		}
		if reports[filepath.Base(file)], err = report.Parse(file, data); err != nil {
			return nil, err
		}
	}
	return reports, nil
}

// table returns a table of reports in Markdown, those with most passed requirements first.
func table(reports map[string]*v1alpha1.ConformanceReport) string {
	var b strings.Builder
	b.WriteString(intro)
	b.WriteString("| controller | verdict | core | passed | failed | skipped | conformance classes | what failed | judged |\n")
	b.WriteString("|---|---|---|---|---|---|---|---|---|\n")
	var names []string
	for name := range reports {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(reports[b].Summary.Passed-reports[a].Summary.Passed, strings.Compare(a, b))
	})
	for _, name := range names {
		b.WriteString(row(name, reports[name]))
	}
	b.WriteString(outro)
	return b.String()
}

func row(file string, r *v1alpha1.ConformanceReport) string {
	var failed []string
	for _, result := range r.Results {
		if verdict.Fails(result.Verdict) {
			failed = append(failed, result.ID)
		}
	}
	s := r.Summary
	name := strings.TrimSpace(r.Implementation.Name + " " + r.Implementation.Version)
	cells := []string{
		fmt.Sprintf("[%s](%s)", plain(name), file), string(r.Verdict), fmt.Sprintf("%d of %d", r.Core.Judged, r.Core.Total),
		fmt.Sprint(s.Passed), fmt.Sprint(s.Failed + s.Flaky), fmt.Sprint(s.Skipped), verdict.Headline(r.Classes),
		cmp.Or(strings.Join(failed, ", "), "nothing"),
		fmt.Sprintf("%s, by Reconform %s on Kubernetes %s",
			r.Date.UTC().Format("2006-01-02"), plain(r.Versions.Reconform), plain(r.Versions.Kubernetes)),
	}
	return "| " + strings.Join(cells, " | ") + " |\n"
}

// plain makes a text plain in a cell.
func plain(text string) string {
	return strings.NewReplacer("|", `\|`, "[", `\[`, "]", `\]`, "<", "&lt;", "\n", " ").Replace(text)
}
