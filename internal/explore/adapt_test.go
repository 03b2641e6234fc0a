package explore

import (
	"bytes"
	"testing"
	"time"

	"reconform.dev/reconform/internal/report"
)

// TestAdapt: on a busy machine fewer Trials run side by side, unless the user says how many.
func TestAdapt(t *testing.T) {
	for name, tc := range map[string]struct {
		options Options
		took    time.Duration
		want    int
	}{
		"as usual":         {Options{Parallel: 16, Adapt: true}, usual, 16},
		"a little slower":  {Options{Parallel: 16, Adapt: true}, usual + usual/2, 16},
		"four times":       {Options{Parallel: 16, Adapt: true}, 4 * usual, 4},
		"a hundred times":  {Options{Parallel: 16, Adapt: true}, 100 * usual, 2},
		"one at a time":    {Options{Parallel: 1, Adapt: true}, 100 * usual, 1},
		"as the user says": {Options{Parallel: 16}, 100 * usual, 16},
	} {
		var told bytes.Buffer
		tc.options.Console = report.NewConsole(&told)
		e := &Exploration{options: tc.options}
		e.adapt(tc.took)
		tc.options.Console.Close()
		if e.options.Parallel != tc.want {
			t.Errorf("%s: %d at a time, want %d", name, e.options.Parallel, tc.want)
		}
		if fewer := e.options.Parallel < tc.options.Parallel; fewer != (told.Len() > 0) {
			t.Errorf("%s: told %q", name, told.String())
		}
	}
}
