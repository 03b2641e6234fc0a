package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/sanitize"
	"reconform.dev/reconform/internal/report/paragraph"
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
		Long: `List the requirements, or only those with the given IDs. APPLIES TO says which controllers a
requirement is for: core is for all, anything else for those that claim it. CLAIMED says
whether the profile does. On a terminal the sentences are wrapped. Elsewhere they are cut, so
that each has one line. -o json says more about each.

Exit status: 0, or 2 for wrong usage, or if nothing was selected.`,
		ValidArgsFunction: requirementIDs,
		RunE: func(cmd *cobra.Command, ids []string) error {
			if err := flags.selection.only(cmd, ids); err != nil {
				return err
			}
			return flags.execute(cmd)
		},
	}
	profileFlag(cmd, &flags.profile)
	flags.selection.add(cmd)
	cmd.Flags().StringVarP(&flags.output, "output", "o", "table", "`FORMAT`: table, wide, json or markdown; wide is the table with whole sentences")
	complete(cmd, "output", cobra.FixedCompletions(listFormats(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// listFormats returns the formats of the list.
func listFormats() []string { return []string{"table", "wide", "json", "markdown"} }

// execute prints the list.
func (f *listFlags) execute(cmd *cobra.Command) error {
	if !slices.Contains(listFormats(), f.output) {
		return fmt.Errorf("--output %s is not table, wide, json or markdown", f.output)
	}
	if f.output == "markdown" && cmd.Flags().Changed("profile") {
		return errors.New("--profile: -o markdown lists the requirements, and not what a profile claims; give one of the two")
	}
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
	if f.output == "json" {
		return writeList(out, requirements, p, plan)
	}
	return f.tell(cmd, requirements, p, plan)
}

// writeList writes the requirements as JSON.
func writeList(out io.Writer, requirements []catalogue.Requirement, p *profile.Profile, plan *runner.Plan) error {
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
}

// tell prints the requirements as a table. What is of another contract than the profile's is
// left out, unless it is named: an ID is a --run, too.
func (f *listFlags) tell(cmd *cobra.Command, requirements []catalogue.Requirement, p *profile.Profile, plan *runner.Plan) error {
	if own := catalogue.Of(requirements, p.Spec.Contract.Name); f.selection.run == "" && len(own) > 0 {
		requirements = own
	}
	out, more := cmd.OutOrStdout(), cmd.ErrOrStderr()
	rows := rowsOf(requirements, p, plan.Unmapped())
	short, err := writeTable(out, rows, widthOf(out), f.output == "wide")
	if err != nil {
		return err
	}
	fmt.Fprintln(more, sumOf(rows))
	for _, why := range whyUnmapped(unmappedOf(rows, plan.Unmapped())) {
		for _, line := range paragraph.Wrap(why, textWidth(more), "cannot be mapped: ", "  ") {
			fmt.Fprintln(more, line)
		}
	}
	if short {
		fmt.Fprintln(more, "whole sentences: -o wide")
	}
	return nil
}

// sumOf says how many requirements are judged, and how many are not, by the column that says
// whether they are claimed.
func sumOf(rows []listed) string {
	count, order := map[string]int{}, []string{}
	for _, row := range rows {
		if count[row.claimed]++; count[row.claimed] == 1 {
			order = append(order, row.claimed)
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
	if len(rows) == 1 {
		noun = "requirement"
	}
	return fmt.Sprintf("%d %s; claimed: %s", len(rows), noun, strings.Join(parts, "; "))
}

// unmappable is what the table says of a requirement that cannot be mapped.
const unmappable = "cannot be mapped"

// listed is one row of the table: its columns, and its sentence.
type listed struct{ id, area, applies, claimed, must string }

// rowsOf returns a row for each requirement.
func rowsOf(requirements []catalogue.Requirement, p *profile.Profile, unmapped map[string]string) []listed {
	var rows []listed
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
			claimed = unmappable
		case r.Nodes:
			claimed = "yes, on nodes"
		}
		rows = append(rows, listed{r.ID, r.Area, applies, claimed, r.Must})
	}
	return rows
}

// unmappedOf returns the reasons of those requirements that the table says cannot be mapped.
func unmappedOf(rows []listed, unmapped map[string]string) map[string]string {
	reasons := map[string]string{}
	for _, row := range rows {
		if row.claimed == unmappable {
			reasons[row.id] = unmapped[row.id]
		}
	}
	return reasons
}

// writeTable writes the rows in columns. On a terminal, whose width is not 0, sentences are
// wrapped. Elsewhere each row is one line, and sentences are cut, unless all is wanted;
// writeTable returns whether it has cut one.
func writeTable(out io.Writer, rows []listed, width int, all bool) (short bool, err error) {
	var text bytes.Buffer
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tAREA\tAPPLIES TO\tCLAIMED\t")
	for _, r := range rows {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t\n", r.id, r.area, r.applies, r.claimed)
	}
	if err := table.Flush(); err != nil {
		return false, err
	}
	sentences := []string{"MUST"}
	for _, r := range rows {
		sentences = append(sentences, r.must)
	}
	n := 0
	for line := range strings.Lines(text.String()) {
		line, sentence := strings.TrimSuffix(line, "\n"), sentences[n]
		n++
		var lines []string
		switch columns := utf8.RuneCountInString(line); {
		case all:
			lines = []string{line + sentence}
		case width == 0:
			lines = []string{line + sanitize.CutEnd(sentence, leastSentence)}
			short = short || lines[0] != line+sentence
		case width-columns >= leastSentence:
			lines = paragraph.Wrap(sentence, width, line, strings.Repeat(" ", columns))
		default: // below the columns
			lines = append([]string{sanitize.CutEnd(strings.TrimRight(line, " "), width)}, paragraph.Wrap(sentence, width, belowID, belowID)...)
		}
		if _, err := fmt.Fprintln(out, strings.Join(lines, "\n")); err != nil {
			return short, err
		}
	}
	return short, nil
}

const (
	// leastSentence is the least width of a column of sentences.
	leastSentence = 50
	// belowID is the indent of a sentence that has no column of its own.
	belowID = "        "
)

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
