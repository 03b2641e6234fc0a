package explore

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOnlyTheseWays(t *testing.T) {
	e := &Exploration{options: Options{Ways: []string{"conflict", "stale-end"}}}
	plans := e.inTheseWays([]*Plan{{Sort: "500"}, {Sort: "conflict"}, {Sort: "500"}})
	if diff := cmp.Diff([]string{"conflict"}, sortsOf(plans)); diff != "" {
		t.Errorf("plans (-want +got):\n%s", diff)
	}
	err := e.checkWays()
	if !IsUnfit(err) || !strings.Contains(err.Error(), `"stale-end"; there are: 500, conflict`) {
		t.Errorf("error %v", err)
	}
	e.inTheseWays([]*Plan{{Sort: "stale-end"}}) // of another resource
	if err := e.checkWays(); err != nil {
		t.Error(err)
	}
}

// TestCombinesWhatIsAskedFor: combinations that no plan needs are not recorded.
func TestCombinesWhatIsAskedFor(t *testing.T) {
	for way, want := range map[string]string{
		"conflict":           "",
		"stale-restart":      "restart",
		"stale-end":          "restart",
		"refused-restart":    "restart",
		"stale-standby":      "failover",
		"kept":               "mark-services-demo",
		"meanwhile-mark":     "mark-services-demo",
		"meanwhile-delete":   "delete",
		"late-answer-delete": "delete",
	} {
		got := ""
		for _, then := range []string{"restart", "failover", "delete", "mark-services-demo"} {
			if (Options{Ways: []string{way}}).combines(Operation{Name: "create then " + then}) {
				got += then
			}
		}
		if got != want {
			t.Errorf("%s combines with %q, want %q", way, got, want)
		}
	}
	if !(Options{}).combines(Operation{Name: "edit-port then edit"}) {
		t.Error("without --disturbances, not all is combined")
	}
}
