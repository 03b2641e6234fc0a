package logline

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestInWords: a line of JSON is a sentence with its error first; equal ones are one.
func TestInWords(t *testing.T) {
	reconcile := `{"level":"error","ts":"T1","msg":"Reconciler error","name":"demo","reconcileID":"1","error":"conflict","stacktrace":"a.go:1"}`
	got := InWords([]string{
		"plain  text", reconcile, `{"level":"info","ts":"T2","msg":"waits"}`, strings.ReplaceAll(reconcile, `"1"`, `"2"`), "{broken", "plain  text",
	})
	want := []string{"waits", "error Reconciler error error=conflict name=demo (×2)", "{broken", "plain  text (×2)"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

// TestForPeople: a line that zap writes for people is a sentence, too.
func TestForPeople(t *testing.T) {
	for line, want := range map[string]Line{
		"2026-11-27T15:14:35Z\tINFO\tsetup\tStarting manager": {Time: "2026-11-27T15:14:35Z", Text: "Starting manager", Times: 1},
		"2026-11-27T15:14:35.021+0100\tERROR\tReconciler error\t{\"controller\": \"site\", \"controllerKind\": \"Site\", \"name\": \"demo\", \"error\": \"no\"}": {
			Time: "2026-11-27T15:14:35.021+0100", Level: "error", Text: "Reconciler error error=no controller=site name=demo", Times: 1,
		},
		"2026-11-27T15:14:35Z\tINFO\t{\"a\": 1}": {Text: "2026-11-27T15:14:35Z\tINFO\t{\"a\": 1}", Times: 1},
		`{"level":"info","msg":"two  spaces"}`:   {Text: "two  spaces", Times: 1},
		"a\ttable\tof words":                     {Text: "a\ttable\tof words", Times: 1},
	} {
		if diff := cmp.Diff(want, Readable(line)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", line, diff)
		}
	}
}

// TestCut: of a long line of JSON the stack is left out first, and never the error.
func TestCut(t *testing.T) {
	frames := strings.Repeat("controller.go:315 ", 50)
	for name, tc := range map[string]struct{ line, want string }{
		"short":       {`{"msg":"x","stacktrace":"y"}`, `{"msg":"x","stacktrace":"y"}`},
		"a stack":     {`{"msg":"x","stacktrace":"` + frames + `","error":"no"}`, `{"error":"no","msg":"x"}`},
		"two stacks":  {`{"msg":"x","errorVerbose":"no\n` + frames + `","stacktrace":"` + frames + `","error":"no"}`, `{"error":"no","msg":"x"}`},
		"still long":  {`{"level":"error","ts":"T","msg":"x","object":"` + frames + `","error":"no"}`, "error x error=no object=con"},
		"not of JSON": {"plain " + frames, "plain contr"},
	} {
		t.Run(name, func(t *testing.T) {
			got := Cut(tc.line, 100)
			if !strings.HasPrefix(got, tc.want) || strings.HasPrefix(tc.want, "{") && got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}
