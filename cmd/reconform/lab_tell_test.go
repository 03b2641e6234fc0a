package main

import (
	"strings"
	"testing"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/lab"
	"reconform.dev/reconform/internal/lab/check"
	"reconform.dev/reconform/internal/lab/play"
	"reconform.dev/reconform/internal/lab/student"
	"reconform.dev/reconform/labs"
)

// TestTell: a check that is certainly not reached decides the exit status, and the
// first such check is shown.
func TestTell(t *testing.T) {
	of := func(verdicts ...v1alpha1.ResultVerdict) (all []check.Finding) {
		for n, v := range verdicts {
			id := string(rune('a' + n))
			all = append(all, check.Finding{Check: lab.Check{ID: id, Next: "do " + id}, Must: "has " + id, Verdict: v, Reason: "saw " + id})
		}
		return all
	}
	const passed, failed, unsure = v1alpha1.Passed, v1alpha1.Failed, v1alpha1.ResultInconclusive
	later := of(failed, v1alpha1.Blocked)
	later[1].Needs = "a"
	for name, tc := range map[string]struct {
		findings []check.Finding
		status   int
		want     string
	}{
		"all is reached":   {of(passed, passed), statusOK, "reached  has b (b)"},
		"one is not":       {of(passed, failed), 1, "Next: do b"},
		"one is for later": {later, 1, "later    has b (b): needs a"},
		"one is unsure":    {of(unsure, passed), statusInconclusive, "unsure   has a (a)"},
		"not, and unsure":  {of(failed, unsure), 1, "Next: do a"},
		"unsure, and not":  {of(unsure, failed), 1, "What was found by a:\n  saw a\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			_, status := tell(&out, &lab.Lab{}, "", tc.findings)
			if status != tc.status || !strings.Contains(out.String(), tc.want) {
				t.Errorf("status %d, want %d with %q:\n%s", status, tc.status, tc.want, out.String())
			}
		})
	}
}

// TestTellOfAnEnd: a controller that has ended at once is told so, and not what the lab asks
// for.
func TestTellOfAnEnd(t *testing.T) {
	f := check.Finding{
		Check: lab.Check{ID: "RC-001", Next: "Have reconcile create it."}, Verdict: v1alpha1.Failed,
		Reason: `Crashed: subject-0 ended by itself, in the step "Given the controller": exited with status 0`, Result: &v1alpha1.Result{},
	}
	for given, want := range map[string]string{"Given the controller": "It must run until it is told to end.", "When a WebApp is created": "Next: Have reconcile create it."} {
		ended := f
		ended.Reason = strings.Replace(f.Reason, "Given the controller", given, 1)
		var out strings.Builder
		tell(&out, &lab.Lab{}, "", []check.Finding{ended})
		if !strings.Contains(out.String(), want) {
			t.Errorf("ended in %q: %s, want %q", given, out.String(), want)
		}
	}
}

// TestTellOfNoBeginning: a controller that never becomes ready is told so, and not what the lab
// asks for.
func TestTellOfNoBeginning(t *testing.T) {
	of := func(reason string, result *v1alpha1.Result) check.Finding {
		return check.Finding{Check: lab.Check{ID: "a", Next: "Look first."}, Verdict: v1alpha1.ResultInconclusive, Reason: reason, Result: result}
	}
	const never = "has not begun to list and watch"
	for name, tc := range map[string]struct {
		finding check.Finding
		want    string
	}{
		"in a play":        {of("the controller did not start; it has printed nothing", nil), never},
		"in a scenario":    {of(`the scenario could not be carried out: it failed at "Given the controller" (assert)`, &v1alpha1.Result{}), never},
		"something before": {of("the machine is slow", nil), "Next: Look first."},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			tell(&out, &lab.Lab{}, "", []check.Finding{tc.finding})
			if !strings.Contains(out.String(), tc.want) {
				t.Errorf("%s, want %q", out.String(), tc.want)
			}
		})
	}
}

// TestTellInALanguage: hints about Go are shown only to students who write Go.
func TestTellInALanguage(t *testing.T) {
	f := check.Finding{Check: lab.Check{ID: "a", Next: "Wait for it.", InGo: "Wait does."}, Verdict: v1alpha1.Failed}
	for language, want := range map[string]string{"": "Next: Wait for it. Wait does.\n", "node": "Next: Wait for it.\n"} {
		var out strings.Builder
		tell(&out, &lab.Lab{}, language, []check.Finding{f})
		if !strings.Contains(out.String(), want) {
			t.Errorf("in %q: %s, want %q", language, out.String(), want)
		}
	}
}

// TestFoundInWords: what a rule in CEL, or a path of Chainsaw, says is said in words. A write
// that was refused is named.
func TestFoundInWords(t *testing.T) {
	f := &check.Finding{
		Reason: `at "Then it owns its children, by its UID" (assert apps/v1/Deployment @ ns/demo): actual resource not found; it relies on what was not judged here: RC-001`,
		Result: &v1alpha1.Result{Evidence: &v1alpha1.Evidence{Symptoms: []v1alpha1.Symptom{{
			Seen: "deployments.apps demo is not there: it was never made; the last attempt to create it failed (#12 create deployments demo: 422)",
		}}}},
	}
	want := "Then it owns its children, by its UID: expected Deployment demo; found none\n" +
		"seen: deployments.apps demo is not there: it was never made; the last attempt to create it failed (create deployments demo: 422)"
	if got := found(f); got != want {
		t.Errorf("found %q, want %q", got, want)
	}
}

// TestFound: a difference is shown once.
func TestFound(t *testing.T) {
	f := &check.Finding{
		Reason: "at \"Then\": no owner; it relies on what was not judged here: RC-001",
		Result: &v1alpha1.Result{Evidence: &v1alpha1.Evidence{
			Difference: "-----\nv1/Pod\n-----\n* no owner\n\n--- expected\n+++ actual\n-a\n+b\n\n", Log: []string{"", ""},
		}},
	}
	if got, want := found(f), "at \"Then\": no owner\n--- expected\n+++ actual\n-a\n+b"; got != want {
		t.Errorf("found %q, want %q", got, want)
	}
}

// TestWaitsPerhaps: a controller with long pauses looks like one that never tries
// again, unless its requests prove the contrary.
func TestWaitsPerhaps(t *testing.T) {
	proved := &v1alpha1.Evidence{Violations: []v1alpha1.Violation{{Rule: "HotLoop"}}}
	for name, tc := range map[string]struct {
		area     string
		verdict  v1alpha1.ResultVerdict
		evidence *v1alpha1.Evidence
		want     bool
	}{
		"not tried again":  {"retries", v1alpha1.Failed, nil, true},
		"tried again":      {"retries", v1alpha1.Passed, nil, false},
		"too often":        {"retries", v1alpha1.Failed, proved, false},
		"of another cause": {"status", v1alpha1.Failed, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := check.Finding{Verdict: tc.verdict, Result: &v1alpha1.Result{Area: tc.area, Verdict: tc.verdict, Evidence: tc.evidence}}
			if got := mayBeWaiting(f); got != tc.want {
				t.Errorf("%t, want %t", got, tc.want)
			}
		})
	}
}

// TestTellNotLookedAt: what a quick look leaves out is named, with what it asks for: the
// rules of plays and the requirements.
func TestTellNotLookedAt(t *testing.T) {
	l := &lab.Lab{Checks: []lab.Check{{ID: "RT-001"}, {ID: "persist/long", Slow: true}, {ID: "SD-003", Slow: true}}}
	var out strings.Builder
	if err := tellNotLookedAt(&out, l.Slow()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"  persist/long: " + play.Must("persist/long") + "\n", "  SD-003: ", "reconform lab check --thorough\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "RT-001") {
		t.Errorf("it names what was looked at:\n%s", out.String())
	}
	out.Reset()
	if err := tellNotLookedAt(&out, l.Quick().Slow()); err != nil || out.String() != "" {
		t.Errorf("%v, and %q, want nothing: all was looked at", err, out.String())
	}
}

// TestTellNext: there is a next step after each lab, and after the last of a kind.
func TestTellNext(t *testing.T) {
	all, err := lab.Read(labs.FS)
	if err != nil {
		t.Fatal(err)
	}
	for number, want := range map[string][]string{
		"11":              {"reconform lab start 12 --dir 12-leader-election"},
		"12":              {"reconform lab check hands-on", "reconform lab list"},
		"debug/05":        {"reconform lab solution debug/05 --print --diff", "reconform lab start debug/06 --dir debug-06"},
		"debug/31":        {"reconform lab solution debug/31 --print --diff", "reconform lab list --dir ."},
		"predict/polling": {"reconform lab start predict/refused-spec --dir predict-refused-spec"},
		"beyond/observe":  {"reconform lab list --dir ."},
		"hands-on":        {"reconform lab list --dir ."},
	} {
		l, err := lab.Find(all, number)
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		if err := tellNext(&out, l, &student.Folder{Dir: l.WorkFolder()}); err != nil {
			t.Fatal(err)
		}
		for _, line := range want {
			if !strings.Contains(out.String(), line+"\n") {
				t.Errorf("after %s: %q, want %q", number, out.String(), line)
			}
		}
	}
}

// TestListLabs: the progress of each group is in one column, however long a title is.
func TestListLabs(t *testing.T) {
	all, err := lab.Read(labs.FS)
	if err != nil {
		t.Fatal(err)
	}
	progress := map[string]*student.Folder{}
	for _, l := range all {
		progress[l.Folder] = &student.Folder{}
	}
	var out strings.Builder
	listLabs(&out, all, progress)
	column := -1
	for line := range strings.Lines(out.String()) {
		before, _, ok := strings.Cut(line, "started\n")
		if !ok {
			column = -1 // a head: here a group begins
			continue
		}
		if column < 0 {
			column = len([]rune(before))
		}
		if len([]rune(before)) != column || !strings.HasSuffix(before, "  ") {
			t.Errorf("the progress is in column %d, want %d: %s", len([]rune(before)), column, line)
		}
	}
}
