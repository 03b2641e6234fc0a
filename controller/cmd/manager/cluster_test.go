package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"reconform.dev/reconform/controller/api/v1beta1"
	"reconform.dev/reconform/envtest"
	"reconform.dev/reconform/envtest/supervisor"
)

// asManager in the environment makes the test binary the manager.
const asManager = "WEBAPP_TEST_AS_MANAGER"

func TestMain(m *testing.M) {
	supervisor.Main()
	if os.Getenv(asManager) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// cluster is a control plane with the manager's CRD and RBAC, seen by an
// administrator.
type cluster struct {
	client.Client
	kubeconfig string // of the user that the manager acts as
}

// startCluster starts a control plane for the length of the test. It is skipped
// if there are no binaries.
func startCluster(t *testing.T) *cluster {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a control plane")
	}
	cp, err := envtest.Start(t.Context(), envtest.Options{CRDPaths: []string{"../../config/crd/bases"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cp.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1beta1.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	admin, err := client.New(cp.Config(), client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	user, err := cp.AddUser("webapp-controller")
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{Client: admin, kubeconfig: filepath.Join(t.TempDir(), "kubeconfig")}
	if err := clientcmd.WriteToFile(*kubeconfigOf(user), c.kubeconfig); err != nil {
		t.Fatal(err)
	}
	c.grant(t, "../../config/rbac/role.yaml", &rbacv1.ClusterRole{}, "")
	c.grant(t, "../../config/rbac/leader_election_role.yaml", &rbacv1.Role{}, metav1.NamespaceDefault)
	return c
}

// grant creates the role in a file, and binds the manager's user to it.
func (c *cluster) grant(t *testing.T, file string, role client.Object, namespace string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict(data, role); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	role.SetNamespace(namespace)
	kind := role.GetObjectKind().GroupVersionKind().Kind
	ref := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: kind, Name: role.GetName()}
	subjects := []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: "webapp-controller"}}
	meta := metav1.ObjectMeta{Name: role.GetName(), Namespace: namespace}
	var binding client.Object = &rbacv1.ClusterRoleBinding{ObjectMeta: meta, RoleRef: ref, Subjects: subjects}
	if namespace != "" {
		binding = &rbacv1.RoleBinding{ObjectMeta: meta, RoleRef: ref, Subjects: subjects}
	}
	c.create(t, role)
	c.create(t, binding)
}

func kubeconfigOf(config *rest.Config) *clientcmdapi.Config {
	kc := clientcmdapi.NewConfig()
	kc.Clusters["test"] = &clientcmdapi.Cluster{Server: config.Host, CertificateAuthorityData: config.CAData}
	kc.AuthInfos["test"] = &clientcmdapi.AuthInfo{ClientCertificateData: config.CertData, ClientKeyData: config.KeyData}
	kc.Contexts["test"] = &clientcmdapi.Context{Cluster: "test", AuthInfo: "test"}
	kc.CurrentContext = "test"
	return kc
}

func (c *cluster) create(t *testing.T, obj client.Object) {
	t.Helper()
	if err := c.Create(t.Context(), obj); err != nil {
		t.Fatal(err)
	}
}

// namespace creates a namespace named after the test.
func (c *cluster) namespace(t *testing.T) string {
	t.Helper()
	_, name, _ := strings.Cut(strings.ToLower(t.Name()), "/")
	c.create(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
	return name
}

// edit changes an object as a person does: without regard to conflicts.
func edit[T client.Object](t *testing.T, c *cluster, obj T, change func(T)) {
	t.Helper()
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(obj), obj); err != nil {
		t.Fatal(err)
	}
	before := obj.DeepCopyObject().(client.Object)
	change(obj)
	if err := c.Patch(t.Context(), obj, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
}

// eventually polls until the check returns "", and reports what it returned
// last if that does not happen in time.
func eventually(t *testing.T, check func() string) {
	t.Helper()
	const patience = 30 * time.Second
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		problem := check()
		if problem == "" {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("after %s: %s", patience, problem)
		case <-tick.C:
		}
	}
}

// hasPhase waits until the WebApp of its generation is in a phase.
func (c *cluster) hasPhase(t *testing.T, app *v1beta1.WebApp, want v1beta1.Phase) {
	t.Helper()
	eventually(t, func() string {
		if err := c.Get(t.Context(), client.ObjectKeyFromObject(app), app); err != nil {
			return err.Error()
		}
		if app.Status.Phase != want || app.Status.ObservedGeneration != app.Generation {
			return fmt.Sprintf("want phase %s, have status %+v", want, app.Status)
		}
		return ""
	})
}

// hasEvents waits until the events of a namespace's WebApps are those, as notes
// by reason.
func (c *cluster) hasEvents(t *testing.T, namespace string, want map[string]string) {
	t.Helper()
	eventually(t, func() string {
		var list eventsv1.EventList
		if err := c.List(t.Context(), &list, client.InNamespace(namespace)); err != nil {
			return err.Error()
		}
		got := map[string]string{}
		for _, e := range list.Items {
			if e.Regarding.Kind == "WebApp" {
				got[e.Reason] = e.Note
			}
		}
		return cmp.Diff(want, got)
	})
}

// deploymentOf returns the Deployment of a WebApp.
func (c *cluster) deploymentOf(t *testing.T, app *v1beta1.WebApp) *appsv1.Deployment {
	t.Helper()
	d := &appsv1.Deployment{}
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(app), d); err != nil {
		t.Fatal(err)
	}
	return d
}

// process is a running manager.
type process struct {
	*supervisor.Cmd
	probes, metrics string
	log             *bytes.Buffer
}

// startManager starts a manager, and waits until it serves its
// probes and metrics.
func (c *cluster) startManager(t *testing.T, args ...string) *process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{probes: freeAddress(t), metrics: freeAddress(t), log: &bytes.Buffer{}}
	args = append([]string{"--health-probe-bind-address", p.probes, "--metrics-bind-address", p.metrics}, args...)
	if p.Cmd, err = supervisor.Command(context.WithoutCancel(t.Context()), supervisor.Options{}, self, args...); err != nil {
		t.Fatal(err)
	}
	p.Env = append(os.Environ(), asManager+"=1", "KUBECONFIG="+c.kubeconfig)
	p.Stderr = p.log
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if p.ProcessState == nil {
			p.stop(t, syscall.SIGTERM)
		}
		if t.Failed() {
			t.Logf("log of the manager:\n%s", p.log)
		}
	})
	eventually(t, func() string { return get(p.probes, "healthz") })
	eventually(t, func() string { return get(p.metrics, "metrics") })
	return p
}

// stop sends a signal and waits for the end, which must be a success.
func (p *process) stop(t *testing.T, signal syscall.Signal) {
	t.Helper()
	if err := p.Process.Signal(signal); err != nil {
		t.Error(err)
	}
	if err := p.Wait(); err != nil {
		t.Errorf("the manager ended on %s with: %v", signal, err)
	}
}

// ready returns what the manager says is missing.
func (p *process) ready() string { return get(p.probes, "readyz") }

// get asks for a path and returns what is wrong with the answer.
func get(address, path string) string {
	resp, err := http.Get("http://" + address + "/" + path)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		return fmt.Sprintf("%s: %s: %s %v", path, resp.Status, body, err)
	}
	return ""
}

// sum adds the samples of a metric whose labels have the given values.
func (p *process) sum(t *testing.T, metric string, labels map[string][]string) float64 {
	t.Helper()
	resp, err := http.Get("http://" + p.metrics + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	total := 0.0
sample:
	for _, m := range families[metric].GetMetric() {
		for _, l := range m.Label {
			if want, ok := labels[l.GetName()]; ok && !slices.Contains(want, l.GetValue()) {
				continue sample
			}
		}
		total += m.GetCounter().GetValue() + m.GetGauge().GetValue()
	}
	return total
}

// writes returns how many requests of the manager were writes, Events included.
func (p *process) writes(t *testing.T) float64 {
	return p.sum(t, "rest_client_requests_total", map[string][]string{"method": {"POST", "PUT", "PATCH", "DELETE"}})
}

// reconciles returns how many reconciles of existing WebApps there were.
func (p *process) reconciles(t *testing.T) float64 {
	return p.sum(t, "webapp_reconcile_total", nil)
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
