package envtest

import (
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// TestAnonymous: without credentials, a client learns only that the API server is
// healthy.
func TestAnonymous(t *testing.T) {
	t.Parallel()
	anonymous := rest.AnonymousClientConfig(sharedControlPlane(t).Config())
	client, err := rest.HTTPClientFor(anonymous)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]int{
		"/healthz": http.StatusOK, "/version": http.StatusUnauthorized, "/api": http.StatusUnauthorized,
		"/api/v1/secrets": http.StatusUnauthorized,
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, strings.TrimSuffix(anonymous.Host, "/")+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("%s: %d, want %d", path, response.StatusCode, want)
		}
	}
}

// TestNamesake: a user with the name of the administrator, but without the group, has
// no rights.
func TestNamesake(t *testing.T) {
	t.Parallel()
	config, err := sharedControlPlane(t).AddUser(admin)
	if err != nil {
		t.Fatal(err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.CoreV1().Secrets("").List(t.Context(), metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("a namesake of the administrator asks for Secrets: %v, want that it is forbidden", err)
	}
}

// TestEtcdSocket: etcd listens at a socket that only this user can use.
func TestEtcdSocket(t *testing.T) {
	t.Parallel()
	path := sharedControlPlane(t).work.path
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		t.Errorf("others can enter %s: %v", path, info.Mode())
	}
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "unix", sharedControlPlane(t).work.join("etcd.sock"))
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
}

// TestLongWorkDir: the path of a socket must be short, but the path of the work folder
// may be long.
func TestLongWorkDir(t *testing.T) {
	startsControlPlane(t)
	t.Parallel()
	cp, err := Start(t.Context(), Options{WorkDir: t.TempDir() + "/" + strings.Repeat("long", 30), WithoutPods: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := cp.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestThereIsNoKubelet: who asks for logs, or wants to execute something, learns at once why that
// is not possible.
func TestThereIsNoKubelet(t *testing.T) {
	t.Parallel()
	c, namespace := client(t)
	createPod(t, c, namespace, pod(corev1.RestartPolicyAlways, "example/app:1", nil))
	awaitPod(t, c, namespace, "demo")
	// A code below 500 would blame the controller that asks.
	_, err := c.CoreV1().Pods(namespace).GetLogs("demo", &corev1.PodLogOptions{}).Stream(t.Context())
	if !apierrors.IsInternalError(err) || !strings.Contains(err.Error(), noKubelet) {
		t.Errorf("logs: error %v, want an internal one with %q", err, noKubelet)
	}
	cp := sharedControlPlane(t)
	for _, command := range []string{"logs demo", "exec demo -- date", "attach demo", "port-forward demo :80"} {
		args := append([]string{"--kubeconfig", cp.work.join("kubeconfig"), "--namespace", namespace}, strings.Fields(command)...)
		kubectl := exec.CommandContext(t.Context(), filepath.Join(cp.AssetsDir(), "kubectl"), args...)
		if out, err := kubectl.CombinedOutput(); err == nil || !strings.Contains(string(out), noKubelet) {
			t.Errorf("kubectl %s: %v, and it says %q", command, err, out)
		}
	}
}
