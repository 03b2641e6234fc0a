package bench_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/envtest"
	"reconform.dev/reconform/envtest/supervisor"
	"reconform.dev/reconform/internal/bench"
	"reconform.dev/reconform/internal/bench/cluster"
	"reconform.dev/reconform/internal/process/sandbox"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
)

// roleEnv makes the test binary the controller under test.
const roleEnv = "BENCH_TEST_SUBJECT"

// stage is what all tests of this package share.
var stage struct {
	launcher *sandbox.Launcher
	bench    *bench.Bench
	client   client.Client
	recorder *history.Recorder
}

func TestMain(m *testing.M) {
	supervisor.Main()
	if role := os.Getenv(roleEnv); role != "" {
		beSubject(role)
	}
	log.SetLogger(logr.Discard())
	flag.Parse()
	if testing.Short() {
		os.Exit(m.Run())
	}
	code, err := onStage(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func onStage(m *testing.M) (code int, err error) {
	ctx := context.Background()
	work, err := os.MkdirTemp("", "bench-test-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(work)
	p, err := subjectProfile(work, "webapps")
	if err != nil {
		return 0, err
	}
	crds, err := bench.CRDs(p)
	if err != nil {
		return 0, err
	}
	controlPlane, err := envtest.Start(ctx, envtest.Options{WithoutPods: true, CRDs: crds})
	if err != nil {
		return 0, err
	}
	defer controlPlane.Stop(ctx)
	for _, crd := range crds {
		if crd.ResourceVersion != "" {
			return 0, fmt.Errorf("the CRD %s was changed: nobody can create it a second time", crd.Name)
		}
	}
	stage.recorder = history.New(nil, nil)
	if stage.launcher, err = sandbox.NewLauncher(ctx); err != nil {
		return 0, err
	}
	stage.bench, err = bench.Start(ctx, bench.Options{
		Config: controlPlane.Config(), Profile: p, Recorder: stage.recorder, WorkDir: work, LogDir: work, TimeoutScale: 1,
		Launcher: stage.launcher,
	})
	if err != nil {
		return 0, err
	}
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		return 0, err
	}
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return 0, err
	}
	if stage.client, err = client.New(controlPlane.Config(), client.Options{Scheme: scheme}); err != nil {
		return 0, err
	}
	code = m.Run()
	if err := stage.bench.Stop(ctx); err != nil {
		return code, err
	}
	return code, uninstall(ctx, controlPlane.Config())
}

// uninstall removes what the bench made, and checks that its webhook is gone. A webhook that
// nobody serves would refuse all objects of the bench.
func uninstall(ctx context.Context, config *rest.Config) error {
	if _, err := cluster.CleanAndKeep(ctx, config); err != nil {
		return err
	}
	var hooks admissionregistrationv1.ValidatingWebhookConfigurationList
	if err := stage.client.List(ctx, &hooks); err != nil {
		return err
	}
	if len(hooks.Items) > 0 {
		return fmt.Errorf("after Clean there is the hook %s", hooks.Items[0].Name)
	}
	return nil
}

// subjectProfile describes this test binary as a controller, in a role.
func subjectProfile(dir, role string) (*profile.Profile, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	config, err := filepath.Abs("../../controller/config")
	if err != nil {
		return nil, err
	}
	setup := "{apiVersion: v1, kind: ConfigMap, metadata: {name: everywhere}}\n---\n" +
		"{apiVersion: v1, kind: ConfigMap, metadata: {name: once, namespace: default}}\n"
	if err := os.WriteFile(filepath.Join(dir, "setup.yaml"), []byte(setup), 0o600); err != nil {
		return nil, err
	}
	// It takes a finalizer off.
	rights := "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: subject},\n" +
		" rules: [{apiGroups: [apps.kubedojo.io], resources: [webapps], verbs: [patch]}]}\n---\n" +
		"{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: subject},\n" +
		" roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: subject},\n" +
		" subjects: [{kind: ServiceAccount, name: webapp-controller, namespace: webapp-system}]}\n"
	if err := os.WriteFile(filepath.Join(dir, "rights.yaml"), []byte(rights), 0o600); err != nil {
		return nil, err
	}
	text := fmt.Sprintf(`apiVersion: reconform.dev/v1alpha1
kind: Profile
metadata: {name: subject}
spec:
  implementation: {name: subject}
  contract:
    resource: {group: apps.kubedojo.io, version: v1beta1, kind: WebApp, plural: webapps}
    spec: {image: {path: spec.image}, replicas: {path: spec.replicas}}
    children: {deployment: {name: "{{ .name }}", container: app}}
    defaults: {replicas: 2}
  claims: {unowned: refuse, cleanup: gc, times: {longestRetryPause: 1000s}}
  install: {crds: [%[1]s/crd/bases], rbac: [%[1]s/rbac, rights.yaml], setup: [setup.yaml]}
  launch: {command: [%[2]s], env: {%[3]s: %[4]s}}
`, config, self, roleEnv, role)
	return profile.Parse(filepath.Join(dir, "profile.yaml"), []byte(text))
}

// startsControlPlane skips a test that needs the stage if -short is given.
func startsControlPlane(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a control plane")
	}
}

// namespace creates the namespace of a new scenario, and returns its name.
func namespace(t *testing.T) string {
	t.Helper()
	startsControlPlane(t)
	n := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "scenario-"}}
	if err := stage.client.Create(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	return n.Name
}

// create creates the object, and deletes it at the end of the test.
func create[T client.Object](t *testing.T, object T) T {
	t.Helper()
	if err := stage.client.Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = client.IgnoreNotFound(stage.client.Delete(context.Background(), object))
	})
	return object
}

// refused checks that the webhook of the bench refuses the object.
func refused(t *testing.T, object client.Object, want string) {
	t.Helper()
	err := stage.client.Create(t.Context(), object)
	if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "bench.reconform.dev") || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: %v; want it refused: %s", object.GetName(), err, want)
	}
}

// await reads the object until it is as wanted.
func await[T client.Object](t *testing.T, object T, what string, wanted func(T) bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(30 * time.Second)
	for {
		if err := stage.client.Get(t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
			t.Fatal(err)
		}
		if wanted(object) {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("not %s: %+v", what, object)
		}
	}
}

func subjectIn(namespace string, edit func(*v1alpha1.SubjectSpec)) *v1alpha1.Subject {
	s := &v1alpha1.Subject{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "subject"}}
	s.Spec.Replicas = 1
	if edit != nil {
		edit(&s.Spec)
	}
	return s
}

func ready(count int32) func(*v1alpha1.Subject) bool {
	return func(s *v1alpha1.Subject) bool { return s.Status.Ready == count }
}

func webApp(namespace, name, image string) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"image": image}}}
	object.SetAPIVersion("apps.kubedojo.io/v1beta1")
	object.SetKind("WebApp")
	object.SetNamespace(namespace)
	object.SetName(name)
	return object
}

// reasons of the bench's events in a scenario.
func reasons(namespace string) string {
	var list []string
	for _, e := range stage.recorder.Events(namespace) {
		list = append(list, e.Reason)
	}
	return strings.Join(list, " ")
}

// inScenario selects the requests of a scenario after a record.
func inScenario(namespace string, after int64) history.Query {
	return history.Query{Scenario: namespace, After: after}
}
