package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"reconform.dev/reconform/envtest"
	"reconform.dev/reconform/internal/scenario/chainsaw"
)

func newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, and those of Kubernetes, Chainsaw and Go",
		Args:  none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "reconform %s (Kubernetes %s, Chainsaw %s, %s, %s/%s)\n",
				version, envtest.Version, chainsaw.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
