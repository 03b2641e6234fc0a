package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/runner"
	"reconform.dev/reconform/internal/scenario/catalogue"
	"reconform.dev/reconform/internal/scenario/render"
)

type listFlags struct {
	profile   string
	selection selectionFlags
	output    string
}

func newListCommand() *cobra.Command {
	var flags listFlags
	cmd := &cobra.Command{
		Use:   "list [ID…]",
		Short: "List the requirements, and which of them a profile claims",
		Long: `List the requirements, or those of some IDs: whom each applies to, and whether it does to
the controller of the profile. -o json has more of each.

Exit status: 0, or 2 for wrong usage, or if nothing was selected.`,
		ValidArgsFunction: requirementIDs,
		RunE: func(cmd *cobra.Command, ids []string) error {
			if err := flags.selection.only(cmd, ids); err != nil {
				return err
			}
			return flags.execute(cmd, len(ids) > 0 || flags.selection.run != "")
		},
	}
	profileFlag(cmd, &flags.profile)
	flags.selection.add(cmd)
	cmd.Flags().StringVarP(&flags.output, "output", "o", "table", "`FORMAT`: table, json or markdown")
	complete(cmd, "output", cobra.FixedCompletions([]string{"table", "json", "markdown"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// execute prints the list. What is of another contract than the profile's is left out of a
// table, unless it is named.
func (f *listFlags) execute(cmd *cobra.Command, named bool) error {
	requirements, all, err := f.selection.requirements()
	if err != nil {
		return err
	}
	if len(requirements) == 0 {
		return errNothingMatches
	}
	out := cmd.OutOrStdout()
	if f.output == "markdown" { // needs no profile
		_, err := io.WriteString(out, catalogue.Markdown(requirements))
		return err
	}
	p, err := profile.Resolve(f.profile)
	if err != nil {
		return err
	}
	plan := &runner.Plan{}
	if own := catalogue.Of(requirements, p.Spec.Contract.Name); len(own) > 0 {
		if plan, err = runner.NewPlanOfPart(p, all, own, own); err != nil {
			return err
		}
	}
	for i, r := range requirements {
		requirements[i] = r.Spoken(p.InItsWords)
	}
	switch f.output {
	case "table":
		if own := catalogue.Of(requirements, p.Spec.Contract.Name); !named && len(own) > 0 {
			requirements = own
		}
		claims, err := writeTable(out, requirements, p, plan.Unmapped())
		if err == nil {
			fmt.Fprintln(cmd.ErrOrStderr(), sumOf(claims))
		}
		return err
	case "json":
		skipped := map[string]string{}
		for _, result := range plan.Skipped {
			skipped[result.ID] = result.Reason
		}
		data, err := catalogue.JSON(requirements, p.Spec.Contract.Name, p.Spec.Claims, plan.Unmapped(), skipped)
		if err != nil {
			return err
		}
		_, err = out.Write(data)
		return err
	default:
		return fmt.Errorf("--output %s is not table, json or markdown", f.output)
	}
}

// sumOf says how many requirements are judged, and how many are not, by the column that says
// whether they are claimed.
func sumOf(claims []string) string {
	count, order := map[string]int{}, []string{}
	for _, claim := range claims {
		if count[claim]++; count[claim] == 1 {
			order = append(order, claim)
		}
	}
	slices.SortFunc(order, func(a, b string) int {
		return cmp.Or(-cmp.Compare(a[:1], b[:1]), cmp.Compare(a, b)) // yes comes first
	})
	var parts []string
	for _, claim := range order {
		parts = append(parts, fmt.Sprintf("%d %s", count[claim], claim))
	}
	noun := "requirements"
	if len(claims) == 1 {
		noun = "requirement"
	}
	return fmt.Sprintf("%d %s; claimed: %s", len(claims), noun, strings.Join(parts, "; "))
}

// writeTable writes a line for each requirement, and returns what each has in the column that
// says whether it is claimed. On a terminal, lines are cut at its width.
func writeTable(out io.Writer, requirements []catalogue.Requirement, p *profile.Profile, unmapped map[string]string) (claims []string, err error) {
	var text bytes.Buffer
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tAREA\tAPPLIES TO\tCLAIMED\tMUST")
	for _, r := range requirements {
		applies := r.Claim()
		if applies == "" {
			applies = r.Level
		}
		claimed := "yes"
		asked := len(catalogue.Of([]catalogue.Requirement{r}, p.Spec.Contract.Name)) > 0
		judged, _ := catalogue.Applies(r, p.Spec.Claims)
		switch {
		case !asked:
			claimed = "another contract"
		case !judged:
			claimed = "no"
		case unmapped[r.ID] == render.NeedsContract:
			claimed = "needs a contract"
		case unmapped[r.ID] != "":
			claimed = "cannot be mapped"
		case r.Nodes:
			claimed = "yes, on nodes"
		}
		claims = append(claims, claimed)
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", r.ID, r.Area, applies, claimed, r.Must)
	}
	if err := table.Flush(); err != nil {
		return nil, err
	}
	width := widthOf(out)
	for line := range strings.Lines(text.String()) {
		if _, err := fmt.Fprintln(out, cut(strings.TrimSuffix(line, "\n"), width)); err != nil {
			return nil, err
		}
	}
	return claims, nil
}

// widthOf returns the width of a terminal, or 0 for any other output.
func widthOf(out io.Writer) int {
	file, ok := out.(interface{ Fd() uintptr })
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return 0
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// textWidth returns the width for text: that of a terminal, or else the usual one.
func textWidth(out io.Writer) int { return cmp.Or(widthOf(out), usualWidth) }

// cut cuts a line to a width; 0 means no limit.
func cut(line string, width int) string {
	if runes := []rune(line); width > 0 && len(runes) > width {
		return string(runes[:width-1]) + "…"
	}
	return line
}
