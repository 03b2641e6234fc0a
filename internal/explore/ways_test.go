package explore

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestOnlyTheseWays: only plans of the ways that were asked for are kept. A way without a plan
// is an error that names those that have one.
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

// TestDisturbanceThatWasLeftOut: if the budget is too small for what has the disturbance, the
// error says so.
func TestDisturbanceThatWasLeftOut(t *testing.T) {
	for name, tc := range map[string]struct {
		left   []string
		budget time.Duration
		want   string // the end of the error
	}{
		"nothing was left out": {nil, time.Minute, "there are: 500"},
		"no time":              {[]string{"create: the budget is too small to record it", "x"}, time.Minute, "left out: create: the budget is too small to record it; x. Try a larger --budget than 1m0s, or fewer --operations"},
		"not for want of time": {[]string{"delete: it failed"}, 0, "left out: delete: it failed"},
	} {
		e := &Exploration{options: Options{Ways: []string{"meanwhile-edit"}, Budget: tc.budget}}
		e.inTheseWays([]*Plan{{Sort: "500"}})
		err := e.mayBeLeft(e.checkWays(), tc.left)
		if !IsUnfit(err) || !strings.Contains(err.Error(), `"meanwhile-edit"`) || !strings.HasSuffix(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q at the end", name, err, tc.want)
		}
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

// TestWaysAreDescribed: docs/explore.md has each disturbance in a table, in this order.
func TestWaysAreDescribed(t *testing.T) {
	text, err := os.ReadFile("../../docs/explore.md")
	if err != nil {
		t.Fatal(err)
	}
	var described []string
	before := ""
	for _, row := range regexp.MustCompile(`(?m)^   \| .* \| (`+"`.*`"+`) \|$`).FindAllSubmatch(text, -1) {
		for _, word := range strings.Split(strings.ReplaceAll(string(row[1]), "`", ""), ", ") {
			if strings.HasPrefix(word, "-") { // as the word before, with another ending
				word = before[:strings.LastIndex(before, "-")] + word
			}
			if !slices.Contains(described, word) {
				described = append(described, word)
			}
			before = word
		}
	}
	if diff := cmp.Diff(described, Ways()); diff != "" {
		t.Errorf("ways (-docs +code):\n%s", diff)
	}
}

// TestPlansAreOfAWay: what a plan is called can be asked for.
func TestPlansAreOfAWay(t *testing.T) {
	literal := regexp.MustCompile(`(?:\.plan\(|planAsCreated\(\w+, |{sort: |Sort = )"([^"]+)"`)
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, file := range files {
		if strings.HasSuffix(file.Name(), "_test.go") {
			continue
		}
		text, err := os.ReadFile(file.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, sort := range literal.FindAllSubmatch(text, -1) {
			found++
			if way := string(sort[1]); !strings.HasSuffix(way, "-") && !slices.Contains(Ways(), way) {
				t.Errorf("%s makes plans of %q, which Ways does not list", file.Name(), way)
			}
		}
	}
	if found < 30 {
		t.Errorf("%d sorts of plans were found in the code", found)
	}
}
