package envtest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/yaml"
)

// gone waits until no process has text in its command line.
func gone(t *testing.T, text string) {
	t.Helper()
	eventually(t, soon, func() error {
		if left := processes(t, text); len(left) > 0 {
			return fmt.Errorf("processes left: %v", left)
		}
		return nil
	})
}

func TestKilledParentLeavesNothing(t *testing.T) {
	startsControlPlane(t)
	t.Parallel()
	dir := tempDir(t)
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), parentEnv+"=1", "TMPDIR="+dir)
	stdout, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	parent.Stderr = os.Stderr
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = parent.Process.Kill()
		_ = parent.Wait()
	})
	if line, err := bufio.NewReader(stdout).ReadString('\n'); line != "ready\n" {
		t.Fatalf("the parent says %q, %v", line, err)
	}
	// Five components, five supervisors.
	if running := processes(t, dir); len(running) < 10 {
		t.Fatalf("found %d processes of the control plane, want 10", len(running))
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	gone(t, dir)
	eventually(t, soon, func() error {
		left, err := os.ReadDir(dir)
		if err != nil || len(left) > 0 {
			return fmt.Errorf("left in the temporary folder: %v, %v", left, err)
		}
		return nil
	})
}

// TestSideBySide starts a second control plane, without Pods, in a folder that the
// caller names. At first one of its ports is taken, and in the end it breaks.
func TestSideBySide(t *testing.T) {
	t.Parallel()
	first := sharedControlPlane(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	dir := tempDir(t)
	work := filepath.Join(dir, "work")
	tried := false
	var messages []string
	var mu sync.Mutex
	opts := Options{
		WorkDir: work, RemoveIfKilled: dir, WithoutPods: true, // it is stopped
		Progress: func(message string) {
			mu.Lock()
			defer mu.Unlock()
			messages = append(messages, message)
		},
		port: func() (int, error) {
			if firstPort := taken.Addr().(*net.TCPAddr).Port; !tried {
				tried = true
				return firstPort, nil
			}
			return freePort()
		},
	}
	second, err := Start(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Stop(context.Background())
	if !strings.Contains(strings.Join(messages, "\n"), "a port was taken") {
		t.Errorf("no message about the taken port in %q", messages)
	}

	if _, err := Start(t.Context(), Options{WorkDir: work}); err == nil || !strings.Contains(err.Error(), "in use by another") {
		t.Errorf("a third in the folder of the second: %v", err)
	}
	if first.Config().Host == second.Config().Host {
		t.Errorf("both listen at %s", first.Config().Host)
	}
	c, err := kubernetes.NewForConfig(second.Config())
	if err != nil {
		t.Fatal(err)
	}
	create(t, c, "default", deployment("demo", "example/app:1", 1))
	awaitCounts(t, c, "default", 1, 1)
	if nodes, err := c.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{}); err != nil || len(nodes.Items) > 0 {
		t.Errorf("Nodes without Pods: %v, %v", nodes, err)
	}
	expectPrivate(t, second, work)

	// Not the supervisor, which is started by a link in the work directory.
	for _, pid := range processes(t, filepath.Join(second.AssetsDir(), etcd)+"\x00") {
		if slices.Contains(processes(t, filepath.Join(work, "etcd")), pid) {
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
		}
	}
	select {
	case <-second.Done():
	case <-time.After(soon):
		t.Fatal("etcd was killed, and Done is still open")
	}
	if err := second.Err(); err == nil || !strings.Contains(err.Error(), "etcd: ended unexpectedly") || !strings.Contains(err.Error(), "signal: killed") {
		t.Errorf("the control plane is broken by: %v", err)
	}
	if err := second.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if left := processes(t, dir); len(left) > 0 {
		t.Errorf("processes left after Stop: %v", left)
	}
	if left, err := os.ReadDir(work); err != nil || len(left) != 2 { // the marker and the logs
		t.Errorf("left in the work directory: %v, %v", left, err)
	}
	if err := first.Err(); err != nil {
		t.Errorf("the first control plane: %v", err)
	}
}

// expectPrivate checks that other users can read nothing of a running control plane.
func expectPrivate(t *testing.T, cp *ControlPlane, work string) {
	t.Helper()
	kubeconfig := filepath.Join(work, "written")
	if err := os.WriteFile(kubeconfig, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := cp.WriteKubeconfig(kubeconfig); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]fs.FileMode{
		work: 0o700, kubeconfig: 0o600, filepath.Join(work, "kubeconfig"): 0o600, filepath.Join(cp.LogDir(), "etcd.log"): 0o600,
	} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %v, want %v", path, got, want)
		}
	}
	if err := os.Remove(kubeconfig); err != nil {
		t.Fatal(err)
	}
}

func TestCancelledStartLeavesNothing(t *testing.T) {
	startsControlPlane(t)
	t.Parallel()
	// The second definition is never served, because the first one has its kind.
	var twice []*apiextensionsv1.CustomResourceDefinition
	for _, plural := range []string{"gadgets", "others"} {
		crd := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.UnmarshalStrict([]byte(definition(plural)), crd); err != nil {
			t.Fatal(err)
		}
		twice = append(twice, crd)
	}
	for _, at := range []string{"starting etcd and kube-apiserver", "installing custom resource definitions", "starting the controllers"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			dir := tempDir(t)
			stopped := errors.New("no longer wanted")
			ctx, cancel := context.WithCancelCause(t.Context())
			var cancelled time.Time
			opts := Options{WorkDir: dir, Progress: func(message string) {
				if message == at {
					cancelled = time.Now()
					cancel(stopped)
				}
			}}
			if strings.HasPrefix(at, "installing") {
				opts.CRDs = twice
			}
			if _, err := Start(ctx, opts); !errors.Is(err, stopped) {
				t.Errorf("cancelled start: %v, want %v", err, stopped)
			}
			if took := time.Since(cancelled); took > startTimeout/2 {
				t.Errorf("it ended %v after it was cancelled", took)
			}
			if left := processes(t, dir); len(left) > 0 {
				t.Errorf("processes left: %v", left)
			}
		})
	}
}
