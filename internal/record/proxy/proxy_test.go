package proxy_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/proxy"
)

var (
	scopeA     = proxy.Scope{Namespaces: []string{"a"}, LeaseNamespaces: []string{"locks"}}
	scopeNodes = proxy.Scope{Namespaces: []string{"a"}, ClusterWrites: []schema.GroupResource{{Resource: "nodes"}}}
	scopeHome  = proxy.Scope{Namespaces: []string{"a"}, Home: "b", Served: []schema.GroupResource{{Group: "example.io", Resource: "widgets"}}}
	scopeAB    = proxy.Scope{Namespaces: []string{"a", "a-b"}}
)

func TestPassesThrough(t *testing.T) {
	for _, test := range []struct {
		http2 bool
		want  string
	}{{false, "HTTP/1.1"}, {true, "HTTP/2.0"}} {
		t.Run(test.want, func(t *testing.T) {
			server := newFakeServer(t)
			server.answer = func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				w.Header().Set("Warning", "299 - old")
				w.Header().Set("X-Body", string(body))
				reply(w, 200, `{"kind":"Pod","metadata":{"name":"p"}}`)
			}
			authority, err := proxy.NewAuthority()
			if err != nil {
				t.Fatal(err)
			}
			recorder := history.New(nil, nil)
			p, err := proxy.Start(t.Context(), proxy.Options{
				Authority: authority, Upstream: server.config(), Scope: scopeA, Scenario: "a", Recorder: recorder,
			})
			if err != nil {
				t.Fatal(err)
			}
			r := &replica{Proxy: p, recorder: recorder, client: newClient(authority, test.http2)}

			header := []string{"Accept", "application/vnd.kubernetes.protobuf,application/json", "Accept-Encoding", "gzip"}
			if !test.http2 {
				header = append(header, "Connection", "X-Hop", "X-Hop", "1")
			}
			response, body := r.do(t, "GET", "/api/v1/namespaces/a/pods/p?x=1", "", header...)
			if response.Proto != test.want || body != `{"kind":"Pod","metadata":{"name":"p"}}` || response.Header.Get("Warning") == "" {
				t.Errorf("got %s %v %s", response.Proto, response.Header, body)
			}
			seen := server.last()
			if seen.Header.Get("Authorization") != subjectToken || seen.Header.Get("Accept") != "application/json" ||
				seen.Header.Get("Accept-Encoding") != "" || seen.Header.Get("X-Hop") != "" || seen.RequestURI != "/api/v1/namespaces/a/pods/p?x=1" ||
				seen.Host != strings.TrimPrefix(server.URL, "https://") {
				t.Errorf("the server saw %s %s %v", seen.Host, seen.RequestURI, seen.Header)
			}
			if response, _ = r.do(t, "POST", "/api/v1/namespaces/a/pods", `{"metadata":{"name":"p"}}`); response.Header.Get("X-Body") != `{"metadata":{"name":"p"}}` {
				t.Errorf("the server read %q", response.Header.Get("X-Body"))
			}
			if err := p.Close(); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, request := range recorder.Requests(history.Query{Scenario: "a"}) {
				got = append(got, request.Verb+" "+request.Resource+" "+request.Name+" "+request.Path)
				if !request.Finished || request.Code != 200 {
					t.Errorf("recorded: %+v", request)
				}
			}
			want := []string{"get pods p /api/v1/namespaces/a/pods/p?x=1", "create pods p /api/v1/namespaces/a/pods"}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestConfinement(t *testing.T) {
	const list = `{"kind":"PodList","items":[{"metadata":{"namespace":"a","name":"1"}},{"metadata":{"namespace":"b","name":"2"}},
		{"metadata":{"namespace":"a-b","name":"3"}}]}`
	tests := map[string]struct {
		scope        proxy.Scope
		method, path string
		forwarded    string // path, empty: not at all
		code         int
		items        string // names of those that are left
	}{
		"one namespace":                     {scopeA, "GET", "/api/v1/pods?limit=5&continue=x", "/api/v1/namespaces/a/pods?limit=5&continue=x", 200, ""},
		"named twice":                       {proxy.Scope{Namespaces: []string{"a", "a"}}, "GET", "/api/v1/pods", "/api/v1/namespaces/a/pods", 200, "123"},
		"with a group":                      {scopeA, "GET", "/apis/example.io/v1/widgets", "/apis/example.io/v1/namespaces/a/widgets", 200, ""},
		"deprecated watch":                  {scopeA, "GET", "/api/v1/watch/pods", "/api/v1/watch/namespaces/a/pods", 200, ""},
		"leases elsewhere":                  {scopeA, "GET", "/apis/coordination.k8s.io/v1/leases", "/apis/coordination.k8s.io/v1/leases", 200, "1"},
		"two namespaces":                    {scopeAB, "GET", "/api/v1/pods", "/api/v1/pods", 200, "13"},
		"table without objects":             {scopeAB, "GET", "/api/v1/pods?includeObject=None", "/api/v1/pods?includeObject=Metadata", 200, "13"},
		"in scope":                          {scopeA, "GET", "/api/v1/namespaces/a/pods", "/api/v1/namespaces/a/pods", 200, "123"},
		"list out of scope":                 {scopeA, "GET", "/api/v1/namespaces/b/pods", "/api/v1/namespaces/b/pods", 200, ""},
		"get out of scope":                  {scopeA, "GET", "/api/v1/namespaces/b/pods/p", "/api/v1/namespaces/b/pods/p", 404, ""},
		"create out of scope":               {scopeA, "POST", "/api/v1/namespaces/b/pods", "", 404, ""},
		"delete out of scope":               {scopeA, "DELETE", "/api/v1/namespaces/b/pods/p", "", 404, ""},
		"delete all there":                  {scopeA, "DELETE", "/api/v1/namespaces/b/pods", "", 404, ""},
		"lease in its namespace":            {scopeA, "GET", "/apis/coordination.k8s.io/v1/namespaces/locks/leases/l", "/apis/coordination.k8s.io/v1/namespaces/locks/leases/l", 200, "123"},
		"other resources in that namespace": {scopeA, "GET", "/api/v1/namespaces/locks/pods/p", "/api/v1/namespaces/locks/pods/p", 404, ""},
		"what is served, not at home":       {scopeHome, "GET", "/apis/example.io/v1/widgets", "/apis/example.io/v1/namespaces/a/widgets", 200, ""},
		"anything else, at home too":        {scopeHome, "GET", "/api/v1/pods", "/api/v1/pods", 200, "12"},
		"by name at home":                   {scopeHome, "GET", "/api/v1/namespaces/b/pods/p", "/api/v1/namespaces/b/pods/p", 200, "123"},
		"creation at home":                  {scopeHome, "POST", "/apis/example.io/v1/namespaces/b/widgets", "/apis/example.io/v1/namespaces/b/widgets", 200, ""},
		"home itself":                       {scopeHome, "GET", "/api/v1/namespaces/b", "/api/v1/namespaces/b", 200, "123"},
		"namespaces":                        {scopeA, "GET", "/api/v1/namespaces", "/api/v1/namespaces", 200, ""},
		"addresses of the API server":       {scopeA, "GET", "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", 200, "kubernetes"},
		"its Endpoints":                     {scopeA, "GET", "/api/v1/namespaces/default/endpoints", "/api/v1/namespaces/default/endpoints", 200, "kubernetes"},
		"its Service by name":               {scopeA, "GET", "/api/v1/namespaces/default/services/kubernetes", "/api/v1/namespaces/default/services/kubernetes", 200, "kubernetes4"},
		"another Service there":             {scopeA, "GET", "/api/v1/namespaces/default/services/p", "/api/v1/namespaces/default/services/p", 404, ""},
		"the status of its Service":         {scopeA, "GET", "/api/v1/namespaces/default/services/kubernetes/status", "/api/v1/namespaces/default/services/kubernetes/status", 404, ""},
		"write of its Service":              {scopeA, "PUT", "/api/v1/namespaces/default/services/kubernetes", "", 404, ""},
		"other resources in default":        {scopeA, "GET", "/api/v1/namespaces/default/pods", "/api/v1/namespaces/default/pods", 200, ""},
		"own namespace":                     {scopeA, "GET", "/api/v1/namespaces/a", "/api/v1/namespaces/a", 200, "123"},
		"foreign namespace":                 {scopeA, "GET", "/api/v1/namespaces/b", "/api/v1/namespaces/b", 404, ""},
		"write of a namespace":              {scopeA, "PATCH", "/api/v1/namespaces/a", "", 403, ""},
		"nodes":                             {scopeA, "GET", "/api/v1/nodes", "/api/v1/nodes", 200, "123"},
		"a node":                            {scopeA, "GET", "/api/v1/nodes/n", "/api/v1/nodes/n", 200, "123"},
		"write of a node":                   {scopeA, "PATCH", "/api/v1/nodes/n/status", "", 403, ""},
		"creation of a node":                {scopeA, "POST", "/api/v1/nodes", "", 403, ""},
		"creation of one that it may write": {scopeNodes, "POST", "/api/v1/nodes", "/api/v1/nodes", 200, "123"},
		"review":                            {scopeA, "POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", 200, "123"},
		"discovery":                         {scopeA, "GET", "/apis", "/apis", 200, "123"},
		"OpenAPI document":                  {scopeA, "GET", "/openapi/v2", "/openapi/v2", 200, "123"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			server := newFakeServer(t)
			server.answer = func(w http.ResponseWriter, r *http.Request) {
				if strings.Contains(r.URL.Path, "/watch/") {
					w.Header().Set("Content-Type", "application/json")
					return
				}
				if strings.Contains(r.URL.Path, "/namespaces/default/") {
					reply(w, 200, `{"kind":"List","items":[{"metadata":{"namespace":"default","name":"kubernetes"}},{"metadata":{"namespace":"default","name":"4"}}]}`)
					return
				}
				if strings.Contains(r.URL.Path, "/namespaces/a/") || strings.Contains(r.URL.Path, "/widgets") {
					if r.URL.Path != "/api/v1/namespaces/a/pods" || r.URL.RawQuery != "" {
						reply(w, 200, `{"kind":"PodList","items":[]}`)
						return
					}
				}
				reply(w, 200, list)
			}
			r := newReplica(t, server.config(), test.scope)
			response, body := r.do(t, test.method, test.path, `{}`)
			if response.StatusCode != test.code {
				t.Errorf("answered with %d %s", response.StatusCode, body)
			}
			var forwarded string
			if seen := server.last(); seen != nil {
				forwarded = seen.RequestURI
			}
			if forwarded != test.forwarded {
				t.Errorf("forwarded as %q, want %q", forwarded, test.forwarded)
			}
			var answer struct {
				Items []metav1.PartialObjectMetadata `json:"items"`
			}
			if body != "" {
				if err := json.Unmarshal([]byte(body), &answer); err != nil {
					t.Fatal(err)
				}
			}
			var items string
			for _, item := range answer.Items {
				items += item.Name
			}
			if items != test.items {
				t.Errorf("items %q, want %q", items, test.items)
			}
			if recorded := r.last(t); recorded.Code != test.code || recorded.Path != test.path ||
				test.forwarded == "" && (recorded.Note == "" || recorded.Effect != history.EffectRefused) {
				t.Errorf("recorded: %+v", recorded)
			}
		})
	}
}

func TestOriginalRequestIsAuthorized(t *testing.T) {
	server := newFakeServer(t)
	server.denied["list pods"] = true
	server.denied["create configmaps"] = true
	r := newReplica(t, server.config(), scopeA)

	response, body := r.do(t, "GET", "/api/v1/pods", "")
	var got metav1.Status
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		t.Fatal(err)
	}
	want := metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   "Failure", Code: 403, Reason: "Forbidden",
		Message: `pods is forbidden: User "system:serviceaccount:a:subject" cannot list resource "pods" in API group "" at the cluster scope`,
		Details: &metav1.StatusDetails{Kind: "pods"},
	}
	if diff := cmp.Diff(want, got); diff != "" || response.StatusCode != 403 || server.last() != nil {
		t.Errorf("-want +got:\n%s", diff)
	}
	if recorded := r.last(t); recorded.Code != 403 || recorded.Reason != "Forbidden" || recorded.Message != want.Message || recorded.Note != "" {
		t.Errorf("recorded: %+v", recorded)
	}
	if response, _ := r.do(t, "GET", "/api/v1/namespaces/a/pods", ""); response.StatusCode != 200 {
		t.Errorf("a list in its namespace is answered with %d", response.StatusCode)
	}
	if _, body := r.do(t, "POST", "/api/v1/namespaces/b/configmaps", `{}`); !strings.Contains(body, `in the namespace \"b\"`) {
		t.Errorf("a create out of scope that is not allowed is answered with %s", body)
	}

	// An answer is used for a short time only.
	server.set(func() { server.denied["list pods"] = false })
	for start := time.Now(); ; {
		if response, _ := r.do(t, "GET", "/api/v1/pods", ""); response.StatusCode == 200 {
			break
		}
		if time.Since(start) > 5*time.Second {
			t.Fatal("a permission that is given never works")
		}
	}
	before := server.reviews
	for range 5 {
		r.do(t, "GET", "/api/v1/pods", "")
	}
	if server.reviews > before+1 {
		t.Errorf("asked %d times for the same", server.reviews-before)
	}
}

func TestWatch(t *testing.T) {
	server := newFakeServer(t)
	events := make(chan string)
	server.answer = func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json;stream=watch")
		_ = http.NewResponseController(w).Flush()
		for {
			select {
			case event, ok := <-events:
				if !ok {
					return
				}
				_, _ = io.WriteString(w, event)
				_ = http.NewResponseController(w).Flush()
			case <-r.Context().Done():
				return
			}
		}
	}
	r := newReplica(t, server.config(), scopeAB)
	open := func() (*bufio.Reader, io.Closer) {
		t.Helper()
		response, err := r.open(t, "GET", "/api/v1/pods?watch=true&sendInitialEvents=true", "")
		if err != nil {
			t.Fatal(err)
		}
		return bufio.NewReader(response.Body), response.Body
	}
	next := func(stream *bufio.Reader, want string) {
		t.Helper()
		if line, err := stream.ReadString('\n'); err != nil || !strings.Contains(line, want) {
			t.Fatalf("got %q, %v; want %q", line, err, want)
		}
	}

	stream, body := open()
	if recorded := r.last(t); !recorded.Watching() || !recorded.StreamingList || len(r.recorder.OpenWatches("a", "subject-0")) != 1 {
		t.Errorf("recorded: %+v", recorded)
	}
	events <- `{"type":"ADDED","object":{"metadata":{"namespace":"b","name":"foreign"}}}` + "\n"
	events <- `{"type":"ADDED","object":{"metadata":{"namespace":"a-b","na`
	events <- `me":"own"}}}` + "\n"
	next(stream, "own")
	events <- `{"type":"BOOKMARK","object":{"metadata":{}}}` + "\n"
	next(stream, "BOOKMARK")

	body.Close()
	r.eventually(t, "a watch that the replica leaves ends", func() bool { return r.last(t).Finished })

	stream, _ = open()
	r.CloseConnections()
	if _, err := stream.ReadString('\n'); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("a dropped connection ends with %v", err)
	}
	r.eventually(t, "a dropped watch ends", func() bool { return len(r.recorder.OpenWatches("a", "")) == 0 })

	stream, _ = open()
	events <- `{"type":"ADDED","object":[` + "\n]}{]"
	if _, err := stream.ReadString('\n'); err == nil {
		t.Error("an event that cannot be read passes")
	}
	stream, _ = open()
	close(events)
	if _, err := stream.ReadString('\n'); !errors.Is(err, io.EOF) {
		t.Errorf("a watch that the server closed ends with %v", err)
	}
}

func TestEffects(t *testing.T) {
	object := func(version, content string) string {
		return `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","uid":"u","resourceVersion":"` + version + `"},` + content + `}`
	}
	const path = "/api/v1/namespaces/a/pods/p"
	const success = `{"kind":"Status","apiVersion":"v1","status":"Success"}`
	apply := "application/apply-patch+yaml"
	tests := map[string]struct {
		method, path, contentType string
		sent                      string // empty: an object with a name
		before                    string // empty: absent
		code                      int
		answer                    string
		after                     string // where it is read again
		verb                      string
		want                      history.Effect
	}{
		"create":               {method: "POST", path: "/api/v1/namespaces/a/pods", code: 201, answer: object("1", `"spec":1`), verb: "create", want: "effective"},
		"create that exists":   {method: "POST", path: "/api/v1/namespaces/a/pods", code: 409, answer: `{"kind":"Status","reason":"AlreadyExists"}`, verb: "create", want: "refused"},
		"dry run":              {method: "POST", path: "/api/v1/namespaces/a/pods?dryRun=All", code: 201, answer: object("1", `"spec":1`), verb: "other", want: "none"},
		"dry run, refused":     {method: "PATCH", contentType: apply, path: path + "?dryRun=All", before: object("1", `"spec":1`), code: 422, answer: `{"kind":"Status","reason":"Invalid"}`, verb: "other", want: "none"},
		"dry run of an apply":  {method: "PATCH", contentType: apply, path: path + "?dryRun=All", before: object("1", `"spec":1`), code: 200, answer: object("1", `"spec":2`), verb: "other", want: "none"},
		"review":               {method: "POST", path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", code: 201, answer: `{}`, verb: "create", want: "noop"},
		"put":                  {method: "PUT", before: object("1", `"spec":1`), code: 200, answer: object("2", `"spec":2`), verb: "update", want: "effective"},
		"put of the same":      {method: "PUT", before: object("1", `"spec":1`), code: 200, answer: object("1", `"spec":1`), verb: "update", want: "noop"},
		"another wrote status": {method: "PUT", before: object("1", `"spec":1,"status":1`), code: 200, answer: object("2", `"spec":1,"status":2`), verb: "update", want: "noop"},
		"status":               {method: "PUT", path: path + "/status", before: object("1", `"spec":1,"status":1`), code: 200, answer: object("2", `"spec":1,"status":2`), verb: "update", want: "effective"},
		"another wrote spec":   {method: "PUT", path: path + "/status", before: object("1", `"spec":1,"status":1`), code: 200, answer: object("2", `"spec":2,"status":1`), verb: "update", want: "noop"},
		"apply that creates":   {method: "PATCH", contentType: apply, code: 201, answer: object("1", `"spec":1`), verb: "create", want: "effective"},
		"apply of the same":    {method: "PATCH", contentType: apply, before: object("1", `"spec":1`), code: 200, answer: object("1", `"spec":1`), verb: "update", want: "noop"},
		"apply refused":        {method: "PATCH", contentType: apply, code: 403, answer: `{"kind":"Status","reason":"Forbidden"}`, verb: "create", want: "refused"},
		"patch of nothing":     {method: "PATCH", contentType: "application/merge-patch+json", code: 404, answer: `{}`, verb: "update", want: "refused"},
		"answered in part": {
			method: "PATCH", before: object("1", `"spec":1`), code: 200, answer: `{"kind":"PartialObjectMetadata","metadata":{"uid":"u","resourceVersion":"2"}}`,
			after: object("2", `"spec":2`), verb: "update", want: "effective",
		},
		"answered in part, the same": {
			method: "PATCH", before: object("1", `"spec":1`), code: 200, answer: `{"kind":"PartialObjectMetadata","metadata":{"uid":"u","resourceVersion":"2"}}`,
			after: object("2", `"spec":1,"status":1`), verb: "update", want: "noop",
		},
		"delete":                   {method: "DELETE", before: object("1", `"spec":1`), code: 200, answer: success, verb: "delete", want: "effective"},
		"delete, dry run":          {method: "DELETE", before: object("1", `"spec":1`), code: 200, answer: success, after: object("1", `"spec":1`), verb: "delete", want: "noop"},
		"delete with a finalizer":  {method: "DELETE", before: object("1", `"spec":1`), code: 200, answer: success, after: object("2", `"spec":1,"deletion":1`), verb: "delete", want: "effective"},
		"delete once more":         {method: "DELETE", before: object("2", `"deletion":1`), code: 200, answer: object("2", `"deletion":1`), after: object("2", `"deletion":1`), verb: "delete", want: "noop"},
		"delete of nothing":        {method: "DELETE", code: 404, answer: `{}`, verb: "delete", want: "refused"},
		"collection":               {method: "DELETE", path: "/api/v1/namespaces/a/pods", code: 200, answer: `{"kind":"PodList","items":[{"metadata":{"name":"p"}}]}`, verb: "delete", want: "effective"},
		"collection of none":       {method: "DELETE", path: "/api/v1/namespaces/a/pods", code: 200, answer: `{"kind":"PodList","items":[]}`, verb: "delete", want: "noop"},
		"collection, terminating":  {method: "DELETE", path: "/api/v1/namespaces/a/pods", code: 200, answer: `{"kind":"PodList","items":[{"metadata":{"deletionTimestamp":"x"}}]}`, verb: "delete", want: "noop"},
		"collection, dry run":      {method: "DELETE", path: "/api/v1/namespaces/a/pods", sent: `{"kind":"DeleteOptions","apiVersion":"v1","dryRun":["All"]}`, code: 200, answer: `{"kind":"PodList","items":[{"metadata":{"name":"p"}}]}`, verb: "other", want: "none"},
		"collection, with options": {method: "DELETE", path: "/api/v1/namespaces/a/pods", sent: `{"kind":"DeleteOptions","apiVersion":"v1","dryRun":[],"gracePeriodSeconds":0}`, code: 200, answer: `{"kind":"PodList","items":[{"metadata":{"name":"p"}}]}`, verb: "delete", want: "effective"},
		"collection, dry run in protobuf": {
			method: "DELETE", path: "/api/v1/namespaces/a/pods", contentType: "application/vnd.kubernetes.protobuf", sent: inProtobuf(t, &metav1.DeleteOptions{DryRun: []string{"All"}}),
			code: 200, answer: `{"kind":"PodList","items":[{"metadata":{"name":"p"}}]}`, verb: "other", want: "none",
		},
		"eviction":          {method: "POST", path: path + "/eviction", sent: `{"metadata":{"name":"p"}}`, code: 201, answer: success, verb: "delete", want: "effective"},
		"eviction, dry run": {method: "POST", path: path + "/eviction", sent: `{"metadata":{"name":"p"},"deleteOptions":{"dryRun":["All"]}}`, code: 201, answer: success, verb: "other", want: "none"},
		"eviction, dry run in protobuf": {
			method: "POST", path: path + "/eviction", contentType: "application/vnd.kubernetes.protobuf",
			sent: inProtobuf(t, &policyv1.Eviction{DeleteOptions: &metav1.DeleteOptions{DryRun: []string{"All"}}}), code: 201, answer: success, verb: "other", want: "none",
		},
		"delete, dry run while others write": {method: "DELETE", sent: `{"dryRun":["All"]}`, before: object("1", `"spec":1`), code: 200, answer: success, after: object("2", `"spec":2`), verb: "other", want: "none"},
		"read":                               {method: "GET", code: 404, answer: `{}`, verb: "get", want: "none"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			server := newFakeServer(t)
			if test.path == "" {
				test.path = path
			}
			read, _, _ := strings.Cut(test.path, "?")
			read = strings.TrimSuffix(read, "/status")
			if test.before != "" {
				server.objects[read] = test.before
			}
			server.answer = func(w http.ResponseWriter, _ *http.Request) {
				server.set(func() {
					delete(server.objects, read)
					if test.after != "" {
						server.objects[read] = test.after
					}
				})
				reply(w, test.code, test.answer)
			}
			r := newReplica(t, server.config(), scopeA)
			if test.sent == "" {
				test.sent = `{"metadata":{"name":"p"}}`
			}
			if _, body := r.do(t, test.method, test.path, test.sent, "Content-Type", test.contentType); body != test.answer {
				t.Errorf("the replica gets %s", body)
			}
			r.eventually(t, "recorded", func() bool { return r.last(t).Finished })
			if recorded := r.last(t); recorded.Effect != test.want || recorded.Verb != test.verb || recorded.Code != test.code || recorded.Note != "" {
				t.Errorf("recorded: %+v", recorded)
			}
		})
	}
}

// TestSubresourcesOfAnothersObject: a write of a subresource tells whose object it is about, and
// what it has done to it.
func TestSubresourcesOfAnothersObject(t *testing.T) {
	const pod, deployment = "/api/v1/namespaces/a/pods/p", "/apis/apps/v1/namespaces/a/deployments/p"
	for name, tc := range map[string]struct {
		method, object, subresource string
		code                        int
		want                        string // the verb
	}{
		"evicts it":         {"POST", pod, "eviction", 201, "delete"},
		"may not evict it":  {"POST", pod, "eviction", 429, "create"},
		"binds it":          {"POST", pod, "binding", 201, "update"},
		"debugs it":         {"PATCH", pod, "ephemeralcontainers", 200, "update"},
		"resizes it":        {"PATCH", pod, "resize", 200, "update"},
		"writes its status": {"PATCH", pod, "status", 200, "update"},
		"scales it":         {"PUT", deployment, "scale", 200, "update"},
	} {
		t.Run(name, func(t *testing.T) {
			server := newFakeServer(t)
			server.objects[tc.object] = `{"kind":"Pod","metadata":{"name":"p","uid":"u","resourceVersion":"1","labels":{"reconform.dev/bystander":"true"},
				"ownerReferences":[{"apiVersion":"x/v1","kind":"W","name":"w","uid":"o","controller":true}]},"spec":{"nodeName":"n"}}`
			server.answer = func(w http.ResponseWriter, _ *http.Request) {
				if tc.code == 429 {
					reply(w, tc.code, `{"kind":"Status","status":"Failure","code":429}`)
					return
				}
				reply(w, tc.code, `{"kind":"Status","status":"Success"}`)
			}
			r := newReplica(t, server.config(), scopeA)
			r.do(t, tc.method, tc.object+"/"+tc.subresource, `{"metadata":{"name":"p"}}`, "Content-Type", "application/merge-patch+json")
			r.eventually(t, "recorded", func() bool { return r.last(t).Finished })
			got := r.last(t)
			accepted := tc.code < 300
			if got.Verb != tc.want || got.Bystander != accepted || accepted && (got.UID != "u" || len(got.Owners) != 1) {
				t.Errorf("recorded: %+v, want verb %s", got, tc.want)
			}
		})
	}
}

// inProtobuf encodes an object as client-go does.
func inProtobuf(t *testing.T, object interface{ Marshal() ([]byte, error) }) string {
	t.Helper()
	raw, err := object.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	whole, err := (&runtime.Unknown{Raw: raw}).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return "k8s\x00" + string(whole)
}

func TestRecordOfAWrite(t *testing.T) {
	server := newFakeServer(t)
	const path = "/apis/coordination.k8s.io/v1/namespaces/a/leases/l"
	server.objects[path] = `{"kind":"Lease","metadata":{"name":"l","uid":"u","resourceVersion":"1","generation":3,
		"ownerReferences":[{"kind":"W","name":"w","uid":"o","controller":true}]}}`
	server.answer = func(w http.ResponseWriter, _ *http.Request) {
		reply(w, 200, `{"kind":"Lease","metadata":{"name":"l","uid":"u","resourceVersion":"2","generation":4},"spec":{"holderIdentity":"me"}}`)
	}
	r := newReplica(t, server.config(), scopeA)
	r.do(t, "PUT", path, `{}`)
	got := r.last(t)
	if got.UID != "u" || got.ResourceVersion != "2" || got.Generation != 4 || got.GenerationBefore != 3 || got.Holder != "me" ||
		len(got.Owners) != 1 || got.Owners[0].UID != "o" || got.Duration.Duration <= 0 {
		t.Errorf("recorded: %+v", got)
	}
}

// TestRecordOfAPart: a client that asks for the metadata alone has not removed the rest of the
// object.
func TestRecordOfAPart(t *testing.T) {
	const path = "/apis/apps/v1/namespaces/a/deployments/d"
	whole := func(version, metadata string, replicas int) string {
		return fmt.Sprintf(`{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"d","uid":"u","resourceVersion":%q%s},"spec":{"replicas":%d},"status":{"ready":1}}`,
			version, metadata, replicas)
	}
	part := func(version, metadata string) string {
		return fmt.Sprintf(`{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"d","uid":"u","resourceVersion":%q%s}}`, version, metadata)
	}
	const labels = `,"labels":{"a":"b"}`
	for name, tc := range map[string]struct {
		after, answer string
		changed       []string
	}{
		"a label":                       {whole("2", labels, 1), part("2", labels), []string{"metadata.labels.a"}},
		"a label and a field":           {whole("2", labels, 2), part("2", labels), []string{"metadata.labels.a", "spec.replicas"}},
		"nothing":                       {whole("1", "", 1), part("1", ""), nil},
		"the last finalizer, now gone":  {"", part("1", labels), []string{"metadata.labels.a"}},
		"and somebody made another one": {`{"kind":"Deployment","metadata":{"name":"d","uid":"v"},"spec":{"replicas":7}}`, part("1", labels), []string{"metadata.labels.a"}},
		"answered as a whole":           {"", whole("2", labels, 3), []string{"metadata.labels.a", "spec.replicas"}},
	} {
		t.Run(name, func(t *testing.T) {
			server := newFakeServer(t)
			server.objects["/apis/apps/v1"] = `{"kind":"APIResourceList","resources":[{"name":"deployments","namespaced":true},{"name":"deployments/status","namespaced":true}]}`
			server.objects[path] = whole("1", "", 1)
			server.answer = func(w http.ResponseWriter, _ *http.Request) {
				server.set(func() {
					if server.objects[path] = tc.after; tc.after == "" {
						delete(server.objects, path)
					}
				})
				reply(w, 200, tc.answer)
			}
			r := newReplica(t, server.config(), scopeA)
			r.do(t, "PATCH", path, `{"metadata":{"labels":{"a":"b"}}}`, "Content-Type", "application/merge-patch+json")
			if diff := cmp.Diff(tc.changed, r.last(t).Changed); diff != "" {
				t.Errorf("changed (-want +got):\n%s", diff)
			}
		})
	}
}

// TestRecordOfAConflict: the record shows whether there was anything left to write into a status.
func TestRecordOfAConflict(t *testing.T) {
	const (
		pod   = "/api/v1/namespaces/a/pods/p"
		has   = `{"kind":"Pod","metadata":{"name":"p","uid":"u","resourceVersion":"2"},"status":{"phase":"Running","ready":2}}`
		wants = `{"kind":"Pod","metadata":{"name":"p","resourceVersion":"1"},"status":`
	)
	for name, tc := range map[string]struct {
		method, path, body string
		code               int
		there              string
		moot               bool
	}{
		"the same status":     {"PUT", pod + "/status", wants + `{"ready":2,"phase":"Running"}}`, 409, has, true},
		"another one":         {"PUT", pod + "/status", wants + `{"ready":1,"phase":"Running"}}`, 409, has, false},
		"a part of it":        {"PUT", pod + "/status", wants + `{"ready":2}}`, 409, has, false},
		"another error":       {"PUT", pod + "/status", wants + `{"ready":2,"phase":"Running"}}`, 500, has, false},
		"it was accepted":     {"PUT", pod + "/status", wants + `{"ready":2,"phase":"Running"}}`, 200, has, false},
		"not the status":      {"PUT", pod, wants + `{"ready":2,"phase":"Running"}}`, 409, has, false},
		"a patch":             {"PATCH", pod + "/status", wants + `{"ready":2,"phase":"Running"}}`, 409, has, false},
		"the object is gone":  {"PUT", pod + "/status", wants + `{"ready":2,"phase":"Running"}}`, 409, "", false},
		"what cannot be read": {"PUT", pod + "/status", "k8s\x00", 409, has, false},
	} {
		t.Run(name, func(t *testing.T) {
			server := newFakeServer(t)
			if tc.there != "" {
				server.objects[pod], server.objects[pod+"/status"] = tc.there, tc.there
			}
			server.answer = func(w http.ResponseWriter, _ *http.Request) { reply(w, tc.code, has) }
			r := newReplica(t, server.config(), scopeA)
			r.do(t, tc.method, tc.path, tc.body, "Content-Type", "application/json")
			if got := r.last(t).Moot; got != tc.moot {
				t.Errorf("moot = %t, want %t", got, tc.moot)
			}
		})
	}
}

// TestRecordOfAReplacement: the record shows whether an object had to be created again.
func TestRecordOfAReplacement(t *testing.T) {
	const path = "/apis/apps/v1/namespaces/a/deployments"
	child := func(selector string) string {
		return `{"kind":"Deployment","metadata":{"name":"p","uid":"u","resourceVersion":"1",
			"ownerReferences":[{"kind":"W","name":"w","uid":"o","controller":true}]},"spec":{"replicas":1,"selector":` + selector + `}}`
	}
	server := newFakeServer(t)
	answer := `{"kind":"W","metadata":{"name":"w","uid":"o","resourceVersion":"5","generation":3}}`
	server.answer = func(w http.ResponseWriter, _ *http.Request) { reply(w, 200, answer) }
	r := newReplica(t, server.config(), scopeA)
	record := func(method, path, next string) history.Request {
		t.Helper()
		server.set(func() { answer = next })
		r.do(t, method, path, `{"metadata":{"name":"p"}}`)
		r.eventually(t, "recorded", func() bool { return r.last(t).Finished })
		return r.last(t)
	}
	created := record("POST", path, child(`{"a":"1"}`))
	if created.OwnerGeneration != 0 || created.Fixed == "" {
		t.Errorf("created by one that it was not shown: %+v", created)
	}
	record("GET", "/apis/example.com/v1/namespaces/a/ws/w", `{"kind":"W","metadata":{"name":"w","uid":"o","resourceVersion":"5","generation":3}}`)
	server.set(func() { server.objects[path+"/p"] = child(`{"a":"1"}`) })
	deleted := record("DELETE", path+"/p", `{"kind":"Status","status":"Success"}`)
	if deleted.OwnerGeneration != 3 || deleted.Fixed != created.Fixed {
		t.Errorf("deleted: %+v", deleted)
	}
	record("GET", "/apis/example.com/v1/namespaces/a/ws/w", `{"kind":"W","metadata":{"name":"w","uid":"o","resourceVersion":"6","generation":4}}`)
	again := record("POST", path, child(`{"a":"2"}`))
	if again.OwnerGeneration != 4 || again.Fixed == created.Fixed {
		t.Errorf("created again: %+v", again)
	}
}

// TestBystandersAreMarked: the record says which writes hit an object that the bench
// has put there, also if one request deletes many objects.
func TestBystandersAreMarked(t *testing.T) {
	const (
		path   = "/api/v1/namespaces/a/pods"
		marked = `{"kind":"Pod","metadata":{"name":"p","uid":"u","resourceVersion":"1","labels":{"reconform.dev/bystander":"true"}}}`
		plain  = `{"kind":"Pod","metadata":{"name":"q","uid":"v","resourceVersion":"1"}}`
	)
	for name, test := range map[string]struct {
		method, path, before, answer string
		want                         bool
	}{
		"an update":         {"PUT", path + "/p", marked, plain, true},
		"a deletion":        {"DELETE", path + "/p", marked, `{"kind":"Status","status":"Success"}`, true},
		"of another one":    {"DELETE", path + "/p", plain, `{"kind":"Status","status":"Success"}`, false},
		"among many":        {"DELETE", path, "", `{"kind":"PodList","items":[` + plain + "," + marked + `]}`, true},
		"none of them":      {"DELETE", path, "", `{"kind":"PodList","items":[` + plain + `]}`, false},
		"its own, marked":   {"POST", path, "", marked, false},
		"a read of the one": {"GET", path + "/p", marked, marked, false},
	} {
		t.Run(name, func(t *testing.T) {
			server := newFakeServer(t)
			if test.before != "" {
				server.objects[test.path] = test.before
			}
			server.answer = func(w http.ResponseWriter, _ *http.Request) { reply(w, 200, test.answer) }
			r := newReplica(t, server.config(), scopeA)
			r.do(t, test.method, test.path, `{"metadata":{"name":"p"}}`)
			r.eventually(t, "recorded", func() bool { return r.last(t).Finished })
			if got := r.last(t).Bystander; got != test.want {
				t.Errorf("marked: %t, want %t", got, test.want)
			}
		})
	}
}

func TestUpgradesAreRefused(t *testing.T) {
	server := newFakeServer(t)
	r := newReplica(t, server.config(), scopeA)
	r.client.Transport.(*http.Transport).ForceAttemptHTTP2 = false
	response, body := r.do(t, "POST", "/api/v1/namespaces/a/pods/p/exec", "", "Connection", "Upgrade", "Upgrade", "SPDY/3.1")
	if response.StatusCode != 501 || !strings.Contains(body, "port-forward") || server.last() != nil {
		t.Errorf("answered with %d %s", response.StatusCode, body)
	}
}

// TestWatchOnAWebSocket: a client that prefers web sockets for its watches learns that there
// are none, and its watch without one is the one that counts.
func TestWatchOnAWebSocket(t *testing.T) {
	const list, watch = "/api/v1/namespaces/a/pods", "/api/v1/namespaces/a/pods?watch=true"
	for name, tc := range map[string]struct {
		path, upgrade string
		code          int
		verb          string
		passes        bool
	}{
		"a watch":             {watch, "websocket", 200, "other", false},
		"of one object":       {watch + "&fieldSelector=metadata.name%3Dp", "WebSocket", 200, "other", false},
		"that begins anew":    {watch + "&sendInitialEvents=true", "websocket", 200, "other", false},
		"a command":           {list + "/p/exec", "websocket", 501, "get", false},
		"a watch without one": {watch, "", 200, "watch", true},
		"another protocol":    {list, "h2c", 200, "list", true},
		"and a watch with it": {watch, "h2c", 200, "watch", true},
	} {
		t.Run(name, func(t *testing.T) {
			server := newFakeServer(t)
			r := newReplica(t, server.config(), scopeA)
			r.client.Transport.(*http.Transport).ForceAttemptHTTP2 = false
			var header []string
			if tc.upgrade != "" {
				header = []string{"Connection", "Upgrade", "Upgrade", tc.upgrade}
			}
			response, err := r.open(t, "GET", tc.path, "", header...)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			r.eventually(t, "recorded", func() bool { return r.last(t).Code != 0 })
			if got := r.last(t); response.StatusCode != tc.code || got.Verb != tc.verb || got.StreamingList && tc.verb == "other" || (server.last() != nil) != tc.passes {
				t.Errorf("answered with %d, recorded: %+v", response.StatusCode, got)
			}
		})
	}
}

func TestServerDoesNotAnswer(t *testing.T) {
	server := newFakeServer(t)
	r := newReplica(t, server.config(), scopeA)
	r.do(t, "GET", "/api/v1/namespaces/a/pods", "")
	server.CloseClientConnections()
	server.Close()
	for _, path := range []string{"/api/v1/namespaces/a/pods", "/api/v1/pods"} {
		if response, err := r.open(t, "GET", path, ""); err == nil {
			t.Errorf("%s is answered with %d", path, response.StatusCode)
		}
		if recorded := r.last(t); recorded.Code != 503 || recorded.Note == "" || strings.Contains(recorded.Note, "admin") {
			t.Errorf("recorded: %+v", recorded)
		}
	}
	account := r.recorder.Account("a")
	if got := len(account.ServerErrors()); got != 2 {
		t.Errorf("%d server errors", got)
	}
}

func TestAnswerBreaksOff(t *testing.T) {
	server := newFakeServer(t)
	server.answer = func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, `{"kind":`)
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
	r := newReplica(t, server.config(), scopeA)
	if response, err := r.open(t, "GET", "/api/v1/namespaces/a/pods", ""); err == nil {
		if body, err := io.ReadAll(response.Body); err == nil {
			t.Errorf("half an answer passes as a whole one: %s", body)
		}
	}
	if recorded := r.last(t); recorded.Code != 503 || !recorded.Finished {
		t.Errorf("recorded: %+v", recorded)
	}
}

// TestWriteOutlivesItsReplica: a write that was forwarded is recorded with its effect
// though the replica is gone.
func TestWriteOutlivesItsReplica(t *testing.T) {
	server := newFakeServer(t)
	arrived, answer := make(chan struct{}), make(chan struct{})
	server.answer = func(w http.ResponseWriter, _ *http.Request) {
		close(arrived)
		<-answer
		reply(w, 201, `{"kind":"Pod","metadata":{"name":"p","uid":"u","resourceVersion":"1"}}`)
	}
	r := newReplica(t, server.config(), scopeA)
	failed := make(chan error)
	go func() {
		_, err := r.open(t, "POST", "/api/v1/namespaces/a/pods", `{"metadata":{"name":"p"}}`)
		failed <- err
	}()
	<-arrived
	closed := make(chan error)
	go func() { closed <- r.Close() }()
	if err := <-failed; err == nil {
		t.Error("the replica has an answer")
	}
	close(answer)
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if recorded := r.last(t); recorded.Effect != history.EffectEffective || recorded.Code != 201 || !recorded.Finished {
		t.Errorf("recorded: %+v", recorded)
	}
	if _, err := r.open(t, "GET", "/api/v1/namespaces/a/pods", ""); err == nil {
		t.Error("answers though it is closed")
	}
}

func TestStart(t *testing.T) {
	server := newFakeServer(t)
	authority, err := proxy.NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	options := proxy.Options{Authority: authority, Upstream: server.config(), Replica: "subject-0", Recorder: history.New(nil, nil)}
	if _, err := proxy.Start(t.Context(), options); err == nil {
		t.Error("starts without a scope")
	}
	options.Scope = scopeA
	ctx, cancel := context.WithCancel(t.Context())
	p, err := proxy.Start(ctx, options)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}
