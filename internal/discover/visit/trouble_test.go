package visit

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
)

// TestStrangerFor: the object that takes the name of a child looks like the one in the
// scenarios.
func TestStrangerFor(t *testing.T) {
	labels := map[string]any{"example.com/of": "somebody-else"}
	containers := []any{map[string]any{"name": "app", "image": "registry.example/foreign:v1"}}
	template := map[string]any{"metadata": map[string]any{"labels": labels}, "spec": map[string]any{"containers": containers}}
	once := map[string]any{"metadata": map[string]any{"labels": labels}, "spec": map[string]any{"containers": containers, "restartPolicy": "Never"}}
	selector := map[string]any{"matchLabels": labels}
	for kind, want := range map[string]map[string]any{
		"Deployment":  {"replicas": int64(1), "selector": selector, "template": template},
		"StatefulSet": {"replicas": int64(1), "selector": selector, "template": template},
		"DaemonSet":   {"selector": selector, "template": template},
		"Job":         {"parallelism": int64(1), "template": once},
		"CronJob":     {"schedule": "1 0 1 1 *", "jobTemplate": map[string]any{"spec": map[string]any{"template": once}}},
	} {
		t.Run(kind, func(t *testing.T) {
			p := &profile.Profile{}
			p.Spec.Contract.Children.Deployment.Name = "{{ .spec.app }}-web"
			for _, w := range profile.KnownWorkloads() {
				if w.Kind == kind {
					p.Spec.Contract.Children.Deployment.Workload = &w
				}
			}
			if kind == "CronJob" {
				p.Spec.Contract.Spec.Replicas = &v1alpha1.Field{Path: "spec.when", Format: "{{ .value }} 0 1 1 *"}
			}
			got, err := strangerFor(p, "shop", map[string]any{"app": "store"})
			if err != nil {
				t.Fatal(err)
			}
			if got.GetKind() != kind || got.GetName() != "store-web" {
				t.Errorf("it is %s %s", got.GetKind(), got.GetName())
			}
			if diff := cmp.Diff(want, got.Object["spec"]); diff != "" {
				t.Errorf("spec (-want +got):\n%s", diff)
			}
		})
	}
}
