package observation

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// A message shows only the fields that the rule reads, and not the whole Pod template
// of a Deployment.
func TestMessageShowsWhatIsRead(t *testing.T) {
	deployment := &unstructured.Unstructured{Object: map[string]any{
		"kind": "Deployment",
		"metadata": map[string]any{
			"name": "demo", "resourceVersion": "7", "labels": map[string]any{"app.kubernetes.io/name": "x"},
			"ownerReferences": []any{map[string]any{"uid": "u"}},
		},
		"spec": map[string]any{"replicas": int64(2), "template": map[string]any{"spec": strings.Repeat("x", 5000)}},
		"status": map[string]any{
			"readyReplicas": int64(1), "conditions": []any{map[string]any{"type": "Available", "status": "False"}},
		},
	}}
	const template = `{"spec":{"replicas":2,"template":{"spec":"xxxx`
	for expression, want := range map[string]string{
		"new != null && new.spec.replicas == 5":                                                       `demo {"spec":{"replicas":2}}`,
		"new.?status.?readyReplicas.orValue(0) == 2":                                                  `demo {"status":{"readyReplicas":1}}`,
		"new.?status.?updated.orValue(0) == 2":                                                        `demo {"status":{"updated":null}}`,
		"has(new.metadata.deletionTimestamp)":                                                         `demo {"metadata":{"deletionTimestamp":null}}`,
		"new.metadata.labels['app.kubernetes.io/name'] == 'y'":                                        `demo {"metadata":{"labels":{"app.kubernetes.io/name":"x"}}}`,
		"new.status.conditions.exists(c, c.type == 'Ready')":                                          `demo {"status":{"conditions":[{"status":"False","type":"Available"}]}}`,
		"all.size() > 1 && all.all(d, d.spec.replicas > 2)":                                           `demo {"spec":{"replicas":2}}`,
		"all.map(d, d.metadata.ownerReferences[0].uid).distinct().size() > 1":                         `demo {"metadata":{"ownerReferences":[{"uid":"u"}]}}`,
		"new.spec.replicas == 3 && new.spec.?template.hasValue() && new.?spec.?paused.orValue(false)": `demo {"spec":{"paused":null,"replicas":2,"template":{"spec":"xxxx`,
		"claims.features.exists(new, new == 'none') || new.spec.replicas == 3":                        `demo {"spec":{"replicas":2}}`,
		"new == null":    "demo " + template,
		"all.size() > 1": "1 (demo)",
	} {
		j := newTestJudge(t, v1alpha1.ObservationSpec{Resource: "deployments", Eventually: expression})
		j.version(deployment, watch.Modified, began)
		status, _ := j.status(began.Add(time.Hour))
		if j.lost != "" {
			t.Fatal(j.lost)
		}
		_, seen, _ := strings.Cut(status.Message, "seen at the end: ")
		whole := !strings.HasSuffix(want, "}")
		if whole && !strings.HasPrefix(seen, want) || !whole && seen != want {
			t.Errorf("%s: %s\nwant %s", expression, seen, want)
		}
		if len(seen) > maxExcerpt+40 || strings.HasSuffix(want, template) && len(seen) > maxWhole+40 {
			t.Errorf("%s: %d characters", expression, len(seen))
		}
	}
}
