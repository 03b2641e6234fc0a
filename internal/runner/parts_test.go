package runner

import (
	"errors"
	"fmt"
	"testing"

	"reconform.dev/reconform/envtest"
	"reconform.dev/reconform/internal/scenario/chainsaw"
)

// TestAgainst: if the definitions cannot be restored, only what has not run cannot be judged.
func TestAgainst(t *testing.T) {
	broken := errors.New("the control plane broke")
	lost := fmt.Errorf("round: %w", spoiled{errors.New("the definition is not deleted")})
	finished, cut := &chainsaw.Test{Finished: true}, &chainsaw.Test{}
	for name, tc := range map[string]struct {
		brokeOff error
		test     *chainsaw.Test
		want     error
	}{
		"nothing broke":                  {nil, finished, nil},
		"all broke":                      {broken, finished, broken},
		"no other can run, this one did": {lost, finished, nil},
		"this one was cut off":           {lost, cut, lost},
		"this one did not run":           {lost, nil, lost},
	} {
		t.Run(name, func(t *testing.T) {
			if got := against(tc.brokeOff, tc.test); got != tc.want {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

// TestAloneBeside: scenarios that change definitions run beside the others where nobody would
// notice a second control plane.
func TestAloneBeside(t *testing.T) {
	serial, others := []scenario{{}}, []scenario{{}, {}}
	ours := &Session{controlPlane: &envtest.ControlPlane{}}
	for name, tc := range map[string]struct {
		options  Options
		session  *Session
		parallel int
		parts    parts
		want     bool
	}{
		"beside others":                     {session: ours, parallel: 16, parts: parts{together: others, serial: serial}, want: true},
		"beside slow ones":                  {session: ours, parallel: 16, parts: parts{slow: others, serial: serial}, want: true},
		"no others":                         {session: ours, parallel: 16, parts: parts{serial: serial}},
		"no serial ones":                    {session: ours, parallel: 16, parts: parts{together: others}},
		"few at a time":                     {session: ours, parallel: 2, parts: parts{together: others, serial: serial}},
		"a cluster of somebody else":        {session: &Session{}, parallel: 16, parts: parts{together: others, serial: serial}},
		"all is kept":                       {options: Options{Keep: true}, session: ours, parallel: 16, parts: parts{together: others, serial: serial}},
		"the run ends at the first failure": {options: Options{FailFast: true}, session: ours, parallel: 16, parts: parts{together: others, serial: serial}},
	} {
		t.Run(name, func(t *testing.T) {
			r := &run{options: &tc.options, session: tc.session}
			if got := r.aloneBeside(tc.parallel, tc.parts); got != tc.want {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}
