package grade

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"reconform.dev/reconform/internal/report"
)

// WriteReports writes a report for each student into a folder. A report has nothing about
// other students.
func WriteReports(dir string, results []Result) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("making the folder of the reports: %w", err)
	}
	files := reportNames(results)
	for n, r := range results {
		var text strings.Builder
		r.tell(&text)
		if err := report.Replace(filepath.Join(dir, files[n]), []byte(text.String())); err != nil {
			return fmt.Errorf("writing a report: %w", err)
		}
	}
	return nil
}

// reportNames returns the names of the files for reports, in their order. Names that would be the
// same are numbered. A file system may not tell upper from lower case.
func reportNames(results []Result) (names []string) {
	taken := map[string]bool{}
	for _, r := range results {
		base := cmp.Or(strings.NewReplacer("/", "-", " ", "-").Replace(strings.Trim(r.Submission, "/.")), "submission")
		name := base
		for n := 2; taken[strings.ToLower(name)]; n++ {
			name = fmt.Sprintf("%s-%d", base, n)
		}
		taken[strings.ToLower(name)] = true
		names = append(names, name+".txt")
	}
	return names
}

func (r *Result) tell(out io.Writer) {
	fmt.Fprintf(out, "%s, lab %s: %s", r.Submission, r.Lab, r.Outcome)
	if r.Outcome == Judged {
		fmt.Fprintf(out, ", %d of %d reached", r.Reached, r.Of)
	}
	fmt.Fprintf(out, "\n")
	for _, text := range []string{r.Why, r.Report} {
		if text != "" {
			fmt.Fprintf(out, "\n%s\n", strings.TrimRight(text, "\n"))
		}
	}
}
