package metrics

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"k8s.io/utils/ptr"
)

// families are what a program counts.
func families() []*dto.MetricFamily {
	label := func(name, value string) *dto.LabelPair { return &dto.LabelPair{Name: &name, Value: &value} }
	return []*dto.MetricFamily{
		{Name: ptr.To("shop_syncs_total"), Type: dto.MetricType_COUNTER.Enum(), Metric: []*dto.Metric{
			{Label: []*dto.LabelPair{label("result", `a "}" # {b`), label("shop", "demo")}, Counter: &dto.Counter{
				Value: ptr.To(2.0), Exemplar: &dto.Exemplar{Label: []*dto.LabelPair{label("trace", "7")}, Value: ptr.To(1.0)},
			}},
			{Label: []*dto.LabelPair{label("result", "error")}, Counter: &dto.Counter{Value: ptr.To(3.0)}, TimestampMs: ptr.To[int64](1500)},
		}},
		{Name: ptr.To("shops"), Type: dto.MetricType_GAUGE.Enum(), Metric: []*dto.Metric{{Gauge: &dto.Gauge{Value: ptr.To(4.0)}}}},
		{Name: ptr.To("age"), Type: dto.MetricType_UNTYPED.Enum(), Metric: []*dto.Metric{{Untyped: &dto.Untyped{Value: ptr.To(5.0)}}}},
		{Name: ptr.To("took_seconds"), Type: dto.MetricType_HISTOGRAM.Enum(), Metric: []*dto.Metric{
			{Histogram: &dto.Histogram{SampleCount: ptr.To[uint64](6), SampleSum: ptr.To(7.0)}},
		}},
	}
}

// TestFormats: a page says the same in both formats.
func TestFormats(t *testing.T) {
	for name, write := range map[string]func(io.Writer, *dto.MetricFamily) error{
		"Prometheus": func(w io.Writer, f *dto.MetricFamily) error { _, err := expfmt.MetricFamilyToText(w, f); return err },
		"OpenMetrics": func(w io.Writer, f *dto.MetricFamily) error {
			_, err := expfmt.MetricFamilyToOpenMetrics(w, f)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			var written bytes.Buffer
			for _, family := range families() {
				if err := write(&written, family); err != nil {
					t.Fatal(err)
				}
			}
			if name == "OpenMetrics" {
				if _, err := expfmt.FinalizeOpenMetrics(&written); err != nil {
					t.Fatal(err)
				}
			}
			page, err := Parse(written.String())
			if err != nil {
				t.Fatalf("%v in\n%s", err, written.String())
			}
			want := []Series{
				{"shop_syncs_total", []Label{{"result", `a "}" # {b`}, {"shop", "demo"}}, 2},
				{"shop_syncs_total", []Label{{"result", "error"}}, 3},
			}
			if diff := cmp.Diff(want, page.Counters()); diff != "" {
				t.Errorf("counters (-want +got):\n%s\n%s", diff, written.String())
			}
			for wanted, value := range map[string]float64{"shop_syncs_total": 5, `shop_syncs_total{result="error"}`: 3, "shops": 4, "age": 5, "took_seconds": 6} {
				if got, exposed := page.Value(wanted); !exposed || got != value {
					t.Errorf("%s is %v, want %v", wanted, got, value)
				}
			}
			if page.Size() != 5 {
				t.Errorf("%d series, want 5", page.Size())
			}
			if diff := cmp.Diff([]string{"shops"}, page.Names(dto.MetricType_GAUGE)); diff != "" {
				t.Errorf("gauges (-want +got):\n%s", diff)
			}
		})
	}
}

func TestHas(t *testing.T) {
	typed := "# HELP runs all\n# TYPE runs_total counter\nruns_total{ok=\"true\"} 3\n# TYPE took histogram\ntook_bucket{le=\"1\"} 3\ntook_count 3\n" +
		"# TYPE errors counter\nerrors_total 1\n# TYPE empty counter\n"
	for name, tc := range map[string]struct {
		page string
		want []string
		not  []string
	}{
		"with types":    {typed, []string{"runs_total", "took", "errors_total", "empty"}, []string{"took_count", "runs", "errors", "other"}},
		"without types": {"runs_total 3\n", []string{"runs_total"}, []string{"runs"}},
		"with some types": {
			typed + "mine_total{ok=\"true\"} 3\nmine_seconds_count 3\n",
			[]string{"runs_total", "took", "mine_total", "mine_seconds_count"},
			[]string{"took_count", "took_bucket", "mine", "mine_seconds", "runs"},
		},
	} {
		page, err := Parse(tc.page)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, wanted := range tc.want {
			if !page.Has(wanted) {
				t.Errorf("%s: %s is not there", name, wanted)
			}
		}
		for _, other := range tc.not {
			if page.Has(other) {
				t.Errorf("%s: %s is there", name, other)
			}
		}
	}
}

// TestBothNames: name and name_total may both be counters.
func TestBothNames(t *testing.T) {
	page, err := Parse("# TYPE runs counter\nruns 1\n# TYPE runs_total counter\nruns_total 2\n# TYPE other counter\n# TYPE other_total counter\nother_total 3\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []Series{{Name: "other_total", Value: 3}, {Name: "runs", Value: 1}, {Name: "runs_total", Value: 2}}
	if diff := cmp.Diff(want, page.Counters()); diff != "" {
		t.Errorf("counters (-want +got):\n%s", diff)
	}
}

func TestOfLibrary(t *testing.T) {
	for name, want := range map[string]bool{"go_goroutines": true, "workqueue_depth": true, "jvm_threads": true, "gopher_shops": false, "shop_go_total": false} {
		if got := OfLibrary(name); got != want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// FuzzParse: no page breaks it, and one in Prometheus' format is read as it is written.
func FuzzParse(f *testing.F) {
	for _, page := range []string{
		"", "\n", "up 1\n<html>\n", "# TYPE a counter\na_total 1 2.5 # {x=\"}\"} 1\n# EOF\n", "# TYPE a stateset\na{b=\"\\\"", "{\"a.b\"} 1\n# EOF", "a{ 1\n# EOF",
	} {
		f.Add(page)
	}
	f.Fuzz(func(t *testing.T, page string) {
		read, err := Parse(page)
		if read == nil {
			t.Fatal("no page")
		}
		if err != nil && (read.Size() > 0 || len(read.Counters()) > 0) {
			t.Error("a page that cannot be read has values")
		}
		if !strings.Contains(page, "EOF") && !strings.Contains(page, "_total") && read.text.classic != page {
			t.Errorf("changed to %q", read.text.classic)
		}
	})
}
