package chainsaw

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/kyverno/chainsaw/pkg/model"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

const (
	benchPath = "/apis/reconform.dev/v1alpha1/namespaces/ns/traffics/calm"
	ofTraffic = `{"apiVersion": "reconform.dev/v1alpha1", "kind": "Traffic", "metadata": {"namespace": "ns", "name": "calm"}, "status": `
)

// answering is an API server that answers everything with one body.
func answering(t *testing.T, body string) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	return server
}

func TestVerdictsEndTheWait(t *testing.T) {
	for name, tc := range map[string]struct {
		method, path, body string
		want               string // the message; empty: the body untouched
	}{
		"not met":    {http.MethodGet, benchPath, ofTraffic + `{"verdict": "NotMet", "message": "expected no writes, found 2"}}`, "Traffic calm is not as expected: expected no writes, found 2"},
		"invalid":    {http.MethodGet, benchPath, ofTraffic + `{"verdict": "Invalid", "message": "no such key: x"}}`, "Traffic calm cannot be judged: no such key: x"},
		"met":        {http.MethodGet, benchPath, ofTraffic + `{"verdict": "Met", "message": "#1 get pods"}}`, ""},
		"pending":    {http.MethodGet, benchPath, ofTraffic + `{"verdict": "Pending"}}`, ""},
		"no verdict": {http.MethodGet, benchPath, ofTraffic + `{"phase": "Armed"}}`, ""},
		"no status":  {http.MethodGet, benchPath, `{"kind": "Traffic",  "spec": {}}`, ""},
		"a list": {
			http.MethodGet, "/apis/reconform.dev/v1alpha1/namespaces/ns/traffics",
			`{"kind": "TrafficList", "items": [` + ofTraffic + `{"verdict": "NotMet"}}]}`, "",
		},
		"behind another path": {
			http.MethodGet, "/k8s/clusters/c-1" + benchPath, ofTraffic + `{"verdict": "Invalid", "message": "no such key: x"}}`,
			"Traffic calm cannot be judged: no such key: x",
		},
		"a write":             {http.MethodPut, benchPath, ofTraffic + `{"verdict": "NotMet"}}`, ""},
		"a watch":             {http.MethodGet, benchPath + "?watch=true", ofTraffic + `{"verdict": "NotMet"}}`, ""},
		"of another group":    {http.MethodGet, "/apis/apps/v1/namespaces/ns/deployments/calm", ofTraffic + `{"verdict": "NotMet"}}`, ""},
		"of the core group":   {http.MethodGet, "/api/v1/namespaces/ns/pods/calm", ofTraffic + `{"verdict": "NotMet"}}`, ""},
		"not JSON":            {http.MethodGet, benchPath, `k8s` + "\x00", ""},
		"of a longer version": {http.MethodGet, "/apis/reconform.dev/v1alpha11/namespaces/ns/traffics/calm", ofTraffic + `{"verdict": "NotMet"}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			server := answering(t, tc.body)
			request, err := http.NewRequestWithContext(t.Context(), tc.method, server.URL+tc.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			response, err := (&verdicts{}).wrap(http.DefaultTransport).RoundTrip(request)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			body, err := io.ReadAll(response.Body)
			if err != nil {
				t.Fatal(err)
			}
			if tc.want == "" {
				if response.StatusCode != http.StatusOK || string(body) != tc.body {
					t.Errorf("got %s, %q; want it untouched", response.Status, body)
				}
				return
			}
			if response.StatusCode != http.StatusFailedDependency || !strings.Contains(string(body), tc.want) {
				t.Errorf("got %s, %q", response.Status, body)
			}
		})
	}
}

func TestVerdictIsTheErrorOfTheRead(t *testing.T) {
	server := answering(t, ofTraffic+`{"verdict": "Invalid", "message": "no such key: x"}}`)
	client, err := dynamic.NewForConfig(&rest.Config{Host: server.URL, WrapTransport: (&verdicts{}).wrap})
	if err != nil {
		t.Fatal(err)
	}
	resource := schema.GroupVersionResource{Group: "reconform.dev", Version: "v1alpha1", Resource: "traffics"}
	_, err = client.Resource(resource).Namespace("ns").Get(t.Context(), "calm", metav1.GetOptions{})
	if err == nil || err.Error() != "Traffic calm cannot be judged: no such key: x" {
		t.Errorf("error: %v", err)
	}
	if !(Failure{Message: err.Error()}).CannotBeJudged() {
		t.Error("it counts against the subject")
	}
}

// TestFailureTellsTheVerdict: Chainsaw may report an earlier difference, such as
// Pending. The failure has the verdict all the same.
func TestFailureTellsTheVerdict(t *testing.T) {
	const difference = `* status.verdict: Invalid value: "Pending": Expected value: "Met"`
	begun := time.Now()
	told := &verdicts{}
	server := answering(t, ofTraffic+`{"verdict": "NotMet", "message": "expected no writes, found 2"}}`)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+benchPath, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := told.wrap(http.DefaultTransport).RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	ended := time.Now()
	later := ended.Add(time.Second)

	operation := func(from, to time.Time, err error) *model.OperationReport {
		return &model.OperationReport{Type: model.OperationTypeAssert, StartTime: from, EndTime: to, Err: err}
	}
	report := &model.TestReport{Name: "sh-001", Steps: []*model.StepReport{
		{Name: "Then it is calm", EndTime: later, Operations: []*model.OperationReport{
			operation(begun, ended, nil), operation(begun, ended, errors.New(difference)), operation(later, later, errors.New("later")),
		}},
		{Name: "cleanup (Then it is calm)", EndTime: later.Add(time.Second)},
		{Name: "@cleanup", EndTime: later.Add(2 * time.Second)},
	}}
	if got := resultOf(report, "ns", told, &compared{}).Judged; !got.Equal(later) {
		t.Errorf("judged at %s, want %s, when the last step ended", got, later)
	}
	want := []Failure{
		{Step: "Then it is calm", Operation: "assert", Message: "Traffic calm is not as expected: expected no writes, found 2", Of: Measured{Kind: "Traffic"}},
		{Step: "Then it is calm", Operation: "assert", Message: "later"},
	}
	if diff := cmp.Diff(want, resultOf(report, "ns", told, &compared{}).Failures); diff != "" {
		t.Errorf("failures (-want +got):\n%s", diff)
	}
	want[0].Message, want[0].Of = difference, Measured{}
	if diff := cmp.Diff(want, resultOf(report, "other", told, &compared{}).Failures); diff != "" {
		t.Errorf("failures of another test (-want +got):\n%s", diff)
	}
}

// TestMeasuredOfAnObservation: the first violation and the order are passed on, and those of
// other kinds are not.
func TestMeasuredOfAnObservation(t *testing.T) {
	const status = `"status": {"violations": [{"name": "demo", "resourceVersion": "7", "deleted": true, "changed": ["a from 1 to 2"]}, {"name": "other"}],
		"order": {"early": {"resource": "a", "name": "x", "resourceVersion": "1"}, "late": {"resource": "b", "name": "y", "resourceVersion": "2"}}}}`
	for kind, want := range map[string]Measured{
		"Observation": {
			Kind: "Observation", Violation: &v1alpha1.ObservedViolation{Name: "demo", ResourceVersion: "7", Deleted: true, Changed: []string{"a from 1 to 2"}},
			Order: &v1alpha1.ObservedOrder{
				Early: v1alpha1.ObservedVersion{Resource: "a", Name: "x", ResourceVersion: "1"}, Late: v1alpha1.ObservedVersion{Resource: "b", Name: "y", ResourceVersion: "2"},
			},
		},
		"Subject": {Kind: "Subject"},
	} {
		var m measurement
		if err := json.Unmarshal([]byte(`{"kind": "`+kind+`", `+status), &m); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, m.measured()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", kind, diff)
		}
	}
}
