package standing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"reconform.dev/reconform/envtest/folder"
	"reconform.dev/reconform/internal/runner"
)

// Loan is a control plane that is borrowed until Return.
type Loan struct {
	runner.Standing

	conn net.Conn
}

// Return gives the control plane back, so that the next can use it.
func (l *Loan) Return() error { return l.conn.Close() }

// Borrow waits for the control plane, and for its turn. If no keeper runs, it starts one:
// this program with the arguments.
func Borrow(ctx context.Context, door Door, arguments ...string) (*Loan, error) {
	if err := door.open(); err != nil {
		return nil, err
	}
	mine, err := build()
	if err != nil {
		return nil, err
	}
	const attempts = 3
	for attempt := 1; ; attempt++ {
		loan, theirs, err := ask(ctx, door)
		if err == nil && theirs == mine {
			return loan, nil
		}
		if err == nil {
			// The keeper is from another build, so it has to go, with everything that it keeps.
			err = errors.Join(loan.Return(), Stop(ctx, door))
		}
		if attempt == attempts || ctx.Err() != nil {
			return nil, fmt.Errorf("borrowing the control plane of the labs: %w", err)
		}
		// Another process may just be starting a keeper: then ask that one.
		if err := startKeeper(ctx, door, arguments); err != nil && attempt == attempts-1 {
			return nil, err
		}
	}
}

// ask asks for the control plane, and waits for its turn.
func ask(ctx context.Context, door Door) (*Loan, string, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", door.socket())
	if err != nil {
		return nil, "", err
	}
	giveUp := context.AfterFunc(ctx, func() { conn.Close() })
	var hello greeting
	_, err = conn.Write([]byte(wordBorrow))
	if err == nil {
		err = json.NewDecoder(conn).Decode(&hello)
	}
	giveUp()
	if err != nil {
		conn.Close()
		return nil, "", err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(io.Discard, conn) // until one of us closes the connection
	}()
	standing := runner.Standing{Kubeconfig: hello.Kubeconfig, BinDir: hello.BinDir, Fresh: hello.Fresh, Done: done}
	return &Loan{standing, conn}, hello.Build, nil
}

// Stop tells the keeper to end, and waits until it has. It is not an error if there is
// none.
func Stop(ctx context.Context, door Door) error {
	if err := folder.CheckSocket(door.socket()); err != nil {
		return err
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", door.socket())
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("asking for the control plane of the labs: %w", err)
	}
	defer conn.Close()
	if _, err := conn.Write([]byte(wordStop)); err != nil {
		return fmt.Errorf("stopping the control plane of the labs: %w", err)
	}
	_, _ = io.Copy(io.Discard, conn)
	return awaitFree(ctx, door)
}

// startKeeper starts a keeper that outlives this process, and waits until it can be asked,
// or has ended.
func startKeeper(ctx context.Context, door Door, arguments []string) error {
	if err := awaitFree(ctx, door); err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding our own executable: %w", err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("starting the control plane of the labs: %w", err)
	}
	defer r.Close()
	keeper := exec.Command(program, arguments...)
	keeper.ExtraFiles = []*os.File{w}                       // descriptor 3
	keeper.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // Ctrl+C in the terminal must not reach it.
	err = keeper.Start()
	w.Close()
	if err != nil {
		return fmt.Errorf("starting the control plane of the labs: %w", err)
	}
	go func() { _ = keeper.Wait() }()
	interrupt := context.AfterFunc(ctx, func() { r.Close() })
	defer interrupt()
	said, _ := io.ReadAll(r) // The keeper closes its end when it is ready.
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if text := strings.TrimSpace(string(said)); text != "" {
		return errors.Join(fmt.Errorf("starting the control plane of the labs: %s", text), removeFree(door))
	}
	return nil
}
