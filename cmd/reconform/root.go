package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"reconform.dev/reconform/internal/profile"
)

func newCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "reconform",
		Short: "Does it reconcile? A conformance suite for Kubernetes controllers",
		Long: `Reconform judges controllers that turn a custom resource into a Deployment, a
Service and a status. It starts a real control plane, runs the controller on it
behind a recording proxy, and says which requirements it meets.

Exit status: 0 conformant or partial, 1 not conformant, 2 wrong usage,
3 inconclusive, or the bench failed.`,
		Version:       version,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%w (see %s --help)", err, cmd.CommandPath())
	})
	root.AddCommand(newRunCommand(), newUpCommand(), newListCommand(), newExplainCommand(), newRenderCommand(), newMergeCommand(),
		newReportCommand(), newCleanCommand(), newInitCommand(), newValidateCommand(), newExploreCommand(), newLabCommand(), newAssetsCommand(),
		newVersionCommand())
	wrapHelp(root)
	return root
}

// profileFlag adds --profile. Its value is loaded by loadProfile.
func profileFlag(cmd *cobra.Command, value *string) {
	cmd.Flags().StringVar(value, "profile", profile.Default, "profile of the implementation: a built-in `NAME`, or a file")
	complete(cmd, "profile", profileNames)
}

func unconfinedFlag(cmd *cobra.Command, value *bool) {
	cmd.Flags().BoolVar(value, "unconfined", false, "run the controller as root where this command is root and there are no namespaces")
}

// loadProfile reads the profile. If its controller will be started, it also checks that
// everything that this needs exists.
func loadProfile(argument string, toStart bool) (*profile.Profile, error) {
	p, err := profile.Resolve(argument)
	if err != nil {
		return nil, err
	}
	if toStart {
		if err := p.CheckFiles(); err != nil {
			return nil, err
		}
	}
	return p, nil
}
