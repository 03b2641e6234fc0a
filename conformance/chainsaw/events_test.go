package chainsaw

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseEvent(t *testing.T) {
	for name, tc := range map[string]struct {
		line string
		want Event
		ok   bool
	}{
		"an operation": {
			"    sink.go:71: \b\b\b| 12:31:05 | sh-001 | the Deployment is deleted | DELETE    | RUN   | apps/v1/Deployment @ sh-001/demo",
			Event{Kind: Progress, Test: "sh-001", Step: "the Deployment is deleted", Operation: "delete", Object: "apps/v1/Deployment @ sh-001/demo"},
			true,
		},
		"a pass":         {"    --- PASS: chainsaw/sh-001 (2.11s)", Event{Kind: Ended, Test: "sh-001", Passed: true}, true},
		"a failure":      {"    --- FAIL: chainsaw/sh-001 (2.11s)", Event{Kind: Ended, Test: "sh-001"}, true},
		"the whole":      {"--- PASS: chainsaw (12.31s)", Event{}, false},
		"something else": {"=== CONT  chainsaw/sh-001", Event{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := parseEvent(tc.line)
			if ok != tc.ok {
				t.Errorf("ok = %t, want %t", ok, tc.ok)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("event (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFollowAndMerge(t *testing.T) {
	const output = `=== RUN   chainsaw/sh-001
    | 12:31:05 | sh-001 | start | APPLY     | RUN   | reconform.dev/v1alpha1/Subject @ sh-001/subject
    | 12:31:05 | sh-002 | start | APPLY     | ERROR | reconform.dev/v1alpha1/Subject @ sh-002/subject
        === ERROR
        no such kind
    --- PASS: chainsaw/sh-001 (2.11s)
`
	var events []Event
	ends := follow(strings.NewReader(output), func(e Event) { events = append(events, e) })
	if len(events) != 3 {
		t.Errorf("got %d events, want 3: %v", len(events), events)
	}
	tests := map[string]Test{}
	for _, test := range merge([]Test{{Name: "sh-001"}}, ends) {
		tests[test.Name] = test
	}
	if got := tests["sh-001"]; !got.Passed || !got.Finished {
		t.Errorf("sh-001 = %+v, want it passed", got)
	}
	if got := tests["sh-002"]; got.Passed || got.Finished || !strings.Contains(strings.Join(got.Output, "\n"), "no such kind") {
		t.Errorf("sh-002 = %+v, want it unfinished, with its output", got)
	}
}
