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
	tests := map[string]struct{ contentType, body, want string }{
		"JSON":                 {"application/json", `{"kind":"X","metadata":{"name":"demo"}}`, "demo"},
		"JSON by default":      {"", `{"metadata":{"name":"demo"}}`, "demo"},
		"parameters":           {"application/json; charset=utf-8", `{"metadata":{"name":"demo"}}`, "demo"},
		"YAML":                 {"application/yaml", "metadata:\n  name: demo\n", "demo"},
		"protobuf":             {"application/vnd.kubernetes.protobuf", string(protobuf), "demo"},
		"protobuf without end": {"application/vnd.kubernetes.protobuf", string(protobuf[:len(protobuf)/2]), ""},
		"generated name":       {"application/json", `{"metadata":{"generateName":"demo-"}}`, ""},
		"not JSON":             {"application/json", `]`, ""},
		"too large":            {"application/json", `{"metadata":{"name":"demo"}}` + strings.Repeat(" ", requestLimit), ""},
		"nothing":              {"application/json", "", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			request := httptest.NewRequest("POST", "/", strings.NewReader(test.body))
			request.Header.Set("Content-Type", test.contentType)
			in := incoming{request: request, info: &apirequest.RequestInfo{Verb: "create"}}
			got, err := in.content()
			if err != nil || got.name != test.want {
				t.Errorf("got %q, %v", got.name, err)
			}
			left, err := io.ReadAll(got.body)
			if err != nil || !bytes.Equal(left, []byte(test.body)) {
				t.Errorf("%d bytes of %d are left, %v", len(left), len(test.body), err)
			}
		})
	}
}
