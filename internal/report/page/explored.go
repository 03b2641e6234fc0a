package page

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"path/filepath"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/verdict/baseline"
)

//go:embed assets/explored.html
var exploredHTML string

// exploredView is what the template of an exploration shows.
type exploredView struct {
	*v1alpha1.ExploreReport
	Policy string
	Style  template.CSS
	// Class and Symbol of the verdict without what is known, and the verdict in words.
	Class, Symbol, Words string
	Notes                []string
	Shown                []exploredCause
}

// exploredCause is a cause as the page shows it.
type exploredCause struct {
	v1alpha1.ExploredCause
	Number int
	// Class is how it is coloured.
	Class     string
	Known     *v1alpha1.KnownResult
	Minimised string
	First     v1alpha1.ExploredCase
	Others    []v1alpha1.ExploredCase
}

// WriteExplored writes the page of an exploration into its folder.
func WriteExplored(dir string, r *v1alpha1.ExploreReport) error {
	var out bytes.Buffer
	if err := makeExplored(&out, r); err != nil {
		return err
	}
	if err := report.Replace(filepath.Join(dir, report.ExploredPageFile), out.Bytes()); err != nil {
		return fmt.Errorf("writing %s: %w", report.ExploredPageFile, err)
	}
	return nil
}

// makeExplored writes the page of an exploration. It has no script: it can be read as it
// is.
func makeExplored(to io.Writer, r *v1alpha1.ExploreReport) error {
	page, err := template.New("explored").Parse(exploredHTML)
	if err != nil {
		return fmt.Errorf("reading the template: %w", err)
	}
	style := "\n" + pageCSS
	v := exploredView{
		ExploreReport: r, Policy: policy(style, ""), Style: template.CSS(style),
		Words: report.ExploredWords(r), Notes: report.ExploredNotes(r),
	}
	v.Class, v.Symbol = "unsure", "?"
	switch verdict := baseline.Explored(r); {
	case verdict == v1alpha1.Converges && r.Cut != "":
		v.Symbol = "◐" // as partial: what was not explored may diverge
	case verdict == v1alpha1.Converges:
		v.Class, v.Symbol = "passed", "✓"
	case verdict == v1alpha1.Diverges:
		v.Class, v.Symbol = "failed", "✕"
	}
	for n, c := range r.Causes {
		shown := exploredCause{
			ExploredCause: c, Number: n + 1, Class: "failed", Known: baseline.OfCause(c, r.Known), Minimised: report.MinimisedWords(c.Minimised),
			First: c.Cases[0], Others: c.Cases[1:],
		}
		if shown.Known != nil {
			shown.Class = "skipped"
		}
		v.Shown = append(v.Shown, shown)
	}
	if err := page.Execute(to, v); err != nil {
		return fmt.Errorf("filling the template: %w", err)
	}
	return nil
}
