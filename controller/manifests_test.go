package controller_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/engine"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

const systemNamespace = "webapp-system"

// Whoever installs the chart gets what the kustomizations make, except for the namespace.
func TestChartEqualsKustomizations(t *testing.T) {
	for name, tc := range map[string]struct {
		kustomization string
		values        map[string]any
	}{
		"default": {kustomization: "config/default"},
		"metrics": {
			kustomization: "config/metrics",
			values: map[string]any{
				"metrics":       map[string]any{"enabled": true},
				"networkPolicy": map[string]any{"enabled": true},
			},
		},
		"another image": {
			kustomization: overlay(t, "config/default", "images: [{name: webapp-controller, newName: registry.example/w, newTag: v1}]"),
			values:        map[string]any{"image": map[string]any{"repository": "registry.example/w", "tag": "v1"}},
		},
		"another number of replicas": {
			kustomization: overlay(t, "config/default", "replicas: [{name: webapp-controller, count: 3}]"),
			values:        map[string]any{"replicas": 3},
		},
	} {
		t.Run(name, func(t *testing.T) {
			want := kustomize(t, tc.kustomization)
			delete(want, "Namespace "+systemNamespace) // Helm makes it, and deletes none
			if diff := cmp.Diff(want, helm(t, tc.values)); diff != "" {
				t.Errorf("chart and kustomization differ (-%s +chart):\n%s", tc.kustomization, diff)
			}
		})
	}
}

func TestWrongValuesAreRefused(t *testing.T) {
	for name, values := range map[string]map[string]any{
		"unknown":    {"replica": 3},
		"wrong type": {"metrics": map[string]any{"enabled": "yes"}},
		"too small":  {"replicas": 0},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := render(values); err == nil {
				t.Errorf("%v are accepted", values)
			}
		})
	}
}

func TestShippedDeployment(t *testing.T) {
	for _, kustomization := range []string{"config/default", "config/metrics"} {
		t.Run(kustomization, func(t *testing.T) {
			var deployment appsv1.Deployment
			object := kustomize(t, kustomization)["Deployment "+systemNamespace+"/webapp-controller"]
			// Strictly, so that no misspelt field goes unseen.
			if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(object, &deployment, true); err != nil {
				t.Fatal(err)
			}
			template := deployment.Spec.Template
			checks, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
			if err != nil {
				t.Fatal(err)
			}
			restricted := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
			result := policy.AggregateCheckResults(checks.EvaluatePod(restricted, &template.ObjectMeta, &template.Spec))
			if !result.Allowed {
				t.Errorf("the Pod is not restricted: %s", result.ForbiddenDetail())
			}
			c := template.Spec.Containers[0]
			if readOnly := c.SecurityContext.ReadOnlyRootFilesystem; readOnly == nil || !*readOnly {
				t.Error("the root file system can be written to")
			}
			if c.LivenessProbe == nil || c.ReadinessProbe == nil {
				t.Error("a probe is missing")
			}
			if *deployment.Spec.Replicas < 2 || !slices.Contains(c.Args, "--leader-elect") {
				t.Errorf("%d replicas with %v", *deployment.Spec.Replicas, c.Args)
			}
		})
	}
}

// overlay is a kustomization of one's own, as a user would have it.
func overlay(t *testing.T, base, change string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if base, err = filepath.Abs(base); err != nil {
		t.Fatal(err)
	}
	if base, err = filepath.Rel(dir, base); err != nil {
		t.Fatal(err)
	}
	content := fmt.Sprintf("resources: [%s]\n%s\n", base, change)
	if err := os.WriteFile(filepath.Join(dir, "kustomization.yaml"), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// kustomize returns the objects of a kustomization.
func kustomize(t *testing.T, folder string) map[string]map[string]any {
	t.Helper()
	resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), folder)
	if err != nil {
		t.Fatal(err)
	}
	manifests, err := resources.AsYaml()
	if err != nil {
		t.Fatal(err)
	}
	return byName(parse(t, manifests))
}

// helm returns the objects of the chart with these values.
func helm(t *testing.T, values map[string]any) map[string]map[string]any {
	t.Helper()
	manifests, err := render(values)
	if err != nil {
		t.Fatal(err)
	}
	objects := parse(t, manifests)
	for _, object := range objects {
		// Helm does this when it creates them.
		if !strings.HasPrefix(object.GetKind(), "Cluster") && object.GetKind() != "CustomResourceDefinition" {
			object.SetNamespace(systemNamespace)
		}
	}
	return byName(objects)
}

// render returns the manifests of the chart with these values.
func render(values map[string]any) ([]byte, error) {
	chart, err := loader.Load("chart")
	if err != nil {
		return nil, err
	}
	release := common.ReleaseOptions{Name: "webapp-controller", Namespace: systemNamespace, Revision: 1, IsInstall: true}
	all, err := util.ToRenderValues(chart, values, release, nil)
	if err != nil {
		return nil, err
	}
	files, err := engine.Render(chart, all)
	if err != nil {
		return nil, err
	}
	manifests := slices.Collect(maps.Values(files))
	for _, definition := range chart.CRDObjects() {
		manifests = append(manifests, string(definition.File.Data))
	}
	return []byte(strings.Join(manifests, "\n---\n")), nil
}

// parse returns the objects of a file.
func parse(t *testing.T, manifests []byte) []*unstructured.Unstructured {
	t.Helper()
	var objects []*unstructured.Unstructured
	decoder := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(manifests), 4096)
	for {
		object := &unstructured.Unstructured{}
		if err := decoder.Decode(&object.Object); errors.Is(err, io.EOF) {
			return objects
		} else if err != nil {
			t.Fatal(err)
		}
		if len(object.Object) > 0 {
			objects = append(objects, object)
		}
	}
}

func byName(objects []*unstructured.Unstructured) map[string]map[string]any {
	named := map[string]map[string]any{}
	for _, object := range objects {
		name := strings.TrimPrefix(object.GetNamespace()+"/"+object.GetName(), "/")
		named[object.GetKind()+" "+name] = object.Object
	}
	return named
}
