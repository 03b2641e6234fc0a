package e2e

import (
	"bytes"
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"helm.sh/helm/v4/pkg/action"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/kube"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"sigs.k8s.io/e2e-framework/pkg/envconf"
	"sigs.k8s.io/e2e-framework/pkg/features"
)

const (
	system = "webapp-system"
	// shippedReady is how soon the shipped manifests must have a ready controller.
	shippedReady = time.Minute
	patience     = 2 * time.Minute
)

// webApp serves with the image that stands in for others: it answers every request.
const webApp = `
apiVersion: apps.kubedojo.io/v1beta1
kind: WebApp
metadata: {name: hello, namespace: default}
spec: {image: "registry.example/reconform-pod:v1", replicas: 2, port: 8080}
`

// installation is a way to install the controller.
type installation struct {
	install, remove func(*testing.T, *envconf.Config)
}

func kustomization(folder string) installation {
	do := func(verb string) func(*testing.T, *envconf.Config) {
		return func(t *testing.T, c *envconf.Config) { kubectl(t, c, "", verb, "-k", folder) }
	}
	return installation{do("apply"), do("delete")}
}

// TestInstall installs the controller in each way that it is shipped, has it serve a
// WebApp, and removes it again.
func TestInstall(t *testing.T) {
	for name, way := range map[string]installation{
		"kustomize":              kustomization("../controller/config/default"),
		"kustomize with metrics": kustomization("../controller/config/metrics"),
		"helm":                   {installChart, removeChart},
	} {
		feature := features.New("installed by "+name).
			Assess("serves a WebApp", func(ctx context.Context, t *testing.T, config *envconf.Config) context.Context {
				before := everything(t, config)
				way.install(t, config)
				began := time.Now()
				kubectl(t, config, "", "rollout", "status", "deployment/webapp-controller", "-n", system, "--timeout", shippedReady.String())
				t.Logf("ready after %s", time.Since(began).Round(time.Second))
				kubectl(t, config, webApp, "apply", "-f", "-")
				kubectl(t, config, "", "wait", "webapp/hello", "--for=jsonpath={.status.phase}=Running", "--timeout", patience.String())
				answers(t, config)
				failOver(t, config)
				rollOut(t, config)
				// The garbage collector knows no owners whose definition is gone.
				kubectl(t, config, webApp, "delete", "-f", "-", "--cascade=foreground")
				way.remove(t, config)
				await(t, config, before)
				return ctx
			})
		testenv.Test(t, feature.Feature())
	}
}

// answers asks the WebApp's Service, by way of the API server. kubectl fails where it gets
// no good answer.
func answers(t *testing.T, config *envconf.Config) {
	t.Helper()
	kubectl(t, config, "", "get", "--raw", "/api/v1/namespaces/default/services/hello:8080/proxy/")
}

// failOver deletes the leader's Pod: another one acts, and the WebApp is served further.
func failOver(t *testing.T, config *envconf.Config) {
	t.Helper()
	holder := func() string {
		return kubectl(t, config, "", "get", "lease", "webapp-controller", "-n", system, "-o", "jsonpath={.spec.holderIdentity}")
	}
	first := holder()
	pod, _, _ := strings.Cut(first, "_")
	kubectl(t, config, "", "delete", "pod", pod, "-n", system, "--wait=false")
	err := wait.PollUntilContextTimeout(t.Context(), time.Second, patience, true, func(context.Context) (bool, error) {
		now := holder()
		return now != "" && now != first, nil
	})
	if err != nil {
		t.Errorf("no other replica leads than %s: %v", first, err)
	}
	kubectl(t, config, "", "scale", "deployment/hello", "--replicas=1")
	kubectl(t, config, "", "wait", "deployment/hello", "--for=jsonpath={.spec.replicas}=2", "--timeout", patience.String())
}

// rollOut replaces all Pods of the controller, by those of another image: that changes
// nothing of what is at rest, and a change made meanwhile is not lost.
func rollOut(t *testing.T, config *envconf.Config) {
	t.Helper()
	kubectl(t, config, "", "rollout", "status", "deployment/hello", "--timeout", patience.String())
	versions := func() string {
		return kubectl(t, config, "", "get", "deployment/hello", "service/hello", "-o", "jsonpath={.items[*].metadata.generation} {.items[*].metadata.uid}")
	}
	before := versions()
	update := func(image string) {
		kubectl(t, config, "", "set", "image", "deployment/webapp-controller", "*="+image, "-n", system)
	}
	update(nextImage)
	kubectl(t, config, "", "rollout", "status", "deployment/webapp-controller", "-n", system, "--timeout", patience.String())
	if diff := cmp.Diff(before, versions()); diff != "" {
		t.Errorf("a new version of the controller changed what was at rest (-before +after):\n%s", diff)
	}
	update(controllerImage)
	kubectl(t, config, "", "patch", "webapp/hello", "--type=merge", "-p", `{"spec":{"replicas":3}}`)
	kubectl(t, config, "", "wait", "deployment/hello", "--for=jsonpath={.spec.replicas}=3", "--timeout", patience.String())
	kubectl(t, config, "", "rollout", "status", "deployment/webapp-controller", "-n", system, "--timeout", patience.String())
}

// kubectl runs it, and gives its output.
func kubectl(t *testing.T, config *envconf.Config, input string, args ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "kubectl", append([]string{"--kubeconfig", config.KubeconfigFile()}, args...)...)
	command.Stdin = strings.NewReader(input)
	var out, words bytes.Buffer
	command.Stdout, command.Stderr = &out, &words
	if err := command.Run(); err != nil {
		t.Fatalf("kubectl %s: %v: %s", strings.Join(args, " "), err, words.String())
	}
	return out.String()
}

func helm(t *testing.T, config *envconf.Config) *action.Configuration {
	t.Helper()
	flags := genericclioptions.NewConfigFlags(false)
	namespace, file := system, config.KubeconfigFile()
	flags.Namespace, flags.KubeConfig = &namespace, &file
	helm := action.NewConfiguration()
	if err := helm.Init(flags, system, "secret"); err != nil {
		t.Fatal("preparing Helm:", err)
	}
	return helm
}

func installChart(t *testing.T, config *envconf.Config) {
	dir, err := filepath.Abs("../controller/chart")
	if err != nil {
		t.Fatal(err)
	}
	chart, err := loader.LoadDir(dir)
	if err != nil {
		t.Fatal("reading the chart:", err)
	}
	install := action.NewInstall(helm(t, config))
	install.ReleaseName, install.Namespace, install.CreateNamespace = "webapp-controller", system, true
	install.WaitStrategy = kube.HookOnlyStrategy
	values := map[string]any{"image": map[string]any{"tag": "latest"}}
	if _, err := install.RunWithContext(t.Context(), chart, values); err != nil {
		t.Fatal("installing the chart:", err)
	}
}

// removeChart removes what Helm leaves, too: definitions and namespaces.
func removeChart(t *testing.T, config *envconf.Config) {
	uninstall := action.NewUninstall(helm(t, config))
	uninstall.WaitStrategy = kube.HookOnlyStrategy
	if _, err := uninstall.Run("webapp-controller"); err != nil {
		t.Fatal("removing the chart:", err)
	}
	kubectl(t, config, "", "delete", "crd", "webapps.apps.kubedojo.io")
	kubectl(t, config, "", "delete", "namespace", system)
}
