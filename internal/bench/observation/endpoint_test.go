package observation

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

const page = `# HELP done_total Reconciles.
# TYPE done_total counter
done_total{result="success"} 3
done_total{result="error"} %d
# TYPE depth gauge
depth 0.5
# TYPE wait_seconds histogram
wait_seconds_bucket{le="1"} %[1]d
wait_seconds_bucket{le="+Inf"} %[1]d
wait_seconds_sum 0.25
wait_seconds_count %[1]d
`

const text = "text/plain; version=0.0.4"

func TestMetricsMove(t *testing.T) {
	readings := 0
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", text)
		fmt.Fprintf(w, page, readings)
		if readings > 0 {
			fmt.Fprintln(w, "late_total 1")
		}
		readings++
	}))
	t.Cleanup(server.Close)
	e := newEndpoint(replicas{url: server.URL}, "ns", v1alpha1.ObservedEndpoint{
		Name: v1alpha1.EndpointMetrics, Metrics: []string{"done_total", "depth", "wait_seconds", "late_total", "none"},
	}, v1alpha1.MetricNames{Reconciles: "reconciles_total"})
	var status v1alpha1.ObservationStatus
	for range 2 {
		if _, err := e.read(t.Context(), &status); err != nil {
			t.Fatal(err)
		}
	}
	want := &v1alpha1.EndpointReadings{
		Reads: 2, Code: 200, ContentType: text, Prometheus: true, Series: 5, Grown: []string{"late_total (+1)"},
		Samples:   map[string]int64{"done_total": 4, "depth": 0, "wait_seconds": 1, "late_total": 1},
		Increased: []string{"done_total", "wait_seconds", "late_total"},
	}
	if diff := cmp.Diff(want, status.Endpoint); diff != "" {
		t.Error(diff)
	}
}

// TestGrown: metrics with more series than before are named, those with the most first.
func TestGrown(t *testing.T) {
	before := map[string]int64{"same": 3, "fewer": 3, "one_more": 1}
	now := map[string]int64{"same": 3, "fewer": 2, "one_more": 2, "of_each": 60, "b": 2, "a": 2}
	want := []string{"of_each (+60)", "a (+2)", "b (+2)", "one_more (+1)"}
	if diff := cmp.Diff(want, grown(before, now)); diff != "" {
		t.Error(diff)
	}
	for _, name := range []string{"c", "d", "e"} {
		now[name] = 9
	}
	if got := grown(before, now); len(got) != maxGrown || got[0] != "of_each (+60)" {
		t.Errorf("got %q", got)
	}
	if got := grown(before, before); len(got) != 0 {
		t.Errorf("nothing has grown: got %q", got)
	}
}

// TestGaugesThatMayCount: a gauge counts if it is one of the program itself, and its
// name does not say that it is something else than a number of objects.
func TestGaugesThatMayCount(t *testing.T) {
	page := `# TYPE shops gauge
shops{state="ready"} 2
shops{state="failing"} 1.5
# TYPE shops_total gauge
shops_total 7
# TYPE shops_served counter
shops_served 7
shops_untyped 7
# TYPE go_goroutines gauge
go_goroutines 7
# TYPE workqueue_depth gauge
workqueue_depth{name="shops"} 7
# TYPE shop_last_sync_timestamp_seconds gauge
shop_last_sync_timestamp_seconds 7
# TYPE shop_cache_entries gauge
shop_cache_entries 7
# TYPE shop_observed_generation gauge
shop_observed_generation 7
`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", text)
		fmt.Fprint(w, page)
	}))
	t.Cleanup(server.Close)
	for name, tc := range map[string]struct {
		asked bool
		want  map[string]int64
	}{"asked for": {true, map[string]int64{"shops": 3}}, "not asked for": {false, nil}} {
		t.Run(name, func(t *testing.T) {
			e := newEndpoint(replicas{url: server.URL}, "ns", v1alpha1.ObservedEndpoint{Name: v1alpha1.EndpointMetrics, Gauges: tc.asked}, v1alpha1.MetricNames{})
			var status v1alpha1.ObservationStatus
			if _, err := e.read(t.Context(), &status); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, status.Endpoint.Gauges); diff != "" {
				t.Errorf("gauges (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPagesWithoutMetrics(t *testing.T) {
	for name, tc := range map[string]struct{ contentType, page, want string }{
		"of another type":   {"application/json", "{}", `its content type is "application/json"`},
		"without a type":    {"", "up 1\n", `its content type is ""`},
		"empty":             {text, "", "there is no metric in its 0 bytes"},
		"not in the format": {text, "up 1\n<html>\n", "text format parsing error in line 2"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parseMetrics(tc.contentType, tc.page)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want one with %q", err, tc.want)
			}
		})
	}
}

func TestHealthThatFails(t *testing.T) {
	healthy := false
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if !healthy {
			http.Error(w, "the cache is broken", http.StatusInternalServerError)
		}
	}))
	t.Cleanup(server.Close)
	e := newEndpoint(replicas{url: server.URL}, "ns", v1alpha1.ObservedEndpoint{Name: v1alpha1.EndpointHealth}, v1alpha1.MetricNames{})
	var status v1alpha1.ObservationStatus
	read := func() *v1alpha1.EndpointReadings {
		t.Helper()
		if _, err := e.read(t.Context(), &status); err != nil {
			t.Fatal(err)
		}
		return status.Endpoint
	}
	if got := read(); got.Reads != 0 || got.Failed != 0 || got.Code != 500 || got.Failure == "" {
		t.Errorf("not yet healthy: %+v", got)
	}
	healthy = true
	if got := read(); got.Reads != 1 || got.Failed != 0 || got.Code != 200 {
		t.Errorf("healthy: %+v", got)
	}
	healthy = false
	if got := read(); got.Failed != 1 || got.Code != 500 || !strings.Contains(got.Failure, "the cache is broken") {
		t.Errorf("not healthy: %+v", got)
	}
	server.Close()
	if got := read(); got.Failed != 2 || got.Code != 0 || !strings.Contains(got.Failure, "connection refused") {
		t.Errorf("gone: %+v", got)
	}
}

func TestPageThatBarsTheBench(t *testing.T) {
	for _, code := range []int{http.StatusUnauthorized, http.StatusForbidden} {
		answer := http.StatusOK
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(answer) }))
		t.Cleanup(server.Close)
		spec := v1alpha1.ObservationSpec{
			Endpoint: &v1alpha1.ObservedEndpoint{Name: v1alpha1.EndpointHealth}, Eventually: "new.code == 200", Never: "new.failed > 0",
		}
		e, judge := newEndpoint(replicas{url: server.URL}, "ns", *spec.Endpoint, v1alpha1.MetricNames{}), newTestJudge(t, spec)
		take := func(into *v1alpha1.ObservationStatus) (any, error) { return e.read(t.Context(), into) }
		if err := judge.read(take, time.Now); err != nil {
			t.Fatal(err)
		}
		answer = code
		if err := judge.read(take, time.Now); err == nil {
			t.Fatalf("%d was read", code)
		}
		status, _ := judge.status(time.Now())
		if status.Verdict != v1alpha1.JudgementInvalid || !strings.Contains(status.Message, fmt.Sprintf("%d %s", code, http.StatusText(code))) {
			t.Errorf("after %d: %s, %s", code, status.Verdict, status.Message)
		}
		if status.Endpoint.Failed != 0 {
			t.Errorf("%d counts as a failure", code)
		}
	}
}

type noReplicas struct{ replicas }

func (noReplicas) Endpoint(string, string, v1alpha1.EndpointName) (string, error) {
	return "", errors.New("no such replica")
}

func (noReplicas) Log(string, string) (string, error) {
	return "", errors.New("no such replica")
}

func TestNothingToRead(t *testing.T) {
	for name, read := range map[string]reading{
		"endpoint": newEndpoint(noReplicas{}, "ns", v1alpha1.ObservedEndpoint{}, v1alpha1.MetricNames{}).read,
		"log":      newLogFile(noReplicas{}, "ns", v1alpha1.ObservedLog{}).read,
	} {
		err := poll(t.Context(), read, newTestJudge(t, v1alpha1.ObservationSpec{}), func() {})
		if err == nil || !strings.Contains(err.Error(), "no such replica") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSeriesAreToldApart: if labels are given, the series that have them count, and no
// others.
func TestSeriesAreToldApart(t *testing.T) {
	page := `# TYPE by counter
by{result="success",zone="a,b"} 7
by{result="error",zone="a,b"} 2
by{result="error",zone="c"} 3
by_all 1
`
	found, err := parseMetrics(text, page)
	if err != nil {
		t.Fatal(err)
	}
	type answer struct {
		Value   float64
		Exposed bool
	}
	for wanted, want := range map[string]answer{
		`by`:                             {12, true},
		`by{result="error"}`:             {5, true},
		`by{zone="a,b",result="error"}`:  {2, true},
		`by{result="error",zone="none"}`: {0, false},
		`by{result="err"}`:               {0, false},
		`by_all{result="error"}`:         {0, false},
		`none{result="error"}`:           {0, false},
		`none`:                           {0, false},
		`by{result="error"`:              {0, false},
	} {
		value, exposed := found.Value(wanted)
		if diff := cmp.Diff(want, answer{value, exposed}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", wanted, diff)
		}
	}
}

func TestMetricsOfTheProfileAreRead(t *testing.T) {
	declared := v1alpha1.MetricNames{Reconciles: "done_total", QueueDepth: "depth", ErrorSeries: []v1alpha1.MetricSeries{`by{result="error"}`}}
	e := newEndpoint(replicas{}, "ns", v1alpha1.ObservedEndpoint{Name: v1alpha1.EndpointMetrics}, declared)
	if diff := cmp.Diff([]string{"done_total", "depth", `by{result="error"}`}, e.spec.Metrics); diff != "" {
		t.Errorf("metrics (-want +got):\n%s", diff)
	}
}
