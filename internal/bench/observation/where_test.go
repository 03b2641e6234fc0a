package observation

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile/expectation"
)

// toldEvent is an Event as a judge sees it.
func toldEvent(name, reason, version string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"metadata": map[string]any{"name": name, "resourceVersion": version}, "reason": reason,
	}}
}

func TestOnlyObjectsOfWhereAreJudged(t *testing.T) {
	began := time.Now()
	for name, tc := range map[string]struct {
		where, never string
		want         v1alpha1.Judgement
		message      string
	}{
		"all":       {"", "new.reason == 'Scheduled'", v1alpha1.JudgementNotMet, "pod"},
		"one kind":  {"new.reason == 'Created'", "all.size() != 1 || new.reason == 'Scheduled'", v1alpha1.JudgementMet, ""},
		"not there": {"new.note == 'x'", "false", v1alpha1.JudgementInvalid, "no such key: note"},
	} {
		t.Run(name, func(t *testing.T) {
			j, err := newJudge(v1alpha1.ObservationSpec{Resource: "events", Where: tc.where, Never: tc.never}, expectation.Times{}, began)
			if err != nil {
				t.Fatal(err)
			}
			j.version(toldEvent("webapp", "Created", "1"), watch.Modified, began)
			j.version(toldEvent("pod", "Scheduled", "2"), watch.Modified, began)
			status, _ := j.status(began)
			if status.Verdict != tc.want || !strings.Contains(status.Message, tc.message) || status.SeenResourceVersion != "2" {
				t.Errorf("status: %+v", status)
			}
		})
	}
}

// TestNoLongerMeant: an object that has become one that where leaves out, or that was deleted
// after that, is not among all. The version that was judged before stays its old one.
func TestNoLongerMeant(t *testing.T) {
	const where = "new.reason == 'Created'"
	type step struct {
		name, reason string
		event        watch.EventType
	}
	for name, tc := range map[string]struct {
		steps []step
		never string // is true if the rule is broken
		want  v1alpha1.Judgement
	}{
		"it stays":                     {[]step{{"a", "Created", watch.Modified}, {"b", "Created", watch.Modified}}, "all.size() > 1", v1alpha1.JudgementNotMet},
		"it changed":                   {[]step{{"a", "Created", watch.Modified}, {"a", "Other", watch.Modified}, {"b", "Created", watch.Modified}}, "all.size() > 1", v1alpha1.JudgementMet},
		"it changed, and was deleted":  {[]step{{"a", "Created", watch.Modified}, {"a", "Other", watch.Deleted}, {"b", "Created", watch.Modified}}, "all.size() > 1", v1alpha1.JudgementMet},
		"it was deleted as it was":     {[]step{{"a", "Created", watch.Modified}, {"a", "Created", watch.Deleted}, {"b", "Created", watch.Modified}}, "all.size() > 1", v1alpha1.JudgementMet},
		"it changed back":              {[]step{{"a", "Created", watch.Modified}, {"a", "Other", watch.Modified}, {"a", "Created", watch.Modified}, {"b", "Created", watch.Modified}}, "all.size() > 1", v1alpha1.JudgementNotMet},
		"and old is what it was":       {[]step{{"a", "Created", watch.Modified}, {"a", "Other", watch.Modified}, {"a", "Created", watch.Modified}}, "old != null && old.reason == 'Created'", v1alpha1.JudgementNotMet},
		"another one of its name came": {[]step{{"a", "Created", watch.Modified}, {"a", "Other", watch.Deleted}, {"a", "Created", watch.Modified}}, "old != null", v1alpha1.JudgementMet},
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			j, err := newJudge(v1alpha1.ObservationSpec{Resource: "events", Where: where, Never: tc.never}, expectation.Times{}, began)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range tc.steps {
				j.version(toldEvent(s.name, s.reason, "1"), s.event, began)
			}
			if status, _ := j.status(began); status.Verdict != tc.want {
				t.Errorf("%s: %s, want %s", status.Verdict, status.Message, tc.want)
			}
		})
	}
}

func TestOptional(t *testing.T) {
	began := time.Now()
	for name, tc := range map[string]struct {
		optional bool
		reason   string
		after    time.Duration
		want     v1alpha1.Judgement
	}{
		"in time":              {true, "Created", 0, v1alpha1.JudgementMet},
		"not yet":              {true, "Other", time.Second, v1alpha1.JudgementPending},
		"not in time":          {true, "Other", time.Hour, v1alpha1.JudgementMet},
		"that must be in time": {false, "Other", time.Hour, v1alpha1.JudgementNotMet},
	} {
		t.Run(name, func(t *testing.T) {
			spec := v1alpha1.ObservationSpec{Resource: "events", Eventually: "new.reason == 'Created'", Optional: tc.optional}
			j, err := newJudge(spec, expectation.Times{}, began)
			if err != nil {
				t.Fatal(err)
			}
			j.version(toldEvent("webapp", tc.reason, "1"), watch.Modified, began)
			if status, _ := j.status(began.Add(tc.after)); status.Verdict != tc.want {
				t.Errorf("status: %+v, want %s", status, tc.want)
			}
		})
	}
}
