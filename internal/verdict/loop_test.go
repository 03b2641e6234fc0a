package verdict

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/scenario/chainsaw"
)

// TestNeverQuiet: if a step failed because the controller did not come to rest, a symptom names
// the object that it went on writing.
func TestNeverQuiet(t *testing.T) {
	const waited = "Traffic quiet is not as expected: expected the subject to fall quiet within 20s"
	start := time.Date(2026, 11, 29, 9, 0, 0, 0, time.UTC)
	write := func(second int, name string) history.Request {
		return history.Request{
			Verb: history.VerbUpdate, Group: "apps", Resource: "deployments", Name: name, Effect: history.EffectEffective,
			Time: start.Add(time.Duration(second) * time.Second), Changed: []string{"metadata.annotations.note"},
		}
	}
	failure := func(message string) chainsaw.Failure {
		return chainsaw.Failure{Step: "Given that the controller is quiet", Message: message, Of: chainsaw.Measured{Kind: "Traffic"}}
	}
	each := func(change func(r *history.Request)) (all []history.Request) {
		for n := range 15 {
			all = append(all, write(n, "demo"))
			change(&all[n])
		}
		return all
	}
	same := func(*history.Request) {}
	for name, tc := range map[string]struct {
		requests []history.Request
		message  string
		want     string
	}{
		"a loop":                     {each(same), waited, "deployments.apps"},
		"and something beside it":    {append(each(same), write(14, "other")), waited, "deployments.apps"},
		"it came to rest":            {each(same), "Traffic quiet is not as expected: expected no writes, found 15", ""},
		"few writes":                 {each(same)[:5], waited, ""},
		"long before":                {each(func(r *history.Request) { r.Time = r.Time.Add(-time.Minute) }), waited, ""},
		"of many objects":            {each(func(r *history.Request) { r.Name = fmt.Sprint("demo-", r.Time.Second()) }), waited, ""},
		"only times":                 {each(func(r *history.Request) { r.OnlyTimes = true }), waited, ""},
		"writes that change nothing": {each(func(r *history.Request) { r.Effect = history.EffectNoop }), waited, ""},
		"its Lease":                  {each(func(r *history.Request) { r.Group, r.Resource = "coordination.k8s.io", "leases" }), waited, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := &Case{}
			c.Account.Requests = tc.requests
			c.Account.Events = []history.Event{{Reason: history.StepFailed, Seq: 100, Time: start.Add(15 * time.Second)}}
			got := ""
			for _, s := range c.neverQuiet(failure(tc.message)) {
				got = s.Resource
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("resource (-want +got):\n%s", diff)
			}
		})
	}
}
