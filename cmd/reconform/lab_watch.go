package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"reconform.dev/reconform/internal/lab/student"
)

func newLabWatchCommand() *cobra.Command {
	var flags labCheckFlags
	cmd := &cobra.Command{
		Use:   "watch [NN]",
		Short: "Check again whenever a file changes, until Ctrl+C",
		Args:  atMostOne("a lab"),
		RunE: func(cmd *cobra.Command, args []string) error {
			work, l, err := flags.workToCheck(args)
			if err != nil {
				return err
			}
			changes, err := student.Watch(cmd.Context(), work.Dir)
			if err != nil {
				return benchError{err}
			}
			for {
				err := flags.check(cmd, work, l)
				var status statusError
				if err != nil && !errors.As(err, &status) {
					printError(cmd.ErrOrStderr(), err)
				}
				fmt.Fprintf(cmd.OutOrStdout(), "\n%s: waiting for a change in %s (Ctrl+C ends this)\n", time.Now().Format(time.TimeOnly), work.Dir)
				if _, more := <-changes; !more {
					return nil // Ctrl+C is the normal end.
				}
			}
		},
	}
	flags.add(cmd)
	return cmd
}
