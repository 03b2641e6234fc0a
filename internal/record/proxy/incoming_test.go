package proxy

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"

	"reconform.dev/reconform/internal/record/history"
)

// meddling changes all that it can of what is sent.
type meddling struct{}

func (meddling) Intercept(call *Call, next Next) (Answer, error) {
	call.Out.Method = http.MethodGet
	call.Out.Header.Set("Authorization", "Bearer another")
	call.Out.Header["Accept"][0] = "text/plain"
	call.Out.URL.Path, call.Out.URL.RawQuery = "/another", ""
	call.Out.Body = http.NoBody
	call.Out.ContentLength = 0
	response, err := next(call.Out)
	return Answer{Response: response}, err
}

// TestIncomingIsNotChanged: neither the stages that rewrite a request nor an
// interceptor change the incoming request itself.
func TestIncomingIsNotChanged(t *testing.T) {
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if strings.HasSuffix(r.URL.Path, "/subjectaccessreviews") {
			allowed := authorizationv1.SubjectAccessReview{Status: authorizationv1.SubjectAccessReviewStatus{Allowed: true}}
			_ = json.NewEncoder(w).Encode(allowed)
			return
		}
		_, _ = io.WriteString(w, `{"kind":"Pod","metadata":{"name":"p","uid":"u","resourceVersion":"1"},"items":[]}`)
	}))
	t.Cleanup(upstream.Close)

	const pod = `{"metadata":{"name":"p"}}`
	tests := map[string]struct {
		method, target, body string
		namespaces           []string
		code                 int // recorded
	}{
		"create":             {method: "POST", target: "/api/v1/namespaces/a/pods", body: pod, code: 200},
		"update":             {method: "PUT", target: "/api/v1/namespaces/a/pods/p", body: pod, code: 200},
		"apply":              {method: "PATCH", target: "/api/v1/namespaces/a/pods/p", body: pod, code: 200},
		"list, one in scope": {method: "GET", target: "/api/v1/pods?limit=5", code: 200},
		"list, two in scope": {
			method: "GET", target: "/api/v1/pods?includeObject=None", namespaces: []string{"b"}, code: 200,
		},
		"watch":        {method: "GET", target: "/api/v1/namespaces/a/pods?watch=true", code: 200},
		"out of scope": {method: "DELETE", target: "/api/v1/namespaces/c/pods/p", code: 404},
		"refused":      {method: "POST", target: "/api/v1/namespaces", body: pod, code: 403},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			recorder := history.New(nil, nil)
			p, err := newProxy(Options{
				Upstream: &rest.Config{Host: upstream.URL + "/prefix"}, Scenario: "a", Recorder: recorder,
				Scope: Scope{Namespaces: append([]string{"a"}, test.namespaces...)}, Interceptor: meddling{},
			})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(p.transport.CloseIdleConnections)
			request := httptest.NewRequestWithContext(t.Context(), test.method, test.target, strings.NewReader(test.body))
			request.Header = http.Header{
				"Accept":          {"application/vnd.kubernetes.protobuf, application/json"},
				"Accept-Encoding": {"gzip"},
				"Authorization":   {"Bearer subject"},
				"Connection":      {"keep-alive"},
				"Content-Type":    {"application/apply-patch+yaml"},
			}
			in := p.receive(request, p.gate.current())
			want, info := request.Clone(t.Context()), *in.info

			record := p.record(in)
			if err := p.serve(exchange{incoming: in, record: record, w: httptest.NewRecorder()}); err != nil {
				t.Fatal(err)
			}
			if code := record.Request().Code; code != test.code {
				t.Errorf("code %d, want %d", code, test.code)
			}
			if in.request.Body != want.Body {
				t.Error("the body is another")
			}
			of := func(r *http.Request) []any {
				return []any{r.Method, r.URL.String(), r.RequestURI, r.Host, r.ContentLength, r.Header}
			}
			if diff := cmp.Diff(of(want), of(in.request)); diff != "" {
				t.Errorf("request (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(info, *in.info); diff != "" {
				t.Errorf("info (-want +got):\n%s", diff)
			}
		})
	}
}

// TestIsTrue: a parameter is read as by the API server's own conversion.
func TestIsTrue(t *testing.T) {
	for query, want := range map[string]bool{
		"": false, "other=true": false, "p=": true, "p": true, "p=true": true, "p=1": true, "p=yes": true,
		"p=0": false, "p=false": false, "p=FALSE": false, "p=fAlse": false, "p=false&p=true": false,
	} {
		values, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		var theirs bool
		given := values["p"]
		if err := runtime.Convert_Slice_string_To_bool(&given, &theirs, nil); err != nil {
			t.Fatal(err)
		}
		if got := IsTrue(values, "p"); got != want || got != theirs {
			t.Errorf("%q: got %t, want %t (the API server: %t)", query, got, want, theirs)
		}
	}
}
