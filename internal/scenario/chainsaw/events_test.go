package chainsaw

import (
	"bufio"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseProgress(t *testing.T) {
	for name, tc := range map[string]struct {
		line       string
		want       Event
		failed, ok bool
	}{
		"an operation": {
			line: "    sink.go:71: \b\b\b| 12:31:05 | sh-001 | the Deployment is deleted | DELETE    | RUN   | apps/v1/Deployment @ sh-001/demo",
			want: Event{Kind: Progress, Test: "sh-001", Step: "the Deployment is deleted", Operation: "delete", Object: "apps/v1/Deployment @ sh-001/demo", Acts: "delete Deployment demo"},
			ok:   true,
		},
		"an object of the bench": {
			line: "| 12:31:05 | sh-001 | it is counted | CREATE    | RUN   | reconform.dev/v1alpha1/Traffic @ sh-001/quiet",
			want: Event{Kind: Progress, Test: "sh-001", Step: "it is counted", Operation: "create", Object: "reconform.dev/v1alpha1/Traffic @ sh-001/quiet"},
			ok:   true,
		},
		"an operation that has begun before": {
			line: "| 12:31:05 | sh-001 | it is deleted | DELETE    | OK    | apps/v1/Deployment @ sh-001/demo",
			want: Event{Kind: Progress, Test: "sh-001", Step: "it is deleted", Operation: "delete", Object: "apps/v1/Deployment @ sh-001/demo"},
			ok:   true,
		},
		"an operation that fails": {
			line:   "| 12:31:05 | sh-001 | it comes back | ASSERT    | ERROR | apps/v1/Deployment @ sh-001/demo",
			want:   Event{Kind: Progress, Test: "sh-001", Step: "it comes back", Operation: "assert", Object: "apps/v1/Deployment @ sh-001/demo"},
			failed: true,
			ok:     true,
		},
		"the end where nothing is deleted": {
			line: "| 12:31:05 | sh-001 | @chainsaw | CLEANUP   | SKIP  |",
			want: Event{Kind: Ended, Test: "sh-001", Step: "@chainsaw", Operation: "cleanup"},
			ok:   true,
		},
		"the end of a step's cleanup": {
			line: "| 12:31:05 | sh-001 | Start the controller | CLEANUP   | END   |",
			want: Event{Kind: Progress, Test: "sh-001", Step: "Start the controller", Operation: "cleanup"},
			ok:   true,
		},
		"something else": {line: "=== CONT  chainsaw/sh-001"},
	} {
		t.Run(name, func(t *testing.T) {
			got, failed, ok := parseProgress(tc.line)
			if failed != tc.failed || ok != tc.ok {
				t.Errorf("failed, ok = %t, %t, want %t, %t", failed, ok, tc.failed, tc.ok)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("event (-want +got):\n%s", diff)
			}
		})
	}
}

// TestFollowCommands: a command line is reported once, for the test that runs it.
func TestFollowCommands(t *testing.T) {
	var got []string
	follow(strings.NewReader(`=== NAME  chainsaw/sh-004
    sink.go:61: | 14:11:38 | sh-004 | When it is changed | CMD | RUN |
        === COMMAND
        /somewhere/kubectl set image deployment/demo app=foreign:v1 --namespace=reconform-sh-004
    sink.go:61: | 14:11:38 | sh-004 | When it is changed | CMD | LOG |
        === STDOUT
        deployment.apps/demo image updated
    sink.go:61: | 14:11:38 | sh-004 | When it is changed | CMD | DONE |
    sink.go:61: | 14:11:39 | rc-005 | When it is changed | PATCH | RUN | apps/v1/Deployment @ reconform-rc-005/demo
`), func(event Event) {
		if event.Acts != "" {
			got = append(got, event.Test+": "+event.Acts)
		}
	})
	want := []string{"sh-004: kubectl set image deployment/demo app=foreign:v1", "rc-005: patch Deployment demo"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what the scenarios do (-want +got):\n%s", diff)
	}
}

func TestParseClosing(t *testing.T) {
	for line, want := range map[string]struct {
		test       string
		passed, ok bool
	}{
		"    --- PASS: chainsaw/sh-001 (2.11s)": {"sh-001", true, true},
		"    --- FAIL: chainsaw/sh-001 (2.11s)": {"sh-001", false, true},
		"--- PASS: chainsaw (12.31s)":           {},
		// What a command has printed is indented more.
		"        --- PASS: chainsaw/sh-001 (2.11s)": {},
	} {
		if test, passed, ok := parseClosing(line); test != want.test || passed != want.passed || ok != want.ok {
			t.Errorf("parseClosing(%q) = %q, %t, %t, want %+v", line, test, passed, ok, want)
		}
	}
}

// TestPrintedLines: what a command has printed is no news about a test, whatever it looks like.
func TestPrintedLines(t *testing.T) {
	ends := follow(strings.NewReader(`=== RUN   chainsaw/sh-001
    | 12:31:05 | sh-001 | Then it says so | CMD       | LOG   |
        === STDOUT
        | 12:31:05 | sh-002 | Then it is | ASSERT    | ERROR | v1/Pod @ sh-002/a
        --- PASS: chainsaw/other (2.11s)
        --- PASS: chainsaw/sh-001 (2.11s)
    sink.go:61: `+"\b\b\b\b"+`| 12:31:06 | sh-001 | Then it is so | ASSERT    | ERROR | v1/Pod @ sh-001/a
`), func(Event) {})
	end := ends["sh-001"]
	if len(ends) != 1 || end == nil || end.closed || end.passed || end.failed != "Then it is so" || len(end.output) != 6 {
		t.Errorf("followed %+v: %+v", ends, end)
	}
}

func TestFollowAndMerge(t *testing.T) {
	output := `=== RUN   chainsaw/sh-001
    | 12:31:05 | sh-001 | start | APPLY     | RUN   | reconform.dev/v1alpha1/Subject @ sh-001/subject
    | 12:31:05 | sh-002 | start | APPLY     | ERROR | reconform.dev/v1alpha1/Subject @ sh-002/subject
        sink.go:61: ` + "\b\b\b\b\b\b\b\b\b\b\b\b" + `=== ERROR
        ` + strings.Repeat("x", 10<<20) + `
        no such kind
    --- PASS: chainsaw/sh-001 (2.11s)
`
	var events []Event
	ends := follow(strings.NewReader(output), func(e Event) { events = append(events, e) })
	if len(events) != 2 || events[0].Failed != "" || events[1].Failed != "start" {
		t.Errorf("got %v, want one event of each test, the second not passed", events)
	}
	tests := map[string]Test{}
	for _, test := range merge([]Test{{Name: "sh-001"}, {Name: "sh-002", Failures: []Failure{{Step: "start"}}}}, ends) {
		tests[test.Name] = test
	}
	if got := tests["sh-001"]; !got.Passed || !got.Finished {
		t.Errorf("sh-001 = %+v, want it passed", got)
	}
	if got := tests["sh-002"]; got.Passed || got.Finished || !slices.Contains(got.Output, "        === ERROR") || !slices.Contains(got.Output, "        no such kind") ||
		got.Failures[0].Object != "reconform.dev/v1alpha1/Subject @ sh-002/subject" {
		t.Errorf("sh-002 = %+v, want it unfinished, with its output and the object of its failure", got)
	}
}

func TestLinesThatAreLong(t *testing.T) {
	lines := bufio.NewReaderSize(strings.NewReader("a\n"+strings.Repeat("x", 10<<20)+"\n\nb"), longestLine)
	var got []string
	for {
		line, err := readLine(lines)
		if err != nil {
			break
		}
		got = append(got, line)
	}
	want := []string{"a", strings.Repeat("x", longestLine) + "… (10420224 bytes left out)", "", "b"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lines (-want +got):\n%.500s", diff)
	}
}
