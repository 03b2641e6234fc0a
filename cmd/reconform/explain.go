package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/lab"
	"reconform.dev/reconform/internal/lab/play"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/profile/nearest"
	"reconform.dev/reconform/internal/record/sanitize"
	"reconform.dev/reconform/internal/report/paragraph"
	"reconform.dev/reconform/internal/runner"
	"reconform.dev/reconform/internal/scenario/catalogue"
	"reconform.dev/reconform/labs"
)

func newExplainCommand() *cobra.Command {
	var (
		argument  string
		scenarios scenariosFlag
	)
	cmd := &cobra.Command{
		Use:   "explain ID…",
		Short: "Say what a requirement is, why, and how it is judged",
		Long: `Say what a requirement asks for, which mistake it exists to catch, where to look in a
controller that fails it, and show its scenario. With --profile, the scenario is shown as
it runs for that controller, and the command judges that one.

The checks of labs that are no requirements, such as rest/looks, are explained, too: what
is done and looked at, why, and how to try it by hand.

Exit status: 0, or 2 for wrong usage.`,
		Example: `  reconform explain SH-001
  reconform explain SH-001 --profile mine.yaml
  reconform explain rest/looks`,
		Args:              some("the ID of a requirement", "SH-001"),
		ValidArgsFunction: explainedIDs,
		RunE: func(cmd *cobra.Command, ids []string) error {
			requirements, err := scenarios.read()
			if err != nil {
				return err
			}
			for _, id := range ids {
				if err := explain(cmd.OutOrStdout(), id, requirements, argument); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&argument, "profile", "", "show the scenario as it runs for the controller of this profile: a built-in `NAME`, or a file")
	complete(cmd, "profile", profileNames)
	scenarios.add(cmd)
	return cmd
}

// explain prints what a requirement is, or a check of the labs. The argument is the value of
// --profile.
func explain(w io.Writer, id string, requirements []catalogue.Requirement, argument string) error {
	if strings.Contains(id, "/") {
		return explainPlayed(w, strings.ToLower(id))
	}
	r, err := catalogue.Find(requirements, id)
	if err != nil {
		return err
	}
	e, err := explanationOf(r, requirements, argument)
	if err != nil {
		return err
	}
	return e.write(w)
}

// explainPlayed explains a check of labs that is not a requirement.
func explainPlayed(out io.Writer, id string) error {
	if _, ok := play.Of(id); !ok {
		return fmt.Errorf("no check %s%s", id, nearest.Question(id, play.All()))
	}
	all, err := lab.Read(labs.FS)
	if err != nil {
		return err
	}
	var by []string
	for _, l := range all {
		if slices.ContainsFunc(l.Checks, func(c lab.Check) bool { return c.ID == id }) {
			by = append(by, l.Number())
		}
	}
	e := play.Explain(id)
	return writeParts(out, id+"  a check of labs", []part{
		{"MUST", "It " + play.Must(id) + "."},
		{"what is done and looked at", e.Looks},
		{"why", e.Why},
		{"try it by hand (reconform up starts a control plane)", e.Try},
		{"is asked for by the labs", strings.Join(by, ", ")},
	})
}

// part of an explanation. It is left out if it has no text.
type part struct{ title, text string }

func writeParts(out io.Writer, head string, parts []part) error {
	width := min(textWidth(out), usualWidth)
	var b strings.Builder
	fmt.Fprintln(&b, head)
	for _, p := range parts {
		if p.text != "" {
			fmt.Fprintf(&b, "  %s:\n%s\n", p.title, strings.Join(paragraph.Wrap(p.text, width, "    ", "    "), "\n"))
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// explanation is what is said about a requirement.
type explanation struct {
	requirement catalogue.Requirement
	scenario    string
	command     string
	builtIn     bool // the command judges the built-in controller
	// skipped is the reason why the requirement is not judged for the profile. There is no
	// command then, unless the scenario decides.
	skipped string
}

// explanationOf explains a requirement, for the controller of a profile if one is given.
func explanationOf(r catalogue.Requirement, all []catalogue.Requirement, argument string) (explanation, error) {
	id := " " + r.ID
	if r.WholeRun {
		id = "" // a part of a run does not judge it
	}
	e := explanation{requirement: r, scenario: string(r.Raw), command: "reconform run" + id, builtIn: true}
	if argument == "" {
		return e, nil
	}
	p, err := profile.Resolve(argument)
	if err != nil {
		return e, err
	}
	if why := r.OfAnother(p.Spec.Contract.Name); why != "" {
		e.command, e.skipped = "", why
		return e, nil
	}
	e.requirement = r.Spoken(p.InItsWords)
	e.builtIn = false
	e.command = "reconform run --profile " + sanitize.Word(argument) + id
	plan, err := runner.NewPlanOfPart(p, all, []catalogue.Requirement{r}, all)
	if err != nil {
		return e, err
	}
	if n := slices.IndexFunc(plan.Skipped, func(s v1alpha1.Result) bool { return s.ID == r.ID }); n >= 0 {
		e.command, e.skipped = "", plan.Skipped[n].Reason
		return e, nil
	}
	for _, planned := range plan.Scenarios {
		text, err := planned.Test.YAML()
		if err != nil {
			return e, err
		}
		e.scenario = string(text)
		if len(planned.Unclaimed) > 0 {
			e.skipped = fmt.Sprintf("feature %s is not claimed; it is judged only if the scenario shows that", planned.Unclaimed[0])
		}
	}
	return e, nil
}

// write writes the text of a requirement, and then its scenario.
func (e explanation) write(out io.Writer) error {
	r := e.requirement
	if err := writeParts(out, fmt.Sprintf("%s  %s, %s", r.ID, r.Area, r.Level), []part{
		{"MUST", r.Must},
		{"it exists to catch", r.Catches},
		{"hint", r.Hint},
		{"applies where the profile claims", r.Claim()},
		{"does not apply with", r.Exception()},
		{"is not judged for this profile", e.skipped},
		{"relies on", strings.Join(r.ReliesOn, ", ")},
		{"is judged by what must never happen", strings.Join(r.Judges, ", ")},
		{"breaks on purpose", strings.Join(r.Provokes, ", ")},
		{"scenario", r.Path},
	}); err != nil {
		return err
	}
	var b strings.Builder
	if e.command != "" {
		fmt.Fprintf(&b, "  run it:\n    %s\n", e.command)
		if e.builtIn {
			b.WriteString("    (this judges the built-in reference controller;\n    for your controller: add --profile FILE)\n")
		}
	}
	fmt.Fprintf(&b, "\n%s\n", e.scenario)
	_, err := io.WriteString(out, b.String())
	return err
}
