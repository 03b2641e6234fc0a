package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"reconform.dev/reconform/internal/bench/cluster"
)

func newCleanCommand() *cobra.Command {
	var kubeconfig, context string
	cmd := &cobra.Command{
		Use:   "clean",
		Short: "Remove what runs have left on a cluster that were killed, or had --keep",
		Long: `Remove all that reconform run --kubeconfig has made on a cluster, and marked with the
label reconform.dev/bench: namespaces with all that is in them, roles, webhooks, and
definitions that nobody uses. The next run does the same by itself, except for what a run
with --keep has left.

Exit status: 0, 2 for wrong usage, or 3 if the cluster refused something.`,
		Args: none,
		RunE: func(cmd *cobra.Command, _ []string) error { return clean(cmd, kubeconfig, context) },
	}
	cmd.Flags().StringVar(&kubeconfig, "kubeconfig", "", "the cluster of this `FILE`")
	cmd.Flags().StringVar(&context, "context", "", "use the context `NAME` of that file, instead of its current one")
	return cmd
}

func clean(cmd *cobra.Command, kubeconfig, context string) (err error) {
	if kubeconfig == "" {
		return errors.New("--kubeconfig is missing: name the file of the cluster")
	}
	ctx := cmd.Context()
	config, client, err := cluster.Connect(kubeconfig, context)
	if err != nil {
		return fmt.Errorf("--kubeconfig: %w", err)
	}
	lease, err := cluster.Take(ctx, client)
	if err != nil {
		return benchError{fmt.Errorf("taking the cluster of %s: %w", kubeconfig, err)}
	}
	removed, err := cluster.Clean(ctx, config)
	for _, what := range removed {
		fmt.Fprintln(cmd.OutOrStdout(), "removed "+what)
	}
	if err := errors.Join(err, lease.Release(ctx)); err != nil {
		return benchError{err}
	}
	if len(removed) == 0 {
		fmt.Fprintln(cmd.OutOrStdout(), "nothing to remove")
	}
	return nil
}
