package grade

import (
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
	for _, r := range results {
		name := strings.NewReplacer("/", "-", " ", "-").Replace(strings.Trim(r.Submission, "/.")) + ".txt"
		var text strings.Builder
		r.tell(&text)
		if err := report.Replace(filepath.Join(dir, name), []byte(text.String())); err != nil {
			return fmt.Errorf("writing a report: %w", err)
		}
	}
	return nil
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
