package infer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/process/metrics"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
)

// refusedStory returns a story in which four attempts to create a child were refused, with
// the page of metrics before and after.
func refusedStory(t *testing.T, before, after string) *finder {
	t.Helper()
	r := story(t, "{}", "{}", "{}", "{}")
	page := func(body string) []Page { return []Page{{Port: 8080, Path: "/metrics", Code: 200, Body: body}} }
	r.Before, r.Hindering, r.Hindered, r.Pages = page(before), page(before), page(after), page(before)
	r.Acts = append(r.Acts, Act{Deed: Hinder, Object: "fourth-look", After: 80, Until: 90, AfterSeq: 200, UntilSeq: 210})
	for n := range int64(4) {
		r.Account.Requests = append(r.Account.Requests, history.Request{
			Seq: 201 + n, Verb: history.VerbCreate, Group: "apps", Resource: "deployments", Code: 403, Effect: history.EffectRefused, Fault: "refused",
		})
	}
	f := &finder{Findings: Findings{Notes: map[string]Note{}, Asked: map[string][]Question{}}, Record: r, workload: r.MainWorkload()}
	f.Spec.Claims.Metrics.Errors = usualErrors
	return f
}

const counterPage = `# TYPE controller_runtime_reconcile_errors_total counter
controller_runtime_reconcile_errors_total{controller="shop"} %d
# TYPE %s counter
%s %d
`

// TestErrorSeries: counters of errors that went up while writes were refused are claimed, and
// those that may be one are asked about.
func TestErrorSeries(t *testing.T) {
	for name, tc := range map[string]struct {
		family, series string
		before, after  int
		claimed, asked string
	}{
		"by a label":                       {"shop_syncs_total", `shop_syncs_total{result="error",shop="fourth-look"}`, 0, 4, `shop_syncs_total{result="error"}`, ""},
		"by its name":                      {"shop_failures_total", `shop_failures_total{kind="Shop"}`, 2, 6, `shop_failures_total`, ""},
		"as OpenMetrics writes it":         {"shop_errors", `shop_errors_total`, 2, 6, `shop_errors_total`, ""},
		"only when it failed":              {"shop_syncs_total", `shop_syncs_total{result="requeue",shop="fourth-look"}`, 0, 4, "", `went up # errorSeries: ['shop_syncs_total{result="requeue"}']`},
		"a label with a quote":             {"shop_syncs_total", `shop_syncs_total{result="can't"}`, 0, 4, "", `went up # errorSeries: ['shop_syncs_total{result="can''t"}']`},
		"it stood still":                   {"shop_sync_errors_total", `shop_sync_errors_total`, 0, 0, "", `stood still # errorSeries: ['shop_sync_errors_total']`},
		"it went up less often":            {"shop_sync_errors_total", `shop_sync_errors_total`, 0, 1, "", `went up # errorSeries: ['shop_sync_errors_total']`},
		"of a library":                     {"workqueue_retries_total", `workqueue_retries_total{name="shop"}`, 0, 4, "", ""},
		"a word that only looks like it":   {"shop_interrupts_total", `shop_interrupts_total`, 3, 3, "", ""},
		"a label that no profile can have": {"shop_syncs_total", `shop_syncs_total{result="error \"x\""}`, 0, 4, "", ""},
		"no counter":                       {"other", `shop_sync_errors`, 0, 4, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			page := func(value int) string { return fmt.Sprintf(counterPage, value, tc.family, tc.series, value) }
			f := refusedStory(t, page(tc.before), page(tc.after))
			f.findErrorSeries(f.Pages[0])
			var claimed, asked []string
			for _, series := range f.Spec.Claims.Metrics.ErrorSeries {
				claimed = append(claimed, string(series))
			}
			for _, q := range f.Asked["claims.metrics.errorSeries"] {
				for _, words := range []string{"went up", "stood still"} {
					if strings.Contains(q.Text, words) {
						asked = append(asked, words+" # "+strings.Join(q.Lines, "; "))
					}
				}
			}
			if diff := cmp.Diff([]string{tc.claimed, tc.asked}, []string{strings.Join(claimed, "; "), strings.Join(asked, "; ")}); diff != "" {
				t.Errorf("claimed and asked (-want +got):\n%s", diff)
			}
			for _, series := range claimed {
				if value, exposed := (Page{Body: page(tc.after)}).read().Value(series); !exposed || value != float64(tc.after) {
					t.Errorf("%s is %v on the page", series, value)
				}
			}
		})
	}
}

// TestErrorsThatAreNotCounted: a counter of errors that stands still while writes fail looks
// like a mistake.
func TestErrorsThatAreNotCounted(t *testing.T) {
	for name, tc := range map[string]struct {
		after int
		doubt bool
	}{"it went up": {4, false}, "it did not": {0, true}} {
		t.Run(name, func(t *testing.T) {
			page := func(value int) string { return fmt.Sprintf(counterPage, value, "x_total", "x_total", 0) }
			f := refusedStory(t, page(0), page(tc.after))
			f.Kind = "Shop"
			f.doubtErrors(f.Pages[0])
			if len(f.Doubts) > 0 != tc.doubt {
				t.Errorf("doubts: %+v", f.Doubts)
			}
		})
	}
}

// TestCompareErrorSeries: validate says which of the declared counters did not go up.
func TestCompareErrorSeries(t *testing.T) {
	for name, tc := range map[string]struct {
		declared, want string
		judged         bool
	}{
		"it went up":       {`by_total{result="error"}`, "", false},
		"the whole metric": {`by_total`, "", false},
		"it stood still":   {`by_total{result="success"}`, "stayed at 7", true},
		"another label":    {`by_total{result="err"}`, "by_total has others", true},
		"another name":     {`buy_total{result="error"}`, "has no metric buy_total", false},
	} {
		t.Run(name, func(t *testing.T) {
			page := func(errors int) string {
				return fmt.Sprintf("# TYPE by_total counter\nby_total{result=\"success\"} 7\nby_total{result=\"error\"} %d\n", errors)
			}
			p := &profile.Profile{}
			p.Spec.Claims.Features = []v1alpha1.Feature{v1alpha1.FeatureMetrics}
			p.Spec.Claims.Metrics.ErrorSeries = []v1alpha1.MetricSeries{v1alpha1.MetricSeries(tc.declared)}
			c := &comparison{finder: refusedStory(t, page(0), page(4)), claimed: p}
			c.compareErrorSeries(c.Pages[0])
			if tc.want == "" != (len(c.found) == 0) {
				t.Fatalf("differences: %+v", c.found)
			}
			for _, d := range c.found {
				if !strings.Contains(d.Text, tc.want) || d.Judged != tc.judged || d.Field != "spec.claims.metrics.errorSeries[0]" {
					t.Errorf("difference %+v, want %q", d, tc.want)
				}
			}
		})
	}
}

// TestSeriesThatCanBeSaid: a series is written so that a profile takes it, or left out.
func TestSeriesThatCanBeSaid(t *testing.T) {
	for value, want := range map[string]string{
		"error":                             `writes_total{result="error"}`,
		"error:\u00a0é":                     "writes_total{result=\"error:\u00a0é\"}",
		"error\tlost":                       "writes_total{result=\"error\tlost\"}",
		`error "lost"`:                      "",
		"error " + strings.Repeat("x", 300): "",
	} {
		f := &finder{Record: &Record{}}
		if got, _ := f.seriesOf(metrics.Series{Name: "writes_total", Labels: []metrics.Label{{Name: "result", Value: value}}}); got != want {
			t.Errorf("%q: got %q, want %q", value, got, want)
		}
	}
}
