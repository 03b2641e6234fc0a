package envtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"reconform.dev/reconform/envtest/folder"
	"reconform.dev/reconform/envtest/supervisor"
)

// keeperFlag begins the only argument of a process that keeps a shared control plane. The
// folder follows.
const keeperFlag = "-reconform-envtest-keeper="

// mainCalled protects a program that uses Shared but never calls Main: its keeper would be
// the program itself, which would start a keeper, and so on.
var mainCalled atomic.Bool

// Main takes over if this process was started as a supervisor of a component, or as the
// keeper of a shared control plane, and then never returns. Otherwise it does nothing. It
// must be the first statement of TestMain, or of main, of a program that uses [Shared]. It
// calls [supervisor.Main].
func Main() {
	supervisor.Main()
	if len(os.Args) != 2 || !strings.HasPrefix(os.Args[1], keeperFlag) {
		mainCalled.Store(true)
		return
	}
	if err := keep(strings.TrimPrefix(os.Args[1], keeperFlag)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// keep starts the control plane of the folder, and ends it when nobody has used it for a
// while.
func keep(dir string) (err error) {
	// controller-runtime writes a warning into what the keeper says if it has no logger.
	log.SetLogger(logr.Discard())
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	data, err := os.ReadFile(filepath.Join(dir, shareFile))
	if err != nil {
		return fmt.Errorf("reading what is to be kept: %w", err)
	}
	var wanted share
	if err := json.Unmarshal(data, &wanted); err != nil {
		return fmt.Errorf("reading what is to be kept: %w", err)
	}
	work := filepath.Join(dir, "controlplane")
	if err := awaitLeft(ctx, work); err != nil {
		return err
	}
	plane, err := Start(ctx, Options{
		AssetsDir: wanted.AssetsDir, WorkDir: work, disposable: true, RemoveIfKilled: work,
		WithoutPods: wanted.WithoutPods, CRDs: wanted.CRDs, ExtendedResources: wanted.Extended,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, plane.Stop(context.WithoutCancel(ctx))) }()
	kubeconfig := filepath.Join(dir, kubeconfigFile)
	if err := plane.WriteKubeconfig(kubeconfig); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(kubeconfig)) }()
	door := filepath.Join(dir, doorFile)
	if err := os.Remove(door); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("removing the door of a keeper that was killed: %w", err)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "unix", door)
	if err != nil {
		return fmt.Errorf("opening the door: %w", err)
	}
	defer listener.Close()
	users := &guests{idle: wanted.Idle, leave: stop}
	users.left()
	go users.serve(listener, greeting{Kubeconfig: kubeconfig, AssetsDir: plane.AssetsDir()})
	select {
	case <-ctx.Done():
		return nil
	case <-plane.Done():
		return plane.Err()
	}
}

// awaitLeft returns when no other keeper has the folder of the control plane any more. One that
// nobody has used for a while no longer opens its door, and needs a moment to end.
func awaitLeft(ctx context.Context, work string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, fmt.Errorf("%w after %v", folder.ErrHeld, startTimeout))
	defer cancel()
	err := whileWaiting(ctx, func() error {
		if _, err := os.Stat(work); err != nil {
			return nil // nobody has made it yet
		}
		held, err := folder.Hold(work)
		switch {
		case errors.Is(err, folder.ErrHeld):
			return err
		case err != nil:
			return nil // the start says what is wrong
		}
		return held.Release()
	}, nil)
	if err != nil {
		return fmt.Errorf("waiting for the keeper before: %s %w", work, err)
	}
	return nil
}

// guests are the processes that use a shared control plane.
type guests struct {
	idle  time.Duration
	leave func() // called when nobody has used it for the time idle

	mu       sync.Mutex
	present  int
	patience *time.Timer
}

// serve greets each process that comes to the door, until the listener is closed.
func (g *guests) serve(listener net.Listener, hello greeting) {
	line, _ := json.Marshal(hello) // two texts
	for {
		guest, err := listener.Accept()
		if err != nil {
			return
		}
		if !g.come() {
			_ = guest.Close() // it is too late; this process is ending
			continue
		}
		go func() {
			defer g.left()
			defer guest.Close()
			if _, err := guest.Write(append(line, '\n')); err == nil {
				_, _ = io.Copy(io.Discard, guest) // until the other end is closed
			}
		}()
	}
}

// come counts a guest. It returns false if the control plane is about to end.
func (g *guests) come() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.present == 0 && !g.patience.Stop() {
		return false
	}
	g.present++
	return true
}

// left counts a guest who has left. Before the first guest comes, it begins the waiting.
func (g *guests) left() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.present > 0 {
		g.present--
	}
	if g.present == 0 {
		g.patience = time.AfterFunc(g.idle, g.leave)
	}
}
