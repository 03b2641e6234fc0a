package subject

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

// converted asks for two objects of different namespaces, as the API server does.
func converted(t *testing.T, server *httptest.Server) *apiextensionsv1.ConversionResponse {
	t.Helper()
	body := `{"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview", "request": {"uid": "u", "desiredAPIVersion": "example.com/v2", "objects": [
		{"apiVersion": "example.com/v1", "kind": "Site", "metadata": {"namespace": "other", "name": "a"}, "spec": {"old": "1"}},
		{"apiVersion": "example.com/v1", "kind": "Site", "metadata": {"namespace": "ns", "name": "b"}, "spec": {"old": "2"}}]}}`
	response, err := http.Post(server.URL+ConversionPath, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	review := apiextensionsv1.ConversionReview{}
	if err := json.NewDecoder(response.Body).Decode(&review); err != nil {
		t.Fatal(err)
	}
	return review.Response
}

// TestWhoConverts: the replicas of a namespace convert the objects in it. Objects in
// other namespaces only change their version.
func TestWhoConverts(t *testing.T) {
	const there = `{"apiVersion":"example.com/v2","kind":"Site","metadata":{"name":"a","namespace":"other"},"spec":{"old":"1"}}`
	const byItself = `{"apiVersion":"example.com/v2","kind":"Site","metadata":{"name":"b","namespace":"ns"},"spec":{"old":"2"}}`
	const byReplica = `{"apiVersion":"example.com/v2","kind":"Site","metadata":{"name":"b","namespace":"ns"},"spec":{"new":"2"}}`
	answer := func(objects ...string) string {
		return `{"response": {"uid": "u", "result": {"status": "Success"}, "convertedObjects": [` + strings.Join(objects, ",") + `]}}`
	}
	for name, tc := range map[string]struct {
		answer  string
		change  func(*replica)
		want    []string
		message string
	}{
		"the replica":        {answer: answer(byReplica), want: []string{there, byReplica}},
		"also while cut off": {answer: answer(byReplica), change: func(r *replica) { r.cutOff = true }, want: []string{there, byReplica}},
		"none, it is down":   {change: func(r *replica) { r.current = nil }, want: []string{there, byItself}},
		"none, it is paused": {change: func(r *replica) { r.current.paused = true }, want: []string{there, byItself}},
		"none, not served": {
			change: func(r *replica) { r.env.Profile("ns").Spec.Launch.Webhook.Conversion = "" }, want: []string{there, byItself},
		},
		"none, no answer": {change: func(r *replica) { r.ports["webhook"] = 1 }, want: []string{there, byItself}},
		"it fails": {
			answer:  `{"response": {"uid": "u", "result": {"status": "Failure", "message": "no such version"}}}`,
			message: "replica first: it converts nothing: no such version",
		},
		"too many":    {answer: answer(byReplica, byReplica), message: "replica first: it was given 1 objects and gave back 2"},
		"no response": {answer: `{}`, message: "replica first: its answer at /convert, HTTP status 200 OK, has no response"},
		"no review":   {answer: `nothing`, message: "replica first: reading its answer at /convert, HTTP status 200 OK"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHooked(t)
			h.env.Profile("ns").Spec.Launch.Webhook.Conversion = "/convert"
			r := h.answering(t, "first", func(w http.ResponseWriter, request *http.Request) {
				if request.URL.Path != "/convert" {
					t.Errorf("asked at %s", request.URL.Path)
				}
				_, _ = w.Write([]byte(tc.answer))
			})
			if tc.change != nil {
				tc.change(r)
			}
			s := &Controller{instances: map[types.NamespacedName]*instance{{Namespace: "ns", Name: "subject"}: {subject: r.subject, replicas: []*replica{r}}}}
			server := httptest.NewServer(http.HandlerFunc(s.ServeConversion))
			t.Cleanup(server.Close)
			got := converted(t, server)
			if tc.message != "" {
				if got.Result.Status != "Failure" || !strings.Contains(got.Result.Message, tc.message) {
					t.Fatalf("result %+v, want a failure: %s", got.Result, tc.message)
				}
				return
			}
			var want []runtime.RawExtension
			for _, object := range tc.want {
				want = append(want, runtime.RawExtension{Raw: []byte(object)})
			}
			if diff := cmp.Diff(want, got.ConvertedObjects); got.Result.Status != "Success" || diff != "" {
				t.Errorf("result %+v, objects (-want +got):\n%s", got.Result, diff)
			}
		})
	}
}

// TestWhoConvertsElsewhere: a Subject also converts in the other namespaces that it serves.
func TestWhoConvertsElsewhere(t *testing.T) {
	for name, tc := range map[string]struct {
		namespace  string
		namespaces []string
		asked      bool
	}{
		"its own":                      {namespace: "ns", asked: true},
		"one that it serves, too":      {namespace: "ns-second", namespaces: []string{"ns-first", "ns-second"}, asked: true},
		"one that begins like its own": {namespace: "ns-second", namespaces: []string{"ns-first"}},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHooked(t)
			h.env.Profile("ns").Spec.Launch.Webhook.Conversion = "/convert"
			asked := false
			r := h.answering(t, "first", func(w http.ResponseWriter, _ *http.Request) {
				asked = true
				_, _ = w.Write([]byte(`{"response": {"uid": "u", "result": {"status": "Success"}, "convertedObjects": [{"spec": {"new": "1"}}]}}`))
			})
			r.subject.Spec.Namespaces = tc.namespaces
			s := &Controller{instances: map[types.NamespacedName]*instance{
				{Namespace: "ns", Name: "subject"}: {subject: r.subject, replicas: []*replica{r}},
			}}
			object := fmt.Sprintf(`{"apiVersion": "example.com/v1", "kind": "Site", "metadata": {"namespace": %q, "name": "a"}, "spec": {"old": "1"}}`, tc.namespace)
			_, err := s.convert(t.Context(), &apiextensionsv1.ConversionRequest{
				UID: "u", DesiredAPIVersion: "example.com/v2", Objects: []runtime.RawExtension{{Raw: []byte(object)}},
			})
			if err != nil || asked != tc.asked {
				t.Errorf("the replica was asked: %t, want %t, error %v", asked, tc.asked, err)
			}
		})
	}
}
