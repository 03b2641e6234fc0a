package explore

import (
	"strings"
	"testing"
	"time"

	"reconform.dev/reconform/internal/profile"
)

// TestTimeToConfirm: no plan begins at the end of the budget, because there would be no time to try it
// again if it diverged. The report says that the budget was spent.
func TestTimeToConfirm(t *testing.T) {
	for name, tc := range map[string]struct {
		budget, spent time.Duration
		late          bool
	}{
		"there is time":               {3 * time.Minute, 2 * time.Minute, false},
		"the end of the budget":       {3 * time.Minute, 151 * time.Second, true},
		"of a long budget, a minute":  {time.Hour, 58 * time.Minute, false},
		"the end of a long budget":    {time.Hour, 59*time.Minute + time.Second, true},
		"without a budget it is open": {0, time.Hour, false},
	} {
		e := exploring(nil)
		e.target.Profile = &profile.Profile{}
		e.options.Budget, e.options.Parallel, e.began = tc.budget, 2, time.Now().Add(-tc.spent)
		if got := e.isLate(); got != tc.late {
			t.Errorf("%s: late %t", name, got)
		}
		if !tc.late {
			continue
		}
		e.planned = somePlans()
		if err := e.carryOut(t.Context()); err != nil { // there is no bench: a plan that begins ends the test
			t.Errorf("%s: %v", name, err)
		}
		if r := e.Report(); !strings.Contains(r.Cut, "budget") || r.Plans.Done > 0 {
			t.Errorf("%s: cut %q, %d plans done", name, r.Cut, r.Plans.Done)
		}
	}
}
