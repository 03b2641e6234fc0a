package observation

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile/expectation"
)

// TestMessageNamesWhatStandsStill: a message about metrics names those that have not gone
// up, whole, and no others.
func TestMessageNamesWhatStandsStill(t *testing.T) {
	const some, long = `by{result="error"}`, `site_controller_reconcile_total{controller="a-long-name-of-a-controller",result="terminal-error"}`
	page := func(increased ...any) map[string]any {
		return map[string]any{
			"prometheus": true, "code": int64(200), "contentType": strings.Repeat("x", 2000), "increased": append([]any{}, increased...),
			"samples": map[string]any{some: int64(3), "done_total": int64(7)},
		}
	}
	for name, tc := range map[string]struct {
		eventually string
		page       map[string]any
		want       string
	}{
		"one of them": {"claims.metrics.reconciles in new.?increased.orValue([])", page(), "done_total stayed at 7"},
		"one that is not there": {
			"claims.metrics.?errorSeries.orValue([]).all(s, s in new.?increased.orValue([]))", page(some), long + " is not on the page",
		},
		"two": {
			"claims.metrics.?errorSeries.orValue([]).all(s, s in new.?increased.orValue([]))", page("done_total"),
			some + " stayed at 3; " + long + " is not on the page",
		},
		"another page":   {"claims.metrics.reconciles in new.?increased.orValue([])", map[string]any{"prometheus": false, "notPrometheus": "html"}, `{"notPrometheus":"html","prometheus":false}`},
		"something else": {"new.code == 404", map[string]any{"prometheus": true, "code": int64(200)}, `{"code":200,"prometheus":true}`},
	} {
		t.Run(name, func(t *testing.T) {
			claims := v1alpha1.Claims{Metrics: v1alpha1.MetricNames{Reconciles: "done_total", ErrorSeries: []v1alpha1.MetricSeries{some, long}}}
			spec := v1alpha1.ObservationSpec{Endpoint: &v1alpha1.ObservedEndpoint{Name: v1alpha1.EndpointMetrics}, Eventually: tc.eventually}
			j, err := newJudge(spec, expectation.Times{Claims: claims}, began)
			if err != nil {
				t.Fatal(err)
			}
			take := func(*v1alpha1.ObservationStatus) (any, error) { return &tc.page, nil }
			if err := j.read(take, func() time.Time { return began }); err != nil {
				t.Fatal(err)
			}
			status, _ := j.status(began.Add(time.Hour))
			_, seen, _ := strings.Cut(status.Message, "seen at the end: ")
			if diff := cmp.Diff(tc.want, seen); diff != "" {
				t.Errorf("what was seen (-want +got):\n%s", diff)
			}
		})
	}
}
