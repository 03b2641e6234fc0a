//go:build unix

package sandbox_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/internal/process/sandbox"
)

// reachEnv lists addresses that a subject tries to reach, separated by commas.
const reachEnv = "SUBJECT_REACH"

// network serves the subject's name on a fixed port, and says what it reaches.
func network() {
	name, _ := os.Hostname()
	listener, err := net.Listen("tcp", "127.0.0.1:8080")
	if err != nil {
		panic(err)
	}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			fmt.Fprint(conn, name)
			conn.Close()
		}
	}()
	found := map[string]string{}
	for address := range strings.SplitSeq(os.Getenv(reachEnv), ",") {
		found[address] = reach(address)
	}
	conn := connect()
	if err := json.NewEncoder(conn).Encode(found); err != nil {
		panic(err)
	}
	select {}
}

// reach is what answers at an address, or why nothing does.
func reach(address string) string {
	kind := "tcp"
	if strings.HasPrefix(address, "@") {
		kind = "unix"
	}
	conn, err := net.DialTimeout(kind, address, 5*time.Second)
	if err != nil {
		return "nothing"
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(5 * time.Second))
	said, _ := io.ReadAll(conn)
	return string(said)
}

// saying has a listener say a word to all that connect.
func saying(t *testing.T, network, address, word string) net.Listener {
	t.Helper()
	listener, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	sayTo(listener, word)
	return listener
}

func sayTo(listener net.Listener, word string) {
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(conn, word)
			conn.Close()
		}
	}()
}

func withNetwork(t *testing.T) *sandbox.Launcher {
	t.Helper()
	l := isolated(t)
	if !l.OwnNetwork() {
		t.Skipf("this machine gives no network of its own: %v", l.Isolation())
	}
	return l
}

// TestOwnNetwork: a subject reaches the API server and the addresses that it has asked
// for, and nothing else on the machine.
func TestOwnNetwork(t *testing.T) {
	l, line := withNetwork(t), newLine(t)
	machine := saying(t, "tcp", "127.0.0.1:0", "the machine").Addr().String()
	hidden := saying(t, "unix", fmt.Sprintf("@reconform-%d", os.Getpid()), "the machine").Addr().String()
	allowed := saying(t, "tcp", "127.0.0.1:0", "allowed").Addr().String()
	_, port, err := net.SplitHostPort(saying(t, "tcp", "localhost:0", "by name").Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	s := spec(t, line, "network")
	s.Host, s.Port = "127.96.0.1", "443"
	s.Serve = func(api net.Listener) { sayTo(api, "the API server") }
	s.Outside = []string{allowed, "localhost:" + port}
	// The name has its own line in /etc/hosts, behind that of the loopback.
	named := "127.97.0.2:" + port
	reached := []string{"127.96.0.1:443", "kubernetes:443", allowed, named, machine, hidden, "169.254.169.254:80"}
	s.Env[reachEnv] = strings.Join(reached, ",")
	start(t, l, s)
	var got map[string]string
	if err := json.NewDecoder(line.accept(t)).Decode(&got); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"127.96.0.1:443": "the API server", "kubernetes:443": "the API server",
		allowed: "allowed", named: "by name",
		machine: "nothing", hidden: "nothing", "169.254.169.254:80": "nothing",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what it reaches (-want +got):\n%s", diff)
	}
}

// TestDial: two subjects serve the same port side by side, and the bench reaches each.
func TestDial(t *testing.T) {
	l := withNetwork(t)
	var processes []*sandbox.Process
	var api net.Listener
	for _, name := range []string{"subject-0", "subject-1"} {
		line := newLine(t)
		s := spec(t, line, "network")
		s.Name, s.Host, s.Port = name, "127.96.0.1", "443"
		s.Serve = func(listener net.Listener) { api = listener }
		s.Env[reachEnv] = "127.0.0.1:1"
		p := start(t, l, s)
		line.accept(t)
		processes = append(processes, p)
		if got := dial(t, p, "127.0.0.1:8080"); got != name {
			t.Errorf("at port 8080: %q, want %q", got, name)
		}
	}
	if got := dial(t, processes[0], "127.0.0.1:8080"); got != "subject-0" {
		t.Errorf("at port 8080 of the first: %q", got)
	}
	if _, err := processes[0].Dial(t.Context(), "tcp", "127.0.0.1:1"); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("where nobody listens: %v", err)
	}
	if err := processes[1].Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := processes[1].Dial(t.Context(), "tcp", "127.0.0.1:8080"); err == nil {
		t.Error("connected to a process that is gone")
	}
	if _, err := api.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("the listener of a process that is gone: %v", err)
	}
}

func dial(t *testing.T, p *sandbox.Process, address string) string {
	t.Helper()
	conn, err := p.Dial(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	said, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	return string(said)
}
