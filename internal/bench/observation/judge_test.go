package observation

import (
	"errors"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile/expectation"
)

// began is when the Observations of these tests did.
var began = time.Unix(1000, 0)

// claimed are the claims of their profile.
func claimed() expectation.Times {
	times := expectation.Times{Scale: 2, Claims: v1alpha1.Claims{Features: []v1alpha1.Feature{"events"}}}
	times.Claims.Times.LongestRetryPause.Duration = 10 * time.Second
	return times
}

func newTestJudge(t *testing.T, spec v1alpha1.ObservationSpec) *judge {
	t.Helper()
	j, err := newJudge(spec, claimed(), began)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// seen is a version that comes some time after the beginning.
type seen struct {
	after time.Duration
	name  string
	phase string // in its status; empty: it has none
	event watch.EventType
}

func (s seen) version(number int) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{"kind": "WebApp", "spec": map[string]any{"image": "a:1"}}}
	object.SetName(s.name)
	object.SetResourceVersion(string(rune('1' + number)))
	if s.phase != "" {
		object.Object["status"] = map[string]any{"phase": s.phase}
	}
	return object
}

const running = "new.?status.?phase.orValue('') == 'Running'"

func TestVerdict(t *testing.T) {
	within := &v1alpha1.TimeBound{LongestPauses: 1, Plus: metav1.Duration{Duration: 5 * time.Second}} // 30 s, by the scale
	eventually := v1alpha1.ObservationSpec{Resource: "webapps", Eventually: running, Within: within}
	never := v1alpha1.ObservationSpec{Resource: "webapps", Never: running}
	both := v1alpha1.ObservationSpec{Resource: "webapps", Never: "new.?status.?phase.orValue('') == 'Failed'", Eventually: running, Within: within}
	pair := v1alpha1.ObservationSpec{Resource: "webapps", Eventually: "all.size() == 2 && all.all(o, o.?status.?phase.orValue('') == 'Running')"}
	for name, tc := range map[string]struct {
		spec    v1alpha1.ObservationSpec
		seen    []seen
		after   time.Duration // when it is asked
		want    v1alpha1.Judgement
		message string
	}{
		"never, and it is not":  {never, []seen{{0, "demo", "Pending", watch.Modified}}, time.Hour, v1alpha1.JudgementMet, ""},
		"never, of nothing":     {never, nil, time.Hour, v1alpha1.JudgementMet, ""},
		"never, and it is once": {never, []seen{{0, "demo", "Running", watch.Modified}, {1, "demo", "Pending", watch.Modified}}, 2, v1alpha1.JudgementNotMet, `never expected "` + running + `", seen: demo at resourceVersion 1 {"spec":{"image":"a:1"},"status":{"phase":"Running"}}`},
		"never, and it is often": {
			never,
			[]seen{{0, "a", "Running", watch.Modified}, {0, "b", "Running", watch.Modified}, {0, "c", "Running", watch.Modified}, {0, "d", "Running", watch.Modified}, {0, "e", "Running", watch.Modified}},
			2, v1alpha1.JudgementNotMet, "; and 2 more",
		},
		"eventually, at the beginning": {eventually, []seen{{0, "demo", "Running", watch.Modified}}, 0, v1alpha1.JudgementMet, ""},
		"eventually, in time":          {eventually, []seen{{0, "demo", "", watch.Modified}, {30 * time.Second, "demo", "Running", watch.Modified}}, time.Hour, v1alpha1.JudgementMet, ""},
		"eventually, and then not":     {eventually, []seen{{0, "demo", "Running", watch.Modified}, {1, "demo", "Pending", watch.Modified}}, time.Hour, v1alpha1.JudgementMet, ""},
		"eventually, not yet":          {eventually, []seen{{0, "demo", "Pending", watch.Modified}}, 30 * time.Second, v1alpha1.JudgementPending, `waiting for "` + running + `", 30s at most`},
		"eventually, too late": {
			eventually,
			[]seen{{0, "demo", "Pending", watch.Modified}, {30*time.Second + 1, "demo", "Running", watch.Modified}},
			time.Hour, v1alpha1.JudgementNotMet, `expected "` + running + `" within 30s, seen at the end: demo {"status":{"phase":"Running"}}`,
		},
		"eventually, of nothing":        {eventually, nil, time.Hour, v1alpha1.JudgementNotMet, "within 30s, seen at the end: nothing"},
		"eventually, and it went":       {eventually, []seen{{0, "demo", "Pending", watch.Modified}, {1, "demo", "Pending", watch.Deleted}}, time.Hour, v1alpha1.JudgementNotMet, "seen at the end: nothing"},
		"eventually, of many":           {eventually, []seen{{0, "d", "", watch.Modified}, {0, "c", "", watch.Modified}, {0, "b", "", watch.Modified}, {0, "a", "", watch.Modified}}, time.Hour, v1alpha1.JudgementNotMet, `seen at the end: a {"status":{"phase":null}}; b {"status":{"phase":null}}; c {"status":{"phase":null}}; and 1 more`},
		"eventually, so many":           {v1alpha1.ObservationSpec{Resource: "webapps", Eventually: "all.size() >= 5"}, []seen{{0, "d", "", watch.Modified}, {0, "c", "", watch.Modified}, {0, "b", "", watch.Modified}, {0, "a", "", watch.Modified}}, time.Hour, v1alpha1.JudgementNotMet, "seen at the end: 4 (a, b, c and 1 more)"},
		"both, well":                    {both, []seen{{0, "demo", "Running", watch.Modified}}, time.Hour, v1alpha1.JudgementMet, ""},
		"both, and what never is to be": {both, []seen{{0, "demo", "Running", watch.Modified}, {1, "demo", "Failed", watch.Modified}}, time.Hour, v1alpha1.JudgementNotMet, "never expected"},
		"all, one of two":               {pair, []seen{{0, "a", "Running", watch.Modified}, {0, "b", "Pending", watch.Modified}}, time.Hour, v1alpha1.JudgementNotMet, "within 1m30s"},
		"all, both":                     {pair, []seen{{0, "a", "Running", watch.Modified}, {0, "b", "Pending", watch.Modified}, {1, "b", "Running", watch.Modified}}, time.Hour, v1alpha1.JudgementMet, ""},
		"all, except for one that went": {pair, []seen{{0, "a", "Running", watch.Modified}, {0, "b", "", watch.Modified}, {1, "b", "", watch.Deleted}, {2, "c", "Running", watch.Modified}}, time.Hour, v1alpha1.JudgementMet, ""},
		"a claim": {
			v1alpha1.ObservationSpec{Resource: "webapps", Never: "claims.features.exists(f, f == 'events')"},
			[]seen{{0, "demo", "", watch.Modified}},
			0, v1alpha1.JudgementNotMet, "never expected",
		},
		"a change": {
			v1alpha1.ObservationSpec{Resource: "webapps", Never: "old != null && new != null && old.status.phase == 'Running' && new.status.phase == 'Pending'"},
			[]seen{{0, "demo", "Running", watch.Modified}, {1, "demo", "Pending", watch.Modified}},
			2, v1alpha1.JudgementNotMet, "demo at resourceVersion 2",
		},
		"what was first, and is again": {
			v1alpha1.ObservationSpec{Resource: "webapps", Eventually: "old != null && old.?status != first.?status && new.?status == first.?status"},
			[]seen{{0, "demo", "Running", watch.Modified}, {1, "demo", "Pending", watch.Modified}, {2, "demo", "Running", watch.Modified}},
			3, v1alpha1.JudgementMet, "",
		},
		"first, of one that went and came": {
			v1alpha1.ObservationSpec{Resource: "webapps", Never: "new != null && new.?status != first.?status"},
			[]seen{{0, "demo", "Running", watch.Modified}, {1, "demo", "Running", watch.Deleted}, {2, "demo", "Pending", watch.Modified}},
			3, v1alpha1.JudgementNotMet, "demo at resourceVersion 3",
		},
		"first, of many": {
			v1alpha1.ObservationSpec{Resource: "webapps", Never: "new != null && new.?status != first.?status"},
			[]seen{{0, "a", "Running", watch.Modified}, {0, "b", "Pending", watch.Modified}, {1, "b", "Pending", watch.Modified}},
			3, v1alpha1.JudgementMet, "",
		},
		"what cannot be evaluated": {
			v1alpha1.ObservationSpec{Resource: "webapps", Never: "new.status.phase == 'Failed'"},
			[]seen{{0, "demo", "", watch.Modified}, {1, "demo", "Running", watch.Modified}},
			time.Hour, v1alpha1.JudgementInvalid, `evaluating "new.status.phase == 'Failed'": no such key: status`,
		},
		"the like of eventually": {
			v1alpha1.ObservationSpec{Resource: "webapps", Eventually: "new.status.phase == 'Running'"},
			[]seen{{0, "demo", "", watch.Modified}, {1, "demo", "Running", watch.Modified}},
			time.Hour, v1alpha1.JudgementInvalid, "no such key: status",
		},
		"proved before that": {
			v1alpha1.ObservationSpec{Resource: "webapps", Never: "new.status.phase == 'Failed'"},
			[]seen{{0, "demo", "Failed", watch.Modified}, {1, "demo", "", watch.Modified}},
			time.Hour, v1alpha1.JudgementNotMet, "never expected",
		},
		"a feature that is claimed":  {withFeature(never, "events"), []seen{{0, "demo", "Running", watch.Modified}}, 0, v1alpha1.JudgementNotMet, "never expected"},
		"a feature that is not":      {withFeature(never, "metrics"), []seen{{0, "demo", "Running", watch.Modified}}, 0, v1alpha1.JudgementMet, "nothing is expected: the profile does not claim metrics"},
		"nor its time, without them": {withFeature(v1alpha1.ObservationSpec{Eventually: running, Within: &v1alpha1.TimeBound{RetryPeriods: 1}}, "metrics"), nil, time.Hour, v1alpha1.JudgementMet, "nothing is expected"},
	} {
		t.Run(name, func(t *testing.T) {
			j := newTestJudge(t, tc.spec)
			for i, s := range tc.seen {
				j.version(s.version(i), s.event, began.Add(s.after))
			}
			status, next := j.status(began.Add(tc.after))
			if status.Verdict != tc.want || !strings.Contains(status.Message, tc.message) || tc.message == "" && status.Message != "" {
				t.Errorf("%s: %s\nwant %s: %s", status.Verdict, status.Message, tc.want, tc.message)
			}
			if (next > 0) != (tc.want == v1alpha1.JudgementPending) {
				t.Errorf("looks again after %s", next)
			}
			if invalid := status.Phase == v1alpha1.ObservationInvalid; invalid != (tc.want == v1alpha1.JudgementInvalid) {
				t.Errorf("phase %s", status.Phase)
			}
			if status.Versions != int64(len(tc.seen)) {
				t.Errorf("%d versions", status.Versions)
			}
		})
	}
}

func withFeature(spec v1alpha1.ObservationSpec, feature v1alpha1.Feature) v1alpha1.ObservationSpec {
	spec.Feature = feature
	return spec
}

func TestNothingIsThereAtTheBeginning(t *testing.T) {
	for name, tc := range map[string]struct {
		eventually string
		seen       []seen // in the list
		want       v1alpha1.Judgement
	}{
		"true of nothing":          {"all.size() == 0", nil, v1alpha1.JudgementMet},
		"speaks of a version":      {"new.status.phase == 'Running'", nil, v1alpha1.JudgementPending},
		"false of what is there":   {"all.size() == 0", []seen{{0, "demo", "", watch.Modified}}, v1alpha1.JudgementPending},
		"what is there is not one": {"new == null", []seen{{0, "demo", "", watch.Modified}}, v1alpha1.JudgementPending},
		"false of the last one": {
			"all.all(o, o.metadata.name != 'other')", []seen{{0, "demo", "", watch.Modified}, {0, "other", "", watch.Modified}}, v1alpha1.JudgementPending,
		},
		"true of all together": {
			"all.size() == 2 && old == null", []seen{{0, "demo", "", watch.Modified}, {0, "other", "", watch.Modified}}, v1alpha1.JudgementMet,
		},
	} {
		t.Run(name, func(t *testing.T) {
			j := newTestJudge(t, v1alpha1.ObservationSpec{Resource: "webapps", Eventually: tc.eventually})
			var listed []unstructured.Unstructured
			for i, s := range tc.seen {
				listed = append(listed, *s.version(i))
			}
			j.start(listed, "7", began)
			if status, _ := j.status(began); status.Verdict != tc.want {
				t.Errorf("%s: %s, want %s", status.Verdict, status.Message, tc.want)
			}
		})
	}
}

// TestListedAndNotMeant: what where leaves out of the list was seen all the same.
func TestListedAndNotMeant(t *testing.T) {
	j := newTestJudge(t, v1alpha1.ObservationSpec{Resource: "webapps", Where: "new.metadata.name == 'other'", Never: "true"})
	j.start([]unstructured.Unstructured{*seen{name: "demo"}.version(0)}, "7", began)
	if status, _ := j.status(began); status.SeenResourceVersion != "1" || status.Versions != 0 {
		t.Errorf("status: %+v", status)
	}
}

func TestNotMetStaysSo(t *testing.T) {
	j := newTestJudge(t, v1alpha1.ObservationSpec{Resource: "webapps", Eventually: running})
	if status, _ := j.status(began.Add(time.Hour)); status.Verdict != v1alpha1.JudgementNotMet {
		t.Fatalf("status: %+v", status)
	}
	j.version(seen{name: "demo", phase: "Running"}.version(0), watch.Modified, began)
	if status, _ := j.status(began); status.Verdict == v1alpha1.JudgementMet {
		t.Errorf("status: %+v", status)
	}
}

func TestWatchThatBreaks(t *testing.T) {
	j := newTestJudge(t, v1alpha1.ObservationSpec{Resource: "webapps", Never: running})
	j.lose("the watch ended, versions may be missing")
	j.version(seen{name: "demo"}.version(0), watch.Modified, began)
	if status, _ := j.status(began); status.Verdict != v1alpha1.JudgementInvalid || status.Message != "the watch ended, versions may be missing" {
		t.Errorf("status: %+v", status)
	}
}

func TestRulesThatAreRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		spec v1alpha1.ObservationSpec
		want string
	}{
		"never":      {v1alpha1.ObservationSpec{Never: "new.x ="}, "compiling never: "},
		"eventually": {v1alpha1.ObservationSpec{Eventually: "'Running'"}, "compiling eventually: it yields string, and must yield bool"},
		"within":     {v1alpha1.ObservationSpec{Eventually: "true", Within: &v1alpha1.TimeBound{RetryPeriods: 1}}, "computing within: the profile declares no lease timings"},
	} {
		if _, err := newJudge(tc.spec, claimed(), began); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
}

func TestReadings(t *testing.T) {
	const failed = "new.failed > 0"
	for name, tc := range map[string]struct {
		never, eventually string
		readings          []any // EndpointReadings or an error
		want              v1alpha1.Judgement
		message           string
	}{
		"never":          {failed, "", []any{v1alpha1.EndpointReadings{Reads: 1}}, v1alpha1.JudgementMet, ""},
		"never, once":    {failed, "", []any{v1alpha1.EndpointReadings{Failed: 1}, v1alpha1.EndpointReadings{}}, v1alpha1.JudgementNotMet, `"failed":1`},
		"a change":       {"old != null && new.reads < old.reads", "", []any{v1alpha1.EndpointReadings{Reads: 2}, v1alpha1.EndpointReadings{Reads: 1}}, v1alpha1.JudgementNotMet, `"reads":1`},
		"eventually":     {"", "new.prometheus", []any{v1alpha1.EndpointReadings{}, v1alpha1.EndpointReadings{Prometheus: true}}, v1alpha1.JudgementMet, ""},
		"not eventually": {"", "new.prometheus", []any{v1alpha1.EndpointReadings{Code: 404}}, v1alpha1.JudgementNotMet, `seen at the end: {"code":404`},
		"no reading":     {failed, "", []any{v1alpha1.EndpointReadings{}, errors.New("no such replica")}, v1alpha1.JudgementInvalid, "no such replica"},
		"one again":      {failed, "", []any{errors.New("no such replica"), v1alpha1.EndpointReadings{}}, v1alpha1.JudgementMet, ""},
		"once not evaluated": {
			"new.samples.up == 0", "",
			[]any{v1alpha1.EndpointReadings{}, v1alpha1.EndpointReadings{Samples: map[string]int64{"up": 1}}},
			v1alpha1.JudgementInvalid, "no such key: samples",
		},
	} {
		t.Run(name, func(t *testing.T) {
			j := newTestJudge(t, v1alpha1.ObservationSpec{Never: tc.never, Eventually: tc.eventually})
			for _, reading := range tc.readings {
				err := j.read(func(into *v1alpha1.ObservationStatus) (any, error) {
					if err, ok := reading.(error); ok {
						return nil, err
					}
					readings := reading.(v1alpha1.EndpointReadings)
					into.Endpoint = &readings
					return into.Endpoint, nil
				}, func() time.Time { return began })
				if _, fails := reading.(error); fails != (err != nil) {
					t.Fatal(err)
				}
			}
			status, _ := j.status(began.Add(time.Hour))
			if status.Verdict != tc.want || !strings.Contains(status.Message, tc.message) {
				t.Errorf("%s: %s\nwant %s: %s", status.Verdict, status.Message, tc.want, tc.message)
			}
		})
	}
}
