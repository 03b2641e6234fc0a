package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	apiwait "k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/e2e-framework/klient/k8s"
	"sigs.k8s.io/e2e-framework/klient/wait"
	"sigs.k8s.io/e2e-framework/klient/wait/conditions"
	"sigs.k8s.io/e2e-framework/pkg/envconf"
)

// patience bounds how long something may take that takes seconds on an idle machine.
const patience = 2 * time.Minute

// within waits until a condition of e2e-framework holds, for so long at most.
func within(t *testing.T, limit time.Duration, condition apiwait.ConditionWithContextFunc) error {
	t.Helper()
	return wait.For(condition, wait.WithContext(t.Context()), wait.WithTimeout(limit), wait.WithInterval(time.Second), wait.WithImmediate())
}

// become waits until an object is as it should be. It reads it into object.
func become(t *testing.T, config *envconf.Config, object k8s.Object, is func(k8s.Object) bool) {
	t.Helper()
	began := time.Now()
	name := fmt.Sprintf("%s/%s (%T)", object.GetNamespace(), object.GetName(), object)
	if err := within(t, patience, conditions.New(config.Client().Resources()).ResourceMatch(object, is)); err != nil {
		text, _ := json.Marshal(object)
		t.Fatalf("%s does not become what it should be: %v: %s", name, err, text)
	}
	t.Logf("%s is as it should be after %s", name, time.Since(began).Round(time.Second))
}

// removed deletes an object, after what it owns, and waits until it is gone.
func removed(t *testing.T, config *envconf.Config, object k8s.Object) {
	t.Helper()
	resources := config.Client().Resources()
	// The garbage collector knows no owners whose definition is gone.
	foreground := func(o *metav1.DeleteOptions) { o.PropagationPolicy = new(metav1.DeletePropagationForeground) }
	if err := resources.Delete(t.Context(), object, foreground); err != nil {
		t.Fatal(err)
	}
	if err := within(t, patience, conditions.New(resources).ResourceDeleted(object)); err != nil {
		t.Fatalf("deleting %T %s/%s: %v", object, object.GetNamespace(), object.GetName(), err)
	}
}

// patch changes an object by a merge patch.
func patch(t *testing.T, config *envconf.Config, object k8s.Object, text string) {
	t.Helper()
	if err := config.Client().Resources().Patch(t.Context(), object, k8s.Patch{PatchType: types.MergePatchType, Data: []byte(text)}); err != nil {
		t.Fatal(err)
	}
}

func deployment(namespace, name string) *appsv1.Deployment {
	return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
}

// rolledOut expects that all Pods of a Deployment are of its newest template, and ready.
func rolledOut(object k8s.Object) bool {
	d := object.(*appsv1.Deployment)
	s, all := d.Status, *d.Spec.Replicas
	return s.ObservedGeneration == d.Generation && s.Replicas == all && s.UpdatedReplicas == all && s.AvailableReplicas == all
}

// scaled expects so many replicas of a Deployment.
func scaled(replicas int32) func(k8s.Object) bool {
	return func(object k8s.Object) bool { return *object.(*appsv1.Deployment).Spec.Replicas == replicas }
}

// get asks a Service, by way of the API server, and returns the answer.
func get(t *testing.T, config *envconf.Config, namespace, service string, port int, path string) []byte {
	t.Helper()
	answer, err := clientset(t, config).CoreV1().Services(namespace).ProxyGet("", service, strconv.Itoa(port), path, nil).DoRaw(t.Context())
	if err != nil {
		t.Fatalf("asking %s/%s for %s: %v", namespace, service, path, err)
	}
	return answer
}

func clientset(t *testing.T, config *envconf.Config) kubernetes.Interface {
	t.Helper()
	c, err := kubernetes.NewForConfig(config.Client().RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// kubectl runs it.
func kubectl(t *testing.T, config *envconf.Config, args ...string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "kubectl", append([]string{"--kubeconfig", config.KubeconfigFile()}, args...)...)
	var words bytes.Buffer
	command.Stderr = &words
	if err := command.Run(); err != nil {
		t.Fatalf("kubectl %s: %v: %s", strings.Join(args, " "), err, words.String())
	}
}
