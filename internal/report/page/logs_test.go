package page

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/report/logline"
)

// TestMoments: the time of a line is found in each format that loggers use.
func TestMoments(t *testing.T) {
	beside := time.Date(2026, 11, 23, 9, 30, 0, 0, time.UTC)
	local := beside.Add(7 * time.Second).In(time.Local)
	for line, want := range map[string]string{
		`{"level":"info","ts":"2026-11-23T09:30:07.5Z","msg":"x"}`:       "09:30:07.5",
		`{"level":"info","ts":"2026-11-23T10:30:07.500+0100","msg":"x"}`: "09:30:07.5",
		`{"ts":1795426207.25,"msg":"x"}`:                                 "09:30:07.25",
		`{"ts":1795426207250,"msg":"x"}`:                                 "09:30:07.25",
		`{"time":"2026-11-23T09:30:07Z","msg":"x"}`:                      "09:30:07",
		"2026-11-23T09:30:07Z\tINFO\tsetup":                              "09:30:07",
		"time=2026-11-23T09:30:07.000Z level=INFO msg=x":                 "09:30:07",
		"2026-11-23 09:30:07,250 INFO x":                                 "09:30:07.25",
		local.Format("I0102 15:04:05.000000") + " 7 main.go:1] x":        "09:30:07",
		local.Format("2006/01/02 15:04:05") + " x":                       "09:30:07",
		"no time at all":                   "",
		"{broken 2026-11-23T09:30:07Z":     "",
		`{"msg":"2026-11-23T09:30:07Z"}`:   "",
		"I9999 99:99:99.000000 7 no month": "",
	} {
		at, found := momentOf(line, beside)
		got := ""
		if found {
			got = at.UTC().Format("15:04:05.999999")
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
	}
}

// TestWithoutMoment: only a time at the beginning is left out, and no other word.
// TestMomentsAtNewYear: a line that names no year may be of the year before, or of the next one.
func TestMomentsAtNewYear(t *testing.T) {
	before, after := time.Date(2026, 12, 31, 23, 59, 58, 0, time.UTC), time.Date(2027, 1, 1, 0, 0, 3, 0, time.UTC)
	for _, tc := range []struct{ beside, at time.Time }{{before, after}, {after, before}, {before, before}, {after, after}} {
		got, found := momentOf(tc.at.In(time.Local).Format("I0102 15:04:05.000000")+" 7 main.go:1] x", tc.beside)
		if !found || !got.Equal(tc.at) {
			t.Errorf("beside %s: %s, want %s", tc.beside, got, tc.at)
		}
	}
}

func TestWithoutMoment(t *testing.T) {
	for line, want := range map[string]string{
		"2026-11-23T09:30:07Z  again":      "again",
		"2026-11-23 09:30:07,250 INFO x":   "INFO x",
		"2026/11/23 09:30:07 x":            "x",
		"two  spaces":                      "two  spaces",
		"until 2026-11-23T09:30:07Z  ends": "until 2026-11-23T09:30:07Z  ends",
	} {
		if got := withoutMoment(line); got != want {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	}
}

// TestSpoken: the lines of the time that a scenario ran are shown in their order. A
// line without a time belongs to the line before it, and repeated lines are shown once.
func TestSpoken(t *testing.T) {
	began := time.Date(2026, 11, 23, 9, 30, 0, 0, time.UTC)
	stamp := func(after time.Duration, text string) string {
		return began.Add(after).Format(time.RFC3339) + "  " + text + "\n"
	}
	text := stamp(-time.Hour, "of another process") + "its stack\n" + stamp(time.Second, "panic: x") + "goroutine 1\n" +
		stamp(2*time.Second, "again") + stamp(3*time.Second, "again") + "\n" + stamp(time.Hour, "too late")
	got := spokenIn([]byte(text), "subject-0", began, began.Add(10*time.Second))
	want := []spoken{
		{began.Add(time.Second), "subject-0", logline.Line{Text: "panic: x", Times: 1}, true, false, false},
		{began.Add(time.Second), "subject-0", logline.Line{Text: "goroutine 1", Times: 1}, true, false, true},
		{began.Add(2 * time.Second), "subject-0", logline.Line{Text: "again", Times: 2}, true, false, false},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(spoken{}, logline.Line{})); diff != "" {
		t.Errorf("spoken (-want +got):\n%s", diff)
	}
}

// TestUndated: the lines of a log without times are those of the process that started.
func TestUndated(t *testing.T) {
	began := time.Date(2026, 11, 23, 9, 30, 0, 700e6, time.UTC)
	lines := spokenIn([]byte("opening the shop\n"), "a", began.Add(-5*time.Second), began.Add(time.Minute))
	l := &look{events: []history.Event{{Time: began, Replica: "a", Reason: history.ReplicaStarted}}}
	if l.delay(lines); len(lines) != 1 || !lines[0].at.Equal(began) {
		t.Errorf("got %+v, want one line at %s", lines, began)
	}
	l.spoken = append(lines, spoken{at: began, replica: "a", further: true}, spoken{at: began, replica: "a", whole: true})
	var got []any
	for _, row := range newTexts().log(l, newTexts()) {
		got = append(got, row[5:])
	}
	if diff := cmp.Diff([]any{[]any{0, 2}, []any{0, 1}, []any{1}}, got); diff != "" {
		t.Errorf("whether a line has a time (-want +got):\n%s", diff)
	}
}

// TestDelay: no line is older than the process that wrote it.
func TestDelay(t *testing.T) {
	began := time.Date(2026, 11, 23, 9, 30, 0, 700e6, time.UTC)
	second := began.Truncate(time.Second)
	started := func(at time.Time) history.Event {
		return history.Event{Time: at, Replica: "a", Reason: history.ReplicaStarted}
	}
	l := &look{events: []history.Event{started(began), {Time: began.Add(2100 * time.Millisecond), Replica: "a", Reason: history.ReplicaCrashed}, started(began.Add(2200 * time.Millisecond))}}
	for name, tc := range map[string]struct {
		at    time.Time
		whole bool
		want  time.Time
	}{
		"whole seconds":                   {second, true, began},
		"recorded a moment late":          {began.Add(-100 * time.Millisecond), false, began},
		"of another time":                 {began.Add(-time.Second), false, began.Add(-time.Second)},
		"perhaps of the process before":   {second.Add(2 * time.Second), true, second.Add(2 * time.Second)},
		"after the start of the process":  {began.Add(time.Second), true, began.Add(time.Second)},
		"after the last start, and event": {began.Add(time.Hour), true, began.Add(time.Hour)},
	} {
		lines := []spoken{{at: tc.at, replica: "a", whole: tc.whole}}
		if l.delay(lines); !lines[0].at.Equal(tc.want) {
			t.Errorf("%s: at %s, want %s", name, lines[0].at, tc.want)
		}
	}
}

// TestLogsBeside: the page shows the output of the replicas beside a failure, up to the
// limit.
func TestLogsBeside(t *testing.T) {
	now := time.Now()
	var file bytes.Buffer
	recorder := history.New(&file, nil)
	for _, namespace := range []string{"reconform-sh-003", "reconform-sh-004"} {
		recorder.Begin(history.Request{Scenario: namespace, Replica: "subject-0", Verb: history.VerbGet, Path: "/x", Code: 200}).Finish(nil)
	}
	if err := recorder.Close(); err != nil {
		t.Fatal(err)
	}
	var long strings.Builder
	for n := range 5 * mostLinesEach {
		fmt.Fprintf(&long, "line %d of many %s\n", n, strings.Repeat("x", 200))
	}
	line := func(text string) string {
		return fmt.Sprintf(`{"level":"error","ts":%q,"msg":%q}`+"\n", now.Format(time.RFC3339Nano), text)
	}
	logs := fstest.MapFS{
		"logs/reconform-sh-003/subject-0.log": {Data: []byte(line("cannot </script> do it, eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln") + long.String())},
		"logs/reconform-sh-003/subject-1.log": {Data: []byte(line("waits"))},
		"logs/reconform-sh-004/subject-0.log": {Data: []byte(line("nobody asked"))},
	}
	result := failed("SH-003")
	result.Evidence.Logs = []string{"logs/reconform-sh-003/subject-0.log", "logs/reconform-sh-003/subject-1.log", "logs/gone.log", "../up.log", "logs"}
	passed := v1alpha1.Result{ID: "SH-004", Verdict: v1alpha1.Passed}
	var out bytes.Buffer
	if err := writePage(&out, reported(t, result, passed), Recorded{History: &file, Logs: logs}); err != nil {
		t.Fatal(err)
	}
	page := out.String()
	for text, want := range map[string]bool{
		"waits": true, `"unspoken":`: true, "line 1999 of many": true, "nobody asked": false, "do it, eyJ": false, "cannot </script>": false,
	} {
		if got := strings.Contains(page, text); got != want {
			t.Errorf("%q is on the page: %v, want %v", text, got, want)
		}
	}
	if len(page) > 2<<20 {
		t.Errorf("the page has %d bytes", len(page))
	}
}
