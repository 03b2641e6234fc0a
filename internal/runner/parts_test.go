package runner

import (
	"errors"
	"fmt"
	"testing"

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
