//go:build unix

package sandbox_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/internal/process/sandbox"
)

func TestExit(t *testing.T) {
	launchers(t, func(t *testing.T, l *sandbox.Launcher) {
		type exit struct {
			Code     int
			Signal   string
			Panicked bool
		}
		for role, want := range map[string]exit{
			"exit137":  {Code: 137},
			"killself": {Code: 137, Signal: "SIGKILL"},
			"panic":    {Code: 2, Panicked: true},
			"fatal":    {Code: 2, Panicked: true},
			"abort":    {Code: 134, Signal: "SIGABRT", Panicked: true},
			"exit2":    {Code: 2},
		} {
			t.Run(role, func(t *testing.T) {
				p := start(t, l, spec(t, newLine(t), role))
				wait(t, p)
				var got exit
				got.Code, got.Signal, got.Panicked = p.Exit()
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("exit (-want +got):\n%s\n%s", diff, strings.Join(p.LogTail(20), "\n"))
				}
				if err := p.Signal(syscall.SIGTERM); !errors.Is(err, os.ErrProcessDone) {
					t.Errorf("signal after the end: %v", err)
				}
			})
		}
	})
}

func TestSignal(t *testing.T) {
	launchers(t, func(t *testing.T, l *sandbox.Launcher) {
		for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
			t.Run(sig.String(), func(t *testing.T) {
				line := newLine(t)
				p := start(t, l, spec(t, line, "serve"))
				conn := line.accept(t)
				if err := p.Signal(sig); err != nil {
					t.Fatal(err)
				}
				if got, err := bufio.NewReader(conn).ReadString('\n'); err != nil || got != sig.String()+"\n" {
					t.Errorf("got %q, %v", got, err)
				}
				wait(t, p)
				if code, signal, _ := p.Exit(); code != 0 || signal != "" {
					t.Errorf("ended with %d %s", code, signal)
				}
				if diff := cmp.Diff([]string{"got " + sig.String()}, p.LogTail(1)); diff != "" {
					t.Errorf("log (-want +got):\n%s", diff)
				}
			})
		}
	})
}

func TestUnhandledSignal(t *testing.T) {
	launchers(t, func(t *testing.T, l *sandbox.Launcher) {
		s := spec(t, newLine(t), "")
		s.Command = []string{"/bin/sleep", "600"}
		p := start(t, l, s)
		if err := p.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		wait(t, p)
		if code, signal, _ := p.Exit(); code != 143 || signal != "SIGTERM" {
			t.Errorf("ended with %d %s", code, signal)
		}
	})
}

func TestKill(t *testing.T) {
	launchers(t, func(t *testing.T, l *sandbox.Launcher) {
		s := spec(t, newLine(t), "")
		s.Command = []string{"/bin/sh", "-c", "trap '' TERM; echo deaf; while :; do sleep 600; done"}
		p := start(t, l, s)
		if err := p.Kill(); err != nil {
			t.Fatal(err)
		}
		select {
		case <-p.Done():
		default:
			t.Error("not gone after Kill")
		}
	})
}

func TestPause(t *testing.T) {
	launchers(t, func(t *testing.T, l *sandbox.Launcher) {
		line := newLine(t)
		p := start(t, l, spec(t, line, "serve"))
		conn := line.accept(t)
		if err := p.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Write([]byte("hello\n")); err != nil {
			t.Fatal(err)
		}
		// There is no other way to wait for silence.
		_ = conn.SetReadDeadline(time.Now().Add(200 * time.Millisecond))
		answer := make([]byte, 6)
		if _, err := conn.Read(answer); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatalf("answered while paused: %q, %v", answer, err)
		}
		if err := p.Signal(syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
		_ = conn.SetReadDeadline(time.Now().Add(patience))
		if _, err := io.ReadFull(conn, answer); err != nil || string(answer) != "hello\n" {
			t.Errorf("after the pause: %q, %v", answer, err)
		}
	})
}

func TestNothingIsLeft(t *testing.T) {
	launchers(t, func(t *testing.T, l *sandbox.Launcher) {
		t.Run("after Kill", func(t *testing.T) {
			line := newLine(t)
			p := start(t, l, spec(t, line, "parent"))
			conns := []net.Conn{line.accept(t), line.accept(t)}
			if err := p.Kill(); err != nil {
				t.Fatal(err)
			}
			if code, signal, _ := p.Exit(); code != 137 || signal != "SIGKILL" {
				t.Errorf("ended with %d %s", code, signal)
			}
			gone(t, conns[0])
			gone(t, conns[1])
		})
		t.Run("after the program", func(t *testing.T) {
			line := newLine(t)
			p := start(t, l, spec(t, line, "leave"))
			conn := line.accept(t)
			wait(t, p)
			gone(t, conn)
		})
	})
}

// When SIGKILL ends a bench, all its subjects end, even grandchildren in sessions of
// their own.
func TestKilledBench(t *testing.T) {
	for _, role := range []string{"bench", "plainbench"} {
		t.Run(role, func(t *testing.T) {
			line, dir := newLine(t), t.TempDir()
			bench := exec.Command("/proc/self/exe")
			bench.Env = append(os.Environ(), roleEnv+"="+role, lineEnv+"="+line.Addr().String(), "SUBJECT_DIR="+dir)
			bench.Stderr = t.Output()
			if err := bench.Start(); err != nil {
				t.Fatal(err)
			}
			// The bench itself, the subject and the subject's child.
			conns := []net.Conn{line.accept(t), line.accept(t), line.accept(t)}
			if err := bench.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = bench.Wait()
			for _, conn := range conns {
				gone(t, conn)
			}
		})
	}
}

// TestUsage: the CPU time, the memory and the open files of a program are measured.
func TestUsage(t *testing.T) {
	if err := sandbox.CheckUsage(); err != nil {
		t.Skip(err)
	}
	launchers(t, func(t *testing.T, l *sandbox.Launcher) {
		line := newLine(t)
		p := start(t, l, spec(t, line, "serve"))
		line.accept(t)
		usage, err := p.Usage()
		if err != nil || usage.Memory < 1<<20 || usage.Descriptors < 4 || usage.Processes != 1 {
			t.Errorf("a program with standard streams and a connection uses %+v (%v)", usage, err)
		}
	})
}

// TestFlood: a line of 100 MB costs neither memory nor disk, and the lines before and
// after it are kept.
func TestFlood(t *testing.T) {
	launchers(t, func(t *testing.T, l *sandbox.Launcher) {
		s := spec(t, newLine(t), "flood")
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		p := start(t, l, s)
		wait(t, p)
		runtime.ReadMemStats(&after)
		if _, _, panicked := p.Exit(); !panicked {
			t.Error("its panic was not seen")
		}
		log, err := os.ReadFile(s.Log)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{"the beginning\n", " bytes here]\n", "panic: the end\n"} {
			if !strings.Contains(string(log), part) {
				t.Errorf("the log lacks %q", part)
			}
		}
		tail := strings.Join(p.LogTail(20), "\n")
		if !strings.Contains(tail, "panic: the end\n") {
			t.Errorf("its last lines are %.200q", tail)
		}
		t.Logf("a log of %d bytes, last lines of %d, %d bytes allocated", len(log), len(tail), after.TotalAlloc-before.TotalAlloc)
		if len(log) > 6<<20 || len(tail) > 20<<10 || after.TotalAlloc-before.TotalAlloc > 32<<20 {
			t.Error("that is too much")
		}
	})
}
