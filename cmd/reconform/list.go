package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"reconform.dev/reconform/internal/catalogue"
	"reconform.dev/reconform/internal/profile"
)

type listFlags struct {
	profile string
	output  string
}

func newListCommand() *cobra.Command {
	var flags listFlags
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the requirements, and which of them a profile claims",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return flags.execute(cmd) },
	}
	profileFlag(cmd, &flags.profile)
	cmd.Flags().StringVarP(&flags.output, "output", "o", "table", "`FORMAT`: table, json or markdown")
	return cmd
}

func (f *listFlags) execute(cmd *cobra.Command) error {
	requirements, err := catalogue.Embedded()
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	if f.output == "markdown" { // speaks of no profile
		_, err := io.WriteString(out, catalogue.Markdown(requirements))
		return err
	}
	p, err := loadProfile(f.profile, false)
	if err != nil {
		return err
	}
	switch f.output {
	case "table":
		return writeTable(out, requirements, p)
	case "json":
		data, err := catalogue.JSON(requirements, p.Spec.Claims)
		if err != nil {
			return err
		}
		_, err = out.Write(data)
		return err
	default:
		return fmt.Errorf("--output %s is not table, json or markdown", f.output)
	}
}

func writeTable(out io.Writer, requirements []catalogue.Requirement, p *profile.Profile) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tAREA\tAPPLIES TO\tCLAIMED\tMUST")
	for _, r := range requirements {
		applies := r.Claim()
		if applies == "" {
			applies = r.Level
		}
		claimed := "yes"
		if ok, _ := catalogue.Applies(r, p.Spec.Claims); !ok {
			claimed = "no"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", r.ID, r.Area, applies, claimed, r.Must)
	}
	return table.Flush()
}
