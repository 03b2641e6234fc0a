package verdict

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/scenario/chainsaw"
)

// TestStarving: the controller wrote another object again and again until the step
// failed, and never came to this object. So this failure is explained by that loop.
func TestStarving(t *testing.T) {
	const looping, other = "loop webapps.apps.kubedojo.io one", " deployments.apps two"
	missing := chainsaw.Failure{Step: "Then it is made", Operation: "assert", Object: "apps/v1/Deployment @ " + inNamespace + "/two", Message: "actual resource not found"}
	many := chainsaw.Failure{Step: "Given that all are made", Operation: "assert", Object: "/ @ *", Message: "* (length(x) >= `10`): Invalid value: false"}
	judging := many
	judging.Step = "Then all are made"
	begun := []string{"Given two of them", "create webapps.apps.kubedojo.io one", "create deployments.apps one"}
	rounds := func(n int) []string { return strings.Split(strings.Repeat(looping+"\n", n), "\n")[:n] }
	for name, tc := range map[string]struct {
		failure chainsaw.Failure
		lines   []string // after the start
		want    string   // of the symptom of the loop
	}{
		"never come to":                {missing, rounds(7), "wrote nothing but webapps.apps.kubedojo.io one, 7 times, though nothing in it changed but times (#4, #5, #6, #7, #8 and 2 more)"},
		"asked for":                    {missing, append(rounds(7), "get"+other), ""},
		"tried to make":                {missing, append(rounds(7), "create"+other+" 409"), ""},
		"something else, and two more": {missing, append(append(rounds(5), "create services one"), rounds(2)...), ""},
		"two rounds":                   {missing, rounds(2), ""},
		"long before":                  {missing, append(rounds(4), "", "", "", ""), ""},
		"whichever it waited for":      {many, rounds(4), "one, 4 times"},
		"whichever it judged":          {judging, rounds(4), ""},
	} {
		t.Run(name, func(t *testing.T) {
			lines := append(append([]string{}, begun...), tc.lines...)
			var kept []string
			for _, line := range lines {
				if line != "" {
					kept = append(kept, strings.Replace(line, "loop ", "update ", 1))
				}
			}
			c := acted(t, append(kept, history.StepFailed)...)
			began := time.Unix(100, 0)
			for n := range c.Account.Requests {
				r := &c.Account.Requests[n]
				r.Time, r.OnlyTimes = began.Add(time.Duration(r.Seq)*time.Second), r.Verb == history.VerbUpdate
			}
			for n := range c.Account.Events {
				c.Account.Events[n].Time = began.Add(time.Duration(len(lines)+1) * time.Second)
			}
			found := c.symptoms(tc.failure)
			var loop v1alpha1.Symptom
			for _, s := range found {
				if s.State == v1alpha1.Restless {
					loop = s
				} else if s.Starved != (tc.want != "") {
					t.Errorf("starved: %t", s.Starved)
				}
			}
			if (loop.Seen != "") != (tc.want != "") || !strings.Contains(loop.Seen, tc.want) {
				t.Errorf("%q, want %q", fmt.Sprint(found), tc.want)
			}
		})
	}
}
