package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"reconform.dev/reconform/internal/bench"
	"reconform.dev/reconform/internal/lab/standing"
	"reconform.dev/reconform/internal/lab/student"
	"reconform.dev/reconform/labs"
)

// newLabKeepCommand is the command of the process in the background.
func newLabKeepCommand() *cobra.Command {
	var idle time.Duration
	cmd := &cobra.Command{
		Use:    "keep",
		Short:  "Keep the control plane up for checks, until nobody needs it",
		Args:   none,
		Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			parent, err := standing.Parent()
			if err != nil {
				return err
			}
			defer parent.Close()
			if err := keepForLabs(cmd.Context(), idle, func() { parent.Close() }); err != nil {
				fmt.Fprintln(parent, err) // does nothing if parent is closed already
				return benchError{err}
			}
			return nil
		},
	}
	cmd.Flags().DurationVar(&idle, "idle", 10*time.Minute, "end after so much time without a check")
	return cmd
}

// keepForLabs keeps a control plane up until nobody has used it for an idle time.
func keepForLabs(ctx context.Context, idle time.Duration, ready func()) error {
	definitions, err := bench.CRDs()
	if err != nil {
		return err
	}
	webApps, err := student.CRD(labs.FS)
	if err != nil {
		return err
	}
	return standing.Keep(ctx, standing.NewDoor(), idle, append(definitions, webApps), ready)
}
