package grade_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"reconform.dev/reconform/internal/lab/grade"
)

// TestClass: in whatever way a process that grades ends, there is a result.
func TestClass(t *testing.T) {
	for name, tc := range map[string]struct {
		script  string
		outcome grade.Outcome
		why     string
	}{
		"a result":          {`echo '{"outcome": "judged", "reached": 1, "of": 1}'`, grade.Judged, ""},
		"no result":         {`echo nothing`, grade.Broken, "reading the result"},
		"a failure":         {`echo why >&2; exit 3`, grade.Broken, "exit status 3: why"},
		"no end":            {`while true; do :; done`, grade.TimeUp, "not graded after"},
		"much to say":       {`head -c 100000 /dev/zero >&2; head -c 10000000 /dev/zero; exit 3`, grade.Broken, "exit status 3"},
		"files left behind": {`echo > "$TMPDIR/left"; mkdir "$TMPDIR/more"; echo '{"outcome": "judged"}'`, grade.Judged, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := grade.Class{
				TimeLimit: 500 * time.Millisecond, Work: t.TempDir(),
				Command: func(dir string) []string { return []string{"sh", "-c", tc.script, "grade", dir} },
			}
			if tc.outcome != grade.TimeUp {
				c.TimeLimit = time.Minute
			}
			r, err := c.Grade(t.Context(), "ann", t.TempDir())
			if err != nil || r.Submission != "ann" || r.Outcome != tc.outcome || !strings.Contains(r.Why, tc.why) {
				t.Errorf("%+v, %v", r, err)
			}
			if left, err := os.ReadDir(c.Work); err != nil || len(left) > 0 {
				t.Errorf("left: %v, %v", left, err)
			}
		})
	}
}

// TestClassInterrupted: after Ctrl+C, the submission is not blamed.
func TestClassInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := grade.Class{TimeLimit: time.Minute, Work: t.TempDir(), Command: func(string) []string {
		cancel()
		return []string{"sleep", "100"}
	}}
	if r, err := c.Grade(ctx, "ann", t.TempDir()); !errors.Is(err, context.Canceled) {
		t.Errorf("%+v, %v", r, err)
	}
}
