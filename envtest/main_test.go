package envtest

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// parentEnv makes this test's binary a program that starts a control plane and waits to
// be killed.
const parentEnv = "ENVTEST_PARENT"

// otherEnv is the kubeconfig of another cluster on which TestWhatAClusterHas is to run. Its
// nodes have what those of the local control plane have: a zone each, and two GPUs; and the
// image otherImage. There are volumes for claims of the default class, and metrics of Pods.
const (
	otherEnv   = "ENVTEST_KUBECONFIG"
	otherImage = "registry.example/reconform-pod:v1"
)

// onOther says whether the tests run on another cluster.
func onOther() bool { return os.Getenv(otherEnv) != "" }

// image is one that Pods can run. On the local control plane nothing runs.
func image() string {
	if onOther() {
		return otherImage
	}
	return "example/app:1"
}

func TestMain(m *testing.M) {
	Main()
	if os.Getenv(sharerEnv) != "" {
		runSharer()
	}
	if os.Getenv(parentEnv) != "" {
		if _, err := Start(context.Background(), Options{}); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("ready")
		select {}
	}
	flag.Parse()
	if testing.Short() {
		// An example cannot skip itself, and each of them starts a control plane.
		if err := flag.Set("test.skip", "^Example"); err != nil {
			panic(err)
		}
	}
	code := m.Run()
	if testing.Short() || onOther() {
		os.Exit(code)
	}
	if cp, _ := shared(); cp != nil {
		if err := cp.Stop(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// gpu is a resource that each Node of the shared control plane has.
const gpu corev1.ResourceName = "nvidia.com/gpu"

// shared is the control plane of all tests that do not break it.
var shared = sync.OnceValues(func() (*ControlPlane, error) {
	cp, err := Start(context.Background(), Options{
		CRDPaths: []string{"testdata"}, ExtendedResources: corev1.ResourceList{gpu: resource.MustParse("2")},
	})
	if err == nil {
		fmt.Println("shared control plane:", cp.Phases())
	}
	return cp, err
})

func sharedControlPlane(t *testing.T) *ControlPlane {
	t.Helper()
	startsControlPlane(t)
	cp, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return cp
}

// startsControlPlane skips a test that starts a control plane if the tests are to be short.
func startsControlPlane(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a control plane")
	}
}

// needsBinaries skips a test that needs the binaries of the control plane, which are built
// by make assets, if the tests are to be short.
func needsBinaries(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("needs the binaries of the control plane")
	}
}

// client returns access to the shared control plane, or to the other cluster, and a new
// namespace there.
func client(t *testing.T) (kubernetes.Interface, string) {
	t.Helper()
	var config *rest.Config
	if onOther() {
		var err error
		if config, err = clientcmd.BuildConfigFromFlags("", os.Getenv(otherEnv)); err != nil {
			t.Fatal(err)
		}
	} else {
		config = sharedControlPlane(t).Config()
	}
	c, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	namespace, err := c.CoreV1().Namespaces().Create(t.Context(),
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if onOther() {
		t.Cleanup(func() {
			if err := c.CoreV1().Namespaces().Delete(context.Background(), namespace.Name, metav1.DeleteOptions{}); err != nil {
				t.Error(err)
			}
		})
	}
	return c, namespace.Name
}

// eventually polls until check returns nil, and fails the test if it does not in time.
func eventually(t *testing.T, timeout time.Duration, check func() error) {
	t.Helper()
	if onOther() {
		timeout *= 6 // containers start and end, and the autoscaler looks each 15 seconds
	}
	deadline := time.After(timeout)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		err := check()
		if err == nil {
			return
		}
		select {
		case <-deadline:
			t.Fatalf("not within %v: %v", timeout, err)
		case <-tick.C:
		}
	}
}

// processes returns the ids of all processes with text in their command line.
func processes(t *testing.T, text string) []int {
	t.Helper()
	commandLines := map[string][]byte{}
	if runtime.GOOS == "linux" {
		files, err := filepath.Glob("/proc/[0-9]*/cmdline")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if data, err := os.ReadFile(file); err == nil {
				commandLines[filepath.Base(filepath.Dir(file))] = data
			}
		}
	} else {
		out, err := exec.Command("ps", "-axww", "-o", "pid=", "-o", "args=").Output()
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(out) {
			if pid, args, ok := strings.Cut(strings.TrimSpace(string(line)), " "); ok {
				commandLines[pid] = []byte(args)
			}
		}
	}
	var pids []int
	for pid, commandLine := range commandLines {
		if !bytes.Contains(commandLine, []byte(text)) {
			continue
		}
		id, err := strconv.Atoi(pid)
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, id)
	}
	return pids
}

// tempDir is a folder with a short path, whose name is found in the command lines of
// the processes that use it.
func tempDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "envtest-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}
