package observation

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

func TestWaitingIsExcluded(t *testing.T) {
	spec := v1alpha1.ObservationSpec{
		Resource: "webapps", Eventually: running,
		Within: &v1alpha1.TimeBound{Plus: metav1.Duration{Duration: 5 * time.Second}}, // 10 s, by the scale
	}
	waited := func(limit time.Duration, _, _ time.Time) time.Duration { return limit + 20*time.Second }
	for name, tc := range map[string]struct {
		stretched func(limit time.Duration, from, now time.Time) time.Duration
		came      time.Duration // when it came true; 0: never
		asked     time.Duration
		want      v1alpha1.Judgement
		next      time.Duration
	}{
		"waiting counts":          {nil, 20 * time.Second, time.Minute, v1alpha1.JudgementNotMet, 0},
		"it does not":             {waited, 20 * time.Second, time.Minute, v1alpha1.JudgementMet, 0},
		"to the last":             {waited, 30 * time.Second, time.Minute, v1alpha1.JudgementMet, 0},
		"beyond that":             {waited, 31 * time.Second, time.Minute, v1alpha1.JudgementNotMet, 0},
		"not yet, within":         {waited, 0, 9 * time.Second, v1alpha1.JudgementPending, time.Second + time.Millisecond},
		"not yet, in longer time": {waited, 0, 29 * time.Second, v1alpha1.JudgementPending, time.Second + time.Millisecond},
		"never":                   {waited, 0, 31 * time.Second, v1alpha1.JudgementNotMet, 0},
	} {
		t.Run(name, func(t *testing.T) {
			j := newTestJudge(t, spec)
			j.stretched = tc.stretched
			if tc.came > 0 {
				j.version(seen{name: "demo", phase: "Running"}.version(0), watch.Modified, began.Add(tc.came))
			}
			status, next := j.status(began.Add(tc.asked))
			if status.Verdict != tc.want || next != tc.next {
				t.Errorf("verdict %s, next look in %s; want %s, %s", status.Verdict, next, tc.want, tc.next)
			}
		})
	}
}

func TestWhatExcludesWaiting(t *testing.T) {
	plus := v1alpha1.TimeBound{Plus: metav1.Duration{Duration: time.Second}}
	measured := plus
	measured.Measured = &v1alpha1.MeasuredPauses{Of: "creates", LongestPauses: 3.5}
	for name, tc := range map[string]struct {
		spec v1alpha1.ObservationSpec
		want bool
	}{
		"no time limit":               {v1alpha1.ObservationSpec{}, false},
		"a time limit":                {v1alpha1.ObservationSpec{Within: &plus}, false},
		"one that excludes it":        {v1alpha1.ObservationSpec{Within: &plus, ExcludesWaiting: true}, true},
		"one of pauses, as they were": {v1alpha1.ObservationSpec{Within: &measured}, true},
	} {
		if got := excludesWaiting(tc.spec); got != tc.want {
			t.Errorf("%s: %t, want %t", name, got, tc.want)
		}
	}
}
