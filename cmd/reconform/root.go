package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/sanitize"
)

func newCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "reconform",
		Short: "Does it reconcile? A conformance suite for Kubernetes controllers",
		Long: `Reconform tests Kubernetes controllers. It starts your controller as a program on a local
control plane, changes and breaks things around it, records every request that it sends,
and says which requirements it meets.

A profile says how your resource maps to the one of the scenarios, and what your
controller promises. init writes it.

Exit status: 0 conformant or partial, 1 not conformant, 2 wrong usage, 3 inconclusive, or
the bench failed.`,
		Example: `  reconform init --crd crd.yaml --sample sample.yaml --rbac rbac --out mine.yaml -- bin/mine
  reconform run --profile mine.yaml       judge it: the last line is the verdict
  reconform explain SH-004                what a requirement is, and how it is judged
  reconform explore --profile mine.yaml   search for more, without a contract`,
		Version:               version,
		Args:                  subcommands,
		RunE:                  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		DisableFlagsInUseLine: true,
		SilenceErrors:         true,
		SilenceUsage:          true,
	}
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(newHelpCommand())
	root.AddCommand(newRunCommand(), newUpCommand(), newListCommand(), newExplainCommand(), newRenderCommand(), newMergeCommand(),
		newReportCommand(), newCleanCommand(), newInitCommand(), newValidateCommand(), newExploreCommand(), newLabCommand(), newAssetsCommand(),
		newVersionCommand())
	eachOnce(root)
	noneEmpty(root)
	wrapHelp(root)
	return root
}

// newHelpCommand makes the command that shows the help of another one. For a name that it does
// not know, the one of the library shows its own help, and not an error.
func newHelpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Show the help of a command",
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err == nil {
				err = subcommands(about, rest)
			}
			if err != nil {
				return err
			}
			return about.Help()
		},
	}
}

// profileFlag adds --profile. Its value is read by profile.Resolve.
func profileFlag(cmd *cobra.Command, value *string) {
	cmd.Flags().StringVar(value, "profile", profile.Default, "profile of the implementation: a built-in `NAME`, or a file")
	complete(cmd, "profile", profileNames)
}

func unconfinedFlag(cmd *cobra.Command, value *bool) {
	cmd.Flags().BoolVar(value, "unconfined", false, "run the controller as root if this command is root and the machine has no user namespaces")
}

// loadToStart reads a profile whose controller will be started on this machine, and checks
// that everything that this needs exists.
func loadToStart(argument string) (*profile.Profile, error) {
	p, err := profile.Resolve(argument)
	if err != nil {
		return nil, err
	}
	if err := p.CheckFiles(); err != nil {
		return nil, err
	}
	return p, nil
}

// tellNotes says what is worth knowing of the manifests of a profile.
func tellNotes(cmd *cobra.Command, p *profile.Profile) {
	for _, note := range p.Notes() {
		fmt.Fprintf(cmd.ErrOrStderr(), "note: %s\n", sanitize.Text(note))
	}
}
