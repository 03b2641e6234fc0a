package observation

import (
	"crypto/tls"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/process/capture"
)

// replicas that serve one URL and write one file.
type replicas struct{ url, log string }

func (r replicas) Endpoint(string, string, v1alpha1.EndpointName) (string, error) { return r.url, nil }

func (replicas) Ask(_, _ string, request *http.Request) (*http.Response, error) {
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}}
	return client.Do(request)
}

func (r replicas) Log(string, string) (string, error) { return r.log, nil }

func TestLinesThatTellOfAFailure(t *testing.T) {
	for name, tc := range map[string]struct {
		line    string
		format  string
		missing []string
	}{
		"JSON": {
			`{"level":"error","msg":"Reconciler error","namespace":"ns-1","name":"demo","error":"applying: too many"}`, "JSON", nil,
		},
		"JSON with an object": {
			`{"msg":"failed","WebApp":{"name":"demo","namespace":"ns-1"},"err":"too many"}`, "JSON", nil,
		},
		"JSON with both names in one field": {
			`{"fields":{"message":"failed","error":"too many"},"span":{"object.ref":"WebApp.v1.example.com/demo.ns-1"}}`, "JSON", nil,
		},
		"klog": {
			`E1121 05:00:00.000000       1 controller.go:316] "Reconciler error" err="deployments.apps \"demo\": too many" namespace="ns-1" name="demo"`, "KeyValue", nil,
		},
		"klog with a reference": {
			`E1121 05:00:00.000000       1 controller.go:316] "Error syncing" err="too many" object="ns-1/demo"`, "KeyValue", nil,
		},
		"logfmt": {`time=2026-11-21T05:00:00Z level=ERROR msg=failed namespace=ns-1 name=demo err="too many"`, "KeyValue", nil},
		"text":   {`2026/11/21 05:00:00 reconciling ns-1/demo: too many`, "Text", []string{"namespace", "name", "error"}},
		"names in the error only": {
			`{"msg":"failed","error":"deployments \"demo\" in ns-1: too many"}`, "JSON", []string{"namespace", "name"},
		},
		"all in the message": {
			`{"level":"error","msg":"reconciling ns-1/demo: too many"}`, "JSON", []string{"namespace", "name", "error"},
		},
		"error in the message": {
			`level=error namespace=ns-1 name=demo msg="failed: too many"`, "KeyValue", []string{"error"},
		},
		"another object":         {`{"namespace":"ns-1","name":"demo-2","error":"too many"}`, "JSON", []string{"name"}},
		"no namespace":           {`{"name":"demo","error":"too many"}`, "JSON", []string{"namespace"}},
		"quoted text with an =":  {`"namespace=ns-1 name=demo error=x" too many`, "Text", []string{"namespace", "name", "error"}},
		"JSON that is cut short": {`{"namespace":"ns-1","name":"demo","error":"too many`, "Text", []string{"namespace", "name", "error"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := readLog(t, tc.line+"\n")
			want := v1alpha1.LogReadings{Lines: 1, Examples: []v1alpha1.LogLine{{Line: tc.line, Format: tc.format, Missing: tc.missing}}}
			if tc.format != "Text" {
				want.Structured = 1
			}
			if tc.missing == nil {
				want.Complete = 1
			} else {
				want.Incomplete = 1
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func readLog(t *testing.T, parts ...string) v1alpha1.LogReadings {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log")
	l := newLogFile(replicas{log: path}, "ns-1", v1alpha1.ObservedLog{Replica: "subject-0", Object: "demo", Error: "too many"})
	var status v1alpha1.ObservationStatus
	for i := range parts {
		if err := os.WriteFile(path, []byte(strings.Join(parts[:i+1], "")), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := l.read(t.Context(), &status); err != nil {
			t.Fatal(err)
		}
	}
	return *status.Log
}

func TestLogIsReadAsItGrows(t *testing.T) {
	line := `{"namespace":"ns-1","name":"demo","error":"too many"}` + "\n"
	got := readLog(t, "", "starting\n\n"+line[:20], line[20:]+line, line+"not ended: too many")
	if got.Lines != 4 || got.Structured != 3 || got.Complete != 3 || got.Incomplete != 0 || len(got.Examples) != 3 {
		t.Errorf("readings: %+v", got)
	}
}

func TestLogThatIsNotThereIsEmpty(t *testing.T) {
	l := newLogFile(replicas{log: filepath.Join(t.TempDir(), "none")}, "ns-1", v1alpha1.ObservedLog{})
	var status v1alpha1.ObservationStatus
	if _, err := l.read(t.Context(), &status); err != nil || status.Log == nil {
		t.Errorf("error %v, readings %v", err, status.Log)
	}
}

func TestLogOfWhichAPartIsLeftOut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(path, make([]byte, capture.First), 0o600); err != nil {
		t.Fatal(err)
	}
	l := newLogFile(replicas{log: path}, "ns-1", v1alpha1.ObservedLog{})
	var status v1alpha1.ObservationStatus
	if _, err := l.read(t.Context(), &status); err == nil || !strings.Contains(err.Error(), "more than 4 MB") {
		t.Errorf("error %v", err)
	}
}
