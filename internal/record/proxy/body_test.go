package proxy

import (
	"bytes"
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/client-go/kubernetes/scheme"
)

func TestNameInCreate(t *testing.T) {
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "demo"}, Spec: corev1.ServiceSpec{ClusterIP: "None"}}
	info, ok := runtime.SerializerInfoForMediaType(scheme.Codecs.SupportedMediaTypes(), runtime.ContentTypeProtobuf)
	if !ok {
		t.Fatal("no protobuf")
	}
	protobuf, err := runtime.Encode(scheme.Codecs.EncoderForVersion(info.Serializer, corev1.SchemeGroupVersion), service)
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct{ contentType, body, want, generate string }{
		"JSON":                 {"application/json", `{"kind":"X","metadata":{"name":"demo"}}`, "demo", ""},
		"JSON by default":      {"", `{"metadata":{"name":"demo"}}`, "demo", ""},
		"parameters":           {"application/json; charset=utf-8", `{"metadata":{"name":"demo"}}`, "demo", ""},
		"YAML":                 {"application/yaml", "metadata:\n  name: demo\n", "demo", ""},
		"protobuf":             {"application/vnd.kubernetes.protobuf", string(protobuf), "demo", ""},
		"protobuf without end": {"application/vnd.kubernetes.protobuf", string(protobuf[:len(protobuf)/2]), "", ""},
		"generated name":       {"application/json", `{"metadata":{"generateName":"demo-"}}`, "", "demo-"},
		"both":                 {"application/json", `{"metadata":{"name":"demo","generateName":"demo-"}}`, "demo", ""},
		"not JSON":             {"application/json", `]`, "", ""},
		"too large":            {"application/json", `{"metadata":{"name":"demo"}}` + strings.Repeat(" ", requestLimit), "", ""},
		"nothing":              {"application/json", "", "", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			request := httptest.NewRequest("POST", "/", strings.NewReader(test.body))
			request.Header.Set("Content-Type", test.contentType)
			in := incoming{request: request, info: &apirequest.RequestInfo{Verb: "create"}}
			got, err := in.content()
			if err != nil || got.name != test.want || got.generateName != test.generate {
				t.Errorf("got %q, made of %q, %v", got.name, got.generateName, err)
			}
			left, err := io.ReadAll(got.body)
			if err != nil || !bytes.Equal(left, []byte(test.body)) {
				t.Errorf("%d bytes of %d are left, %v", len(left), len(test.body), err)
			}
		})
	}
}

func TestOnlyMetadata(t *testing.T) {
	const merge, json, apply = "application/merge-patch+json", "application/json-patch+json", "application/apply-patch+yaml"
	tests := map[string]struct {
		verb, contentType, body string
		want                    bool
	}{
		"a finalizer":              {"patch", merge, `{"metadata":{"finalizers":["a/b"]}}`, true},
		"with what it is about":    {"patch", merge, `{"apiVersion":"a/v1","kind":"A","metadata":{"labels":{"a":null}}}`, true},
		"with a charset":           {"patch", merge + "; charset=utf-8", `{"metadata":{}}`, true},
		"the spec too":             {"patch", merge, `{"metadata":{},"spec":{}}`, false},
		"the status":               {"patch", merge, `{"status":{}}`, false},
		"a field beside the spec":  {"patch", merge, `{"data":{}}`, false},
		"nothing to be read":       {"patch", merge, `null`, false},
		"steps in the metadata":    {"patch", json, `[{"op":"test","path":"/spec/a","value":1},{"op":"add","path":"/metadata/labels/a","value":"b"}]`, true},
		"a step in the spec":       {"patch", json, `[{"op":"add","path":"/metadata/labels/a"},{"op":"remove","path":"/spec/a"}]`, false},
		"a step of the whole":      {"patch", json, `[{"op":"replace","path":"","value":{}}]`, false},
		"moved out of the spec":    {"patch", json, `[{"op":"move","from":"/spec/a","path":"/metadata/annotations/a"}]`, false},
		"an apply leaves out more": {"patch", apply, `{"metadata":{}}`, false},
		"a put":                    {"update", "application/json", `{"metadata":{}}`, false},
		"no body":                  {"patch", merge, ``, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			request := httptest.NewRequest("PATCH", "/", nil)
			request.Header.Set("Content-Type", test.contentType)
			in := incoming{request: request, info: &apirequest.RequestInfo{Verb: test.verb}}
			if got := in.onlyMetadata([]byte(test.body)); got != test.want {
				t.Errorf("got %v", got)
			}
		})
	}
}
