package standing

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"k8s.io/apimachinery/pkg/util/wait"

	"reconform.dev/reconform/envtest/supervisor"
)

// keepArgument makes the test binary a keeper, which ends after the idle time that follows.
const keepArgument = "keep"

const patience = time.Minute

func TestMain(m *testing.M) {
	supervisor.Main()
	if len(os.Args) == 3 && os.Args[1] == keepArgument {
		if err := keep(os.Args[2]); err != nil {
			panic(err)
		}
		return
	}
	os.Exit(m.Run())
}

func keep(idle string) error {
	parent, err := Parent()
	if err != nil {
		return err
	}
	limit, err := time.ParseDuration(idle)
	if err != nil {
		_, err = fmt.Fprintln(parent, err)
		return err
	}
	return Keep(context.Background(), NewDoor(), limit, nil, func() { parent.Close() })
}

// newDoor is one of this test's own. At its end nothing may be left.
func newDoor(t *testing.T) Door {
	t.Helper()
	if testing.Short() {
		t.Skip("it starts a control plane")
	}
	dir, err := os.MkdirTemp("", "door-") // The path of a socket must be short.
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", dir)
	t.Cleanup(func() {
		if err := Stop(context.Background(), NewDoor()); err != nil {
			t.Error(err)
		}
		eventually(t, "nothing runs, and nothing is left", func() bool { return len(processes(t, dir)) == 0 && empty(t, dir) })
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return NewDoor()
}

func borrow(t *testing.T, door Door, idle string) *Loan {
	t.Helper()
	loan, err := Borrow(t.Context(), door, keepArgument, idle)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(loan.Kubeconfig); err != nil {
		t.Error(err)
	}
	return loan
}

// TestTurns: two processes that come at the same time get the same control plane, one
// after the other. When both have gone, it ends by itself.
func TestTurns(t *testing.T) {
	door := newDoor(t)
	first := borrow(t, door, "2s")
	keeper := keeperOf(t, first)
	second := make(chan *Loan)
	go func() {
		loan, err := Borrow(t.Context(), door, keepArgument, "2s")
		if err != nil {
			t.Error(err)
		}
		second <- loan
	}()
	eventually(t, "the second is in the queue", func() bool { return connections(t, door) == 2 })
	select {
	case <-second:
		t.Error("the second did not wait for its turn")
	default:
	}
	if err := first.Return(); err != nil {
		t.Error(err)
	}
	loan := <-second
	if loan == nil {
		t.FailNow()
	}
	if again := keeperOf(t, loan); again != keeper {
		t.Errorf("the second has the control plane of %d, the first had that of %d", again, keeper)
	}
	if !first.Fresh || loan.Fresh {
		t.Errorf("fresh for the first: %t, for the second: %t; want true, false", first.Fresh, loan.Fresh)
	}
	if err := loan.Return(); err != nil {
		t.Error(err)
	}
	eventually(t, "it ends after the idle time", func() bool {
		_, err := os.Stat(door.dir)
		return errors.Is(err, fs.ErrNotExist)
	})
}

// TestKeeperTellsWhy: the error of Borrow says why there is no control plane.
func TestKeeperTellsWhy(t *testing.T) {
	_, err := Borrow(t.Context(), newDoor(t), keepArgument, "soon")
	if err == nil || !strings.Contains(err.Error(), `invalid duration "soon"`) {
		t.Errorf("the error is %v", err)
	}
}

// TestKilledKeeper: kill -9 leaves no process. The borrower gets an error, and the next one gets a
// new control plane at once, although the old socket is still there, and so may be processes that
// remove the folder of the old one.
func TestKilledKeeper(t *testing.T) {
	door := newDoor(t)
	loan := borrow(t, door, "10m")
	keeper := keeperOf(t, loan)
	if n := len(processes(t, door.dir)); n < 3 {
		t.Errorf("%d processes work in %s: etcd and the API server are among them", n, door.dir)
	}
	if err := syscall.Kill(keeper, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	select {
	case <-loan.Done:
	case <-time.After(patience):
		t.Error("the borrower was not told")
	}
	next := borrow(t, door, "10m")
	if keeperOf(t, next) == keeper {
		t.Error("the one that was killed is asked again")
	}
	if err := next.Return(); err != nil {
		t.Error(err)
	}
}

// TestSocketOfNobody: the socket of an earlier process still exists, but nobody listens
// on it.
func TestSocketOfNobody(t *testing.T) {
	door := Door{t.TempDir()}
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: door.socket()})
	if err != nil {
		t.Fatal(err)
	}
	listener.SetUnlinkOnClose(false)
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	if err := Stop(t.Context(), door); err != nil {
		t.Errorf("Stop: %v", err)
	}
}

// TestDoorOfAnother: the path is not a folder, or belongs to somebody else.
func TestDoorOfAnother(t *testing.T) {
	file := filepath.Join(t.TempDir(), "door")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := (Door{file}).open(); err == nil {
		t.Error("a file was taken for the door")
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(t.TempDir(), link); err != nil {
		t.Fatal(err)
	}
	if err := (Door{link}).open(); err == nil {
		t.Error("a link was followed")
	}
}

// TestKeeperByHand: without a parent process, the hidden command returns an error.
func TestKeeperByHand(t *testing.T) {
	if unix.Access("/proc/self/fd/3", unix.F_OK) == nil {
		t.Skip("descriptor 3 is open here")
	}
	if _, err := Parent(); err == nil {
		t.Error("without a parent there is one")
	}
}

// keeperOf is the process at the other end.
func keeperOf(t *testing.T, loan *Loan) int {
	t.Helper()
	conn, err := loan.conn.(*net.UnixConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	pid := 0
	err = conn.Control(func(fd uintptr) {
		if who, err := unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED); err == nil {
			pid = int(who.Pid)
		}
	})
	if err != nil || pid == 0 {
		t.Fatalf("who keeps it? %v", err)
	}
	return pid
}

// connections to the door that were accepted, or wait for that.
func connections(t *testing.T, door Door) int {
	t.Helper()
	text, err := os.ReadFile("/proc/net/unix")
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Count(text, []byte(door.socket()+"\n")) - 1 // one listens
}

// processes with a text in their command line.
func processes(t *testing.T, text string) (found []string) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if line, err := os.ReadFile(file); err == nil && bytes.Contains(line, []byte(text)) {
			found = append(found, file)
		}
	}
	return found
}

func empty(t *testing.T, dir string) bool {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return len(entries) == 0
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	err := wait.PollUntilContextTimeout(context.Background(), 20*time.Millisecond, patience, true, func(context.Context) (bool, error) {
		return is(), nil
	})
	if err != nil {
		t.Errorf("not true after %s: %s", patience, what)
	}
}

// TestFarDoor: a path that is too long for a socket is told before a control plane is started.
func TestFarDoor(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), strings.Repeat("d", 100)))
	if _, err := Borrow(t.Context(), NewDoor(), "none"); err == nil || !strings.Contains(err.Error(), "set TMPDIR to a folder with a shorter path") {
		t.Errorf("%v, want what to do", err)
	}
	if err := Stop(t.Context(), NewDoor()); err == nil || !strings.Contains(err.Error(), "set TMPDIR to a folder with a shorter path") {
		t.Errorf("stopping: %v, want what to do", err)
	}
}
