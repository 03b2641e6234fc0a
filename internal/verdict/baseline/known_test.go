package baseline

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

const file = `apiVersion: reconform.dev/v1alpha1
kind: KnownFailures
failures:
- {id: SH-004, reason: the image is compared from v2 on, owner: team-web, expires: 2027-01-31}
- id: SS-001
  reason: a counter in the status
  owner: team-web
  expires: "2026-12-01"
`

var ids = []string{"RC-001", "SH-004", "SS-001"}

func TestParse(t *testing.T) {
	got, err := Parse("known.yaml", []byte(file), ids)
	if err != nil {
		t.Fatal(err)
	}
	want := []v1alpha1.KnownFailure{
		{ID: "SH-004", Reason: "the image is compared from v2 on", Owner: "team-web", Expires: "2027-01-31"},
		{ID: "SS-001", Reason: "a counter in the status", Owner: "team-web", Expires: "2026-12-01"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestSpelling: an ID may be in any case, and is still one ID.
func TestSpelling(t *testing.T) {
	text := strings.NewReplacer("id: SH-004", "id: sh-004", "id: SS-001", "id: ex-0123ABCD").Replace(file)
	got, err := Parse("known.yaml", []byte(text), ids)
	if err != nil || len(got) != 2 || got[0].ID != "SH-004" || got[1].ID != "EX-0123abcd" {
		t.Errorf("%v, %v", got, err)
	}
	text = strings.Replace(file, "id: SS-001", "id: sh-004", 1)
	if _, err := Parse("known.yaml", []byte(text), ids); err == nil || !strings.Contains(err.Error(), "SH-004 stands there twice") {
		t.Errorf("one ID in two cases: %v", err)
	}
}

func TestProblems(t *testing.T) {
	for name, tc := range map[string]struct{ old, new, want string }{
		"another kind":  {"KnownFailures", "Profile", "known.yaml:2: kind: is Profile; it must be KnownFailures"},
		"no list":       {"failures:", "failure:", "known.yaml:3: failure: unknown field"},
		"no owner":      {", owner: team-web", "", "known.yaml:4: failures[0].owner: is required"},
		"unknown field": {"owner: team-web\n", "owner: team-web\n  until: x\n", `failures[1].until: unknown field "until"; allowed here: id, reason, owner, expires`},
		"unknown ID":    {"id: SS-001", "id: SS-999", `known.yaml:5: failures[1].id: no requirement is called "SS-999"`},
		"twice":         {"id: SS-001", "id: SH-004", "SH-004 stands there twice: failures[0] is about it too"},
		"invalid date":  {"2027-01-31", "2027-02-31", `known.yaml:4: failures[0].expires: "2027-02-31" is not a valid date`},
		"not a mapping": {"- id: SS-001", "- SS-001\n- id: SS-001", "failures[1]: must have id, reason, owner and expires"},
	} {
		text := strings.Replace(file, tc.old, tc.new, 1)
		if text == file {
			t.Errorf("%s: nothing to replace", name)
		}
		if _, err := Parse("known.yaml", []byte(text), ids); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(file))
	f.Fuzz(func(t *testing.T, data []byte) {
		failures, err := Parse("known.yaml", data, ids)
		if err != nil {
			return
		}
		for _, one := range failures {
			if one.ID == "" || one.Reason == "" || one.Owner == "" || one.Expires == "" {
				t.Errorf("an entry lacks something: %+v", one)
			}
		}
	})
}

func TestSettle(t *testing.T) {
	failures := []v1alpha1.KnownFailure{{ID: "SH-004", Expires: "2027-01-31"}}
	first, last, over := day(t, "2026-11-23"), day(t, "2027-01-31"), day(t, "2027-02-01")
	for name, tc := range map[string]struct {
		verdicts []v1alpha1.ResultVerdict
		today    time.Time
		state    v1alpha1.KnownState
		whole    v1alpha1.Verdict
	}{
		"fails":            {[]v1alpha1.ResultVerdict{v1alpha1.Failed}, first, v1alpha1.KnownFails, v1alpha1.Partial},
		"on its last day":  {[]v1alpha1.ResultVerdict{v1alpha1.Flaky}, last, v1alpha1.KnownFails, v1alpha1.Partial},
		"too late":         {[]v1alpha1.ResultVerdict{v1alpha1.Failed}, over, v1alpha1.KnownExpired, v1alpha1.NotConformant},
		"once of two runs": {[]v1alpha1.ResultVerdict{v1alpha1.Passed, v1alpha1.Failed}, first, v1alpha1.KnownFails, v1alpha1.Partial},
		"in one round":     {[]v1alpha1.ResultVerdict{v1alpha1.Passed, v1alpha1.ResultInconclusive}, over, v1alpha1.KnownNotSeen, v1alpha1.Conformant},
		"mended":           {[]v1alpha1.ResultVerdict{v1alpha1.Passed}, over, v1alpha1.KnownMended, v1alpha1.Conformant},
		"skipped":          {[]v1alpha1.ResultVerdict{v1alpha1.Skipped}, first, v1alpha1.KnownNotSeen, v1alpha1.Conformant},
		"not run":          {nil, first, v1alpha1.KnownNotSeen, v1alpha1.Conformant},
	} {
		report := &v1alpha1.ConformanceReport{Verdict: v1alpha1.Conformant}
		for _, v := range tc.verdicts {
			report.Results = append(report.Results, v1alpha1.Result{ID: "SH-004", Verdict: v})
			if v == v1alpha1.Failed || v == v1alpha1.Flaky {
				report.Verdict = v1alpha1.NotConformant
			}
		}
		report.Known = Settle(failures, report.Results, tc.today)
		if got := report.Known[0].State; got != tc.state {
			t.Errorf("%s: %s, want %s", name, got, tc.state)
		}
		if got := Verdict(report); got != tc.whole {
			t.Errorf("%s: the verdict without what is known is %s, want %s", name, got, tc.whole)
		}
	}
}

// TestVerdict: known failures do not count. New failures do, and so does what could not
// be judged.
func TestVerdict(t *testing.T) {
	known := []v1alpha1.KnownResult{{KnownFailure: v1alpha1.KnownFailure{ID: "SH-004"}, State: v1alpha1.KnownFails}}
	for name, tc := range map[string]struct {
		beside v1alpha1.Result
		want   v1alpha1.Verdict
	}{
		"another failure": {v1alpha1.Result{ID: "SS-001", Verdict: v1alpha1.Failed}, v1alpha1.NotConformant},
		"inconclusive":    {v1alpha1.Result{ID: "SS-001", Verdict: v1alpha1.ResultInconclusive}, v1alpha1.Inconclusive},
		"blocked by it":   {v1alpha1.Result{ID: "SS-001", Verdict: v1alpha1.Blocked}, v1alpha1.Partial},
	} {
		report := &v1alpha1.ConformanceReport{
			Verdict: v1alpha1.NotConformant, Known: known,
			Results: []v1alpha1.Result{{ID: "SH-004", Verdict: v1alpha1.Failed}, tc.beside},
		}
		if got := Verdict(report); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}

// A run that did not judge everything is not saved by known failures: without them it would
// be inconclusive.
func TestVerdictOfAPart(t *testing.T) {
	known := []v1alpha1.KnownResult{{KnownFailure: v1alpha1.KnownFailure{ID: "SH-004"}, State: v1alpha1.KnownFails}}
	for name, tc := range map[string]struct {
		cut  *v1alpha1.CutShort
		not  *v1alpha1.NotStarted
		fail string
		want v1alpha1.Verdict
	}{
		"cut short":                         {&v1alpha1.CutShort{NotJudged: []string{"SS-001"}}, nil, "SH-004", v1alpha1.Inconclusive},
		"a shard without a report":          {&v1alpha1.CutShort{Reason: "there is no report of shard 2/2"}, nil, "SH-004", v1alpha1.Inconclusive},
		"it did not start in another shard": {nil, &v1alpha1.NotStarted{}, "SH-004", v1alpha1.Inconclusive},
		"cut short after a new failure":     {&v1alpha1.CutShort{}, nil, "SS-001", v1alpha1.NotConformant},
		"whole":                             {nil, nil, "SH-004", v1alpha1.Partial},
	} {
		report := &v1alpha1.ConformanceReport{
			Verdict: v1alpha1.NotConformant, Known: known, CutShort: tc.cut, NotStarted: tc.not,
			Results: []v1alpha1.Result{{ID: tc.fail, Verdict: v1alpha1.Failed}},
		}
		if got := Verdict(report); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}

func day(t *testing.T, text string) time.Time {
	t.Helper()
	d, err := time.Parse(time.DateOnly, text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
