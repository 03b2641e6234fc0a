// Relay runs in a Pod beside a subject, or without one, and carries connections between the
// Pod and the bench. The bench starts the carrying part with exec:
//
//	relay keep             stay until told to end: what the container runs
//	relay carry ADDRESS    listen there, and carry over standard input and output
//	relay check ADDRESS    does it listen?
package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"reconform.dev/reconform/internal/process/tunnel"
)

const checkTimeout = time.Second

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "relay:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	switch {
	case len(args) == 1 && args[0] == "keep":
		<-ctx.Done()
		return nil
	case len(args) == 2 && args[0] == "carry":
		listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", args[1])
		if err != nil {
			return fmt.Errorf("listening for connections to carry: %w", err)
		}
		return tunnel.Serve(ctx, standard{}, listener)
	case len(args) == 2 && args[0] == "check":
		conn, err := (&net.Dialer{Timeout: checkTimeout}).DialContext(ctx, "tcp", args[1])
		if err != nil {
			return fmt.Errorf("checking that it listens: %w", err)
		}
		return conn.Close()
	default:
		return errors.New("usage: relay keep | carry ADDRESS | check ADDRESS")
	}
}

// standard is standard input and output as one stream.
type standard struct{}

func (standard) Read(p []byte) (int, error)  { return os.Stdin.Read(p) }
func (standard) Write(p []byte) (int, error) { return os.Stdout.Write(p) }
func (standard) Close() error                { return errors.Join(os.Stdin.Close(), os.Stdout.Close()) }
