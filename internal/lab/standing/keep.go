package standing

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"reconform.dev/reconform/envtest"
	"reconform.dev/reconform/envtest/folder"
)

// Keep keeps a control plane up for borrowers. It ends when nobody has borrowed it for the
// time idle, when a client says stop, or when ctx ends. It calls ready when the control
// plane can be borrowed. The definitions exist from the start, so that the garbage
// collector knows them at once.
func Keep(ctx context.Context, door Door, idle time.Duration, definitions []*apiextensionsv1.CustomResourceDefinition, ready func()) (err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if err := door.open(); err != nil {
		return err
	}
	held, err := folder.Hold(door.dir)
	if err != nil {
		return fmt.Errorf("keeping a control plane: %w", err)
	}
	defer func() { err = errors.Join(err, held.Remove()) }()
	mine, err := build()
	if err != nil {
		return err
	}
	plane, err := envtest.Start(ctx, envtest.Options{WorkDir: filepath.Join(door.dir, "controlplane"), RemoveIfKilled: door.dir, CRDs: definitions})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, plane.Stop(context.WithoutCancel(ctx))) }()
	if err := plane.WriteKubeconfig(door.kubeconfig()); err != nil {
		return err
	}
	if err := os.Remove(door.socket()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("removing an old door: %w", err)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "unix", door.socket())
	if err != nil {
		return fmt.Errorf("opening the door: %w", err)
	}
	hello := greeting{Kubeconfig: door.kubeconfig(), BinDir: plane.AssetsDir(), Build: mine, Fresh: true}
	k := &keeper{stop: stop, idle: idle, greeting: hello}
	k.patience = time.AfterFunc(idle, stop)
	go k.serve(ctx, listener)
	ready()
	select {
	case <-ctx.Done():
	case <-plane.Done():
		err = plane.Err()
	}
	stop()
	return errors.Join(err, listener.Close())
}

// keeper serves borrowers.
type keeper struct {
	idle time.Duration
	stop context.CancelFunc

	turn     sync.Mutex // held by the borrower who works
	greeting greeting   // for the next borrower; guarded by turn

	mu       sync.Mutex
	guests   int
	patience *time.Timer
}

func (k *keeper) serve(ctx context.Context, listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			k.stop()
			return
		}
		go k.host(ctx, conn)
	}
}

// host serves one borrower until it closes the connection.
func (k *keeper) host(ctx context.Context, conn net.Conn) {
	defer conn.Close()
	hangUp := context.AfterFunc(ctx, func() { conn.Close() })
	defer hangUp()
	words := bufio.NewReader(conn)
	word, err := words.ReadString('\n')
	switch {
	case err != nil:
		return
	case word == wordStop:
		k.stop()
		return
	case word != wordBorrow:
		return
	}
	k.count(+1)
	defer k.count(-1)
	k.turn.Lock()
	defer k.turn.Unlock()
	if json.NewEncoder(conn).Encode(k.greeting) == nil {
		k.greeting.Fresh = false
		_, _ = io.Copy(io.Discard, words) // It says no more, and closes the connection at the end.
	}
}

// count counts the guests. Idle time begins when the last one has gone.
func (k *keeper) count(change int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.guests += change
	k.patience.Stop()
	if k.guests == 0 {
		k.patience.Reset(k.idle)
	}
}
