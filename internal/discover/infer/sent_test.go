package infer

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"reconform.dev/reconform/internal/record/history"
)

// sentAs is a write of the Deployment of a story. before is nil for a create.
func sentAs(t *testing.T, verb, contentType, body, before string) history.Write {
	t.Helper()
	write := history.Write{ContentType: contentType, Body: []byte(body)}
	write.Verb, write.Effect, write.UID = verb, history.EffectEffective, "Deployment/shop-web"
	if before != "" {
		var err error
		if write.Before, err = yaml.YAMLToJSON([]byte(before)); err != nil {
			t.Fatal(err)
		}
	}
	return write
}

// asProtobuf encodes a Deployment as a typed client does.
func asProtobuf(t *testing.T, replicas *int32) string {
	t.Helper()
	object := &appsv1.Deployment{Spec: appsv1.DeploymentSpec{Replicas: replicas}}
	object.APIVersion, object.Kind = "apps/v1", "Deployment"
	object.Spec.Template.Spec.Containers = []corev1.Container{{Name: "web", Image: "shop:v1", Ports: []corev1.ContainerPort{{ContainerPort: 8080}}}}
	var out bytes.Buffer
	if err := protobuf.NewSerializer(scheme.Scheme, scheme.Scheme).Encode(object, &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestFilledIn: a field that no replica sent was filled in by the API server.
func TestFilledIn(t *testing.T) {
	const (
		json    = runtime.ContentTypeJSON
		apply   = "application/apply-patch+yaml"
		merge   = "application/merge-patch+json"
		pods    = "spec.replicas"
		port    = "spec.template.spec.containers[1].ports[0].containerPort"
		bare    = `{"spec": {"template": {"spec": {"containers": [{"name": "web", "image": "shop:v1"}]}}}}`
		whole   = `{"spec": {"replicas": 2}}`
		present = "spec: {replicas: 2}"
	)
	for name, tc := range map[string]struct {
		path   string
		writes []history.Write
		want   bool
	}{
		"no write is known":                      {pods, nil, false},
		"a create without it":                    {pods, []history.Write{sentAs(t, "create", json, bare, "")}, true},
		"a create with it":                       {pods, []history.Write{sentAs(t, "create", json, whole, "")}, false},
		"a create in protobuf without it":        {pods, []history.Write{sentAs(t, "create", runtime.ContentTypeProtobuf, asProtobuf(t, nil), "")}, true},
		"a create in protobuf with it":           {pods, []history.Write{sentAs(t, "create", runtime.ContentTypeProtobuf, asProtobuf(t, ptr.To[int32](2)), "")}, false},
		"an apply with it":                       {pods, []history.Write{sentAs(t, "create", apply, present, "")}, false},
		"an update that sends back what it read": {pods, []history.Write{sentAs(t, "create", json, bare, ""), sentAs(t, "update", json, whole, present)}, true},
		"an update that sets it":                 {pods, []history.Write{sentAs(t, "create", json, bare, ""), sentAs(t, "update", json, whole, "spec: {replicas: 1}")}, false},
		"a patch that sets it":                   {pods, []history.Write{sentAs(t, "create", json, bare, ""), sentAs(t, "update", merge, whole, "spec: {replicas: 1}")}, false},
		"a body that cannot be read":             {pods, []history.Write{sentAs(t, "create", runtime.ContentTypeProtobuf, "?", "")}, false},
		"only an update is known":                {pods, []history.Write{sentAs(t, "update", json, whole, present)}, false},
		"a port of a container at another place": {port, []history.Write{sentAs(t, "create", runtime.ContentTypeProtobuf, asProtobuf(t, nil), "")}, false},
		"a container without the port":           {port, []history.Write{sentAs(t, "create", json, bare, "")}, true},
	} {
		t.Run(name, func(t *testing.T) {
			object := frame(t, 1, fmt.Sprintf(deployment, 2, "shop:v1", 8080, "", 2)).Object
			r := &Record{Writes: tc.writes}
			if got := r.filledIn(object, tc.path); got != tc.want {
				t.Errorf("filled in: %t, want %t", got, tc.want)
			}
		})
	}
}

// TestFilledInIsNoConstant: a number of replicas that no write of the controller has is
// not its constant: init asks.
func TestFilledInIsNoConstant(t *testing.T) {
	for name, tc := range map[string]struct {
		body     string
		constant bool
	}{
		"sent":      {`{"spec": {"replicas": 2}}`, true},
		"filled in": {`{"spec": {}}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := story(t, "{}", "{}", "{}", "{}")
			r.Acts = r.Acts[:1]
			r.Writes = []history.Write{sentAs(t, "create", runtime.ContentTypeJSON, tc.body, "")}
			f := &finder{Findings: Findings{Notes: map[string]Note{}, Asked: map[string][]Question{}}, Record: r, first: r.Acts[0], workload: r.MainWorkload()}
			f.main = r.Main()
			f.deployment = r.Film.At(f.first.Until)[f.main]
			f.findFields()
			replicas, asked := f.Spec.Contract.Spec.Replicas, f.Asked["contract.spec.replicas"]
			if got := replicas != nil && replicas.Constant != nil; got != tc.constant {
				t.Errorf("constant: %t, want %t", got, tc.constant)
			}
			told := slices.ContainsFunc(asked, func(q Question) bool { return strings.Contains(q.Text, "the API server filled it in") })
			if told == tc.constant {
				t.Errorf("asked: %q", asked)
			}
		})
	}
}
