package drift

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// live is a Deployment as the API server has completed it, and others have changed it.
const live = `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: demo
  labels: {app: demo}
  annotations: {deployment.kubernetes.io/revision: "3"}
  ownerReferences: [{apiVersion: a/v1, kind: WebApp, name: demo, uid: "1", controller: true}]
spec:
  replicas: 2
  revisionHistoryLimit: 10
  selector: {matchLabels: {app: demo}}
  template:
    metadata: {labels: {app: demo}}
    spec:
      restartPolicy: Always
      containers:
      - name: app
        image: demo:v1
        ports: [{containerPort: 8080, protocol: TCP, name: http}]
        env: [{name: A, value: a}, {name: B, value: foreign}]
        args: [one, two]
`

func decoded(t *testing.T, text string) map[string]any {
	t.Helper()
	encoded, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var object map[string]any
	if err := json.Unmarshal(encoded, &object); err != nil {
		t.Fatal(err)
	}
	return object
}

// inProtobuf is what a client of Kubernetes' own types sends.
func inProtobuf(t *testing.T) []byte {
	t.Helper()
	deployment := &appsv1.Deployment{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
		ObjectMeta: metav1.ObjectMeta{Name: "demo", Labels: map[string]string{"app": "demo"}},
		Spec: appsv1.DeploymentSpec{Replicas: ptr.To[int32](2), Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			Containers: []corev1.Container{{Name: "app", Image: "demo:v1"}},
		}}},
	}
	var b bytes.Buffer
	if err := protobuf.NewSerializer(scheme.Scheme, scheme.Scheme).Encode(deployment, &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestFieldsSet(t *testing.T) {
	created := history.Write{ContentType: "application/json", Body: []byte(`{
		"kind": "Deployment", "metadata": {"name": "demo", "labels": {"app": "demo"}, "ownerReferences": [{"uid": "1", "controller": true}]},
		"spec": {"replicas": 2, "template": {"spec": {"containers": [
			{"name": "app", "image": "demo:v0", "args": ["one", "two"], "ports": [{"containerPort": 8080, "name": "http"}],
			 "env": [{"name": "A", "value": "a"}, {"name": "B", "value": "b"}, {"name": "C", "value": "gone"}]}]}}}}`)}
	container := "spec.template.spec.containers[app]"
	for name, tc := range map[string]struct {
		writes []history.Write
		ports  bool
		want   []string
	}{
		"a create": {
			writes: []history.Write{created},
			want: []string{
				"metadata.labels.app", "spec.replicas", container + ".args", container + ".env[A]", container + ".env[A].value",
				container + ".env[B]", container, container + ".ports[8080/TCP].name",
			},
		},
		"a create by one that undoes ports": {
			writes: []history.Write{created}, ports: true,
			want: []string{
				"metadata.labels.app", "spec.replicas", container + ".args", container + ".env[A]", container + ".env[A].value",
				container + ".env[B]", container, container + ".ports[8080/TCP]", container + ".ports[8080/TCP].name",
			},
		},
		"protobuf": {
			writes: []history.Write{{ContentType: runtime.ContentTypeProtobuf, Body: inProtobuf(t)}},
			want:   []string{"metadata.labels.app", "spec.replicas", container + ".image", container},
		},
		"an update sets what it changes": {
			writes: []history.Write{{
				ContentType: "application/json", Body: []byte(`{"spec": {"replicas": 2, "revisionHistoryLimit": 10}}`),
				Before: []byte(`{"spec": {"replicas": 7, "revisionHistoryLimit": 10}}`),
			}},
			want: []string{"spec.replicas"},
		},
		"a patch of places": {writes: []history.Write{{ContentType: "application/json-patch+json", Body: []byte(`[]`)}}},
	} {
		t.Run(name, func(t *testing.T) {
			fields, err := fieldsSet(tc.writes, decoded(t, live), tc.ports)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range fields {
				got = append(got, f.path.String())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("fields (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPath(t *testing.T) {
	object := decoded(t, live)
	env := keys("spec", "template", "spec", "containers").named("name", "app").key("env")
	label := keys("metadata", "labels").key("example.com/of")
	for written, p := range map[string]path{
		"spec.template.spec.containers[app].env[A].value": env.named("name", "A").key("value"),
		"metadata.labels['example.com/of']":               label,
	} {
		if got := p.String(); got != written {
			t.Errorf("path %s, want %s", got, written)
		}
	}
	if !env.under("spec.template.spec.containers[*]") || env.under("spec.template.spec.cont") {
		t.Error("a path is not under what it begins with, or under a part of a word")
	}
	added := env.named("name", "NEW")
	added.put(object, map[string]any{"name": "NEW", "value": "n"})
	label.put(object, "somebody")
	env.named("name", "B").drop(object)
	if got, want := text(object["spec"].(map[string]any)["template"].(map[string]any)["spec"].(map[string]any)["containers"].([]any)[0].(map[string]any)["env"]),
		`[{"name":"A","value":"a"},{"name":"NEW","value":"n"}]`; got != want {
		t.Errorf("env %s, want %s", got, want)
	}
	if got, ok := label.find(object); !ok || got != "somebody" {
		t.Errorf("label %v", got)
	}
}

// TestAmong: which of the fields that the controller set somebody else changes.
func TestAmong(t *testing.T) {
	for path, want := range map[string][]v1alpha1.TrialDriftFields{
		"spec.replicas":          {v1alpha1.DriftFirst, v1alpha1.DriftAll},
		"data.key":               {v1alpha1.DriftFirst, v1alpha1.DriftAll},
		"metadata.labels.app":    {v1alpha1.DriftFirst, v1alpha1.DriftLabels},
		"metadata.annotations.a": {v1alpha1.DriftFirst},
	} {
		var got []v1alpha1.TrialDriftFields
		for _, which := range []v1alpha1.TrialDriftFields{v1alpha1.DriftFirst, v1alpha1.DriftAll, v1alpha1.DriftLabels} {
			if (field{path: keys(strings.Split(path, ".")...)}).among(which) {
				got = append(got, which)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
}
