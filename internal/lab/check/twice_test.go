package check

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/lab"
	"reconform.dev/reconform/internal/profile"
)

func TestJudgeTwice(t *testing.T) {
	const passed, failed, unsure = v1alpha1.Passed, v1alpha1.Failed, v1alpha1.ResultInconclusive
	type verdicts = map[string]v1alpha1.ResultVerdict
	for name, tc := range map[string]struct {
		options      Options
		quiet        bool
		proved       string   // the rule of a violation, if requests prove one
		first, later verdicts // later: with the full limits
		want         []v1alpha1.ResultVerdict
		looks        []string // the checks of each look
	}{
		"a quiet machine": {
			Options{Quick: 0.2, TimeoutScale: 1},
			true, "",
			verdicts{"a": passed, "b": failed, "c": failed},
			nil,
			[]v1alpha1.ResultVerdict{passed, failed, failed},
			[]string{"abc"},
		},
		"a slow machine, and a sound controller": {
			Options{Quick: 0.2, TimeoutScale: 1},
			false, "",
			verdicts{"a": unsure, "b": failed, "c": failed},
			verdicts{"a": passed, "b": passed, "c": passed},
			[]v1alpha1.ResultVerdict{passed, passed, passed},
			[]string{"abc", "a", "b", "c"},
		},
		"a slow machine, and a controller with a mistake": {
			Options{Quick: 0.2, TimeoutScale: 1},
			false, "",
			verdicts{"a": failed, "b": failed, "c": failed},
			verdicts{"a": passed, "b": failed, "c": passed},
			[]v1alpha1.ResultVerdict{passed, failed, unsure},
			[]string{"abc", "a", "b"},
		},
		"what requests prove": {
			Options{Quick: 0.2, TimeoutScale: 1},
			false, "HotLoop",
			verdicts{"a": failed, "b": passed, "c": passed},
			nil,
			[]v1alpha1.ResultVerdict{failed, passed, passed},
			[]string{"abc"},
		},
		"what a slow machine may cause": {
			Options{Quick: 0.2, TimeoutScale: 1},
			false, "NotLeader",
			verdicts{"a": failed, "b": passed, "c": passed},
			verdicts{"a": passed},
			[]v1alpha1.ResultVerdict{passed, passed, passed},
			[]string{"abc", "a"},
		},
		"one look only": {
			Options{TimeoutScale: 2},
			false, "",
			verdicts{"a": failed, "b": passed, "c": passed},
			nil,
			[]v1alpha1.ResultVerdict{failed, passed, passed},
			[]string{"abc"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var looks []string
			look := looker(func(_ context.Context, options Options, submissions ...Submission) ([][]Finding, bool, error) {
				found, scale := tc.first, options.TimeoutScale
				if len(looks) > 0 {
					found = tc.later
				}
				if want := tc.options.TimeoutScale; (len(looks) > 0 || tc.options.Quick == 0) != (scale == want) {
					t.Errorf("look %d has scale %g", len(looks)+1, scale)
				}
				ids, findings := "", []Finding{}
				for _, c := range submissions[0].Labs[0].Checks {
					ids += c.ID
					f := Finding{Check: c, Verdict: found[c.ID]}
					if tc.proved != "" && !f.Reached() {
						f.Result = &v1alpha1.Result{Evidence: &v1alpha1.Evidence{Violations: []v1alpha1.Violation{{Rule: tc.proved}}}}
					}
					findings = append(findings, f)
				}
				looks = append(looks, ids)
				return [][]Finding{findings}, tc.quiet, nil
			})
			l := &lab.Lab{Checks: []lab.Check{{ID: "a"}, {ID: "b"}, {ID: "c"}}}
			all, err := look.judge(t.Context(), tc.options, Submission{Labs: []*lab.Lab{l}})
			if err != nil {
				t.Fatal(err)
			}
			var got []v1alpha1.ResultVerdict
			for _, f := range all[0] {
				got = append(got, f.Verdict)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("verdicts (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.looks, looks); diff != "" {
				t.Errorf("looks (-want +got):\n%s", diff)
			}
		})
	}
}

// TestNeeds: a check that could not be judged is for later if another check that comes
// before it is not reached.
func TestNeeds(t *testing.T) {
	const passed, failed, unsure, blocked = v1alpha1.Passed, v1alpha1.Failed, v1alpha1.ResultInconclusive, v1alpha1.Blocked
	all := []Finding{
		{Check: lab.Check{ID: "a"}, Verdict: unsure},
		{Check: lab.Check{ID: "b"}, Verdict: failed},
		{Check: lab.Check{ID: "c"}, Verdict: passed},
		{Check: lab.Check{ID: "d"}, Verdict: unsure},
		{Check: lab.Check{ID: "e"}, Verdict: blocked, Result: &v1alpha1.Result{BlockedBy: "a"}},
		{Check: lab.Check{ID: "f"}, Verdict: blocked, Needs: "d"},
		{Check: lab.Check{ID: "g"}, Verdict: failed},
		{Check: lab.Check{ID: "h"}, Verdict: unsure},
		{Check: lab.Check{ID: "i"}, Verdict: blocked, Needs: "c"}, // which is reached by now
		{Check: lab.Check{ID: "j"}, Verdict: failed, Early: true},
	}
	needs(all)
	var got []string
	for _, f := range all {
		got = append(got, f.Needs)
	}
	if diff := cmp.Diff([]string{"", "", "", "b", "a", "d", "", "b", "b", "b"}, got); diff != "" {
		t.Errorf("needed (-want +got):\n%s", diff)
	}
}

// TestHurried: in a quick check, requirements expect no long pauses. Plays get the profile
// as it was given, because a controller may go on with its longest pause after a few failures.
func TestHurried(t *testing.T) {
	with := func(pause time.Duration) *profile.Profile {
		p := &profile.Profile{File: "profile.yaml"}
		p.Spec.Claims.Times.LongestRetryPause.Duration = pause
		return p
	}
	for given, want := range map[time.Duration]time.Duration{time.Minute: quickPause, time.Second: time.Second} {
		submitted := with(given)
		c, err := newCandidate(Submission{submitted, []*lab.Lab{{Checks: []lab.Check{{ID: "persist/long"}}}}}, "lab", hurried(submitted))
		if err != nil {
			t.Fatal(err)
		}
		required := c.implementation.Profile
		if got := required.Spec.Claims.Times.LongestRetryPause.Duration; got != want || required.File != "profile.yaml" {
			t.Errorf("the requirements of %s expect pauses of %s, want %s", required.File, got, want)
		}
		if got := c.profile.Spec.Claims.Times.LongestRetryPause.Duration; c.profile != submitted || got != given {
			t.Errorf("the plays expect pauses of %s, want %s", got, given)
		}
	}
}
