package verdict

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/scenario/chainsaw"
)

// TestNeverQuiet: if a step failed because the controller did not come to rest, symptoms name
// the objects that it went on writing, first the one that it wrote most often.
func TestNeverQuiet(t *testing.T) {
	const waited = "Traffic quiet is not as expected: expected the subject to fall quiet within 20s"
	const counted = "Traffic t is not as expected: expected at most 13 effective writes (that change something), found 16"
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
	looks := func(change func(n int, r *history.Request)) []history.Request {
		all := []history.Request{write(-45, "demo"), write(-15, "demo"), write(15, "demo")}
		for n := range all {
			all[n].Values = []history.Change{{Path: "metadata.annotations.note", Was: `"1"`}}
			change(n, &all[n])
		}
		return all
	}
	statusOf := func(r *history.Request) {
		r.Group, r.Resource, r.Subresource, r.Changed = "apps.kubedojo.io", "webapps", "status", []string{"status.phase"}
	}
	for name, tc := range map[string]struct {
		requests []history.Request
		message  string
		want     []string
	}{
		"a loop":                     {each(same), waited, []string{"deployments.apps"}},
		"and something beside it":    {append(each(same), write(14, "other")), waited, []string{"deployments.apps"}},
		"of a child and a status":    {append(each(statusOf)[:12], each(same)...), waited, []string{"deployments.apps", "webapps.apps.kubedojo.io"}},
		"of a status and a child":    {append(each(statusOf), each(same)[:12]...), waited, []string{"webapps.apps.kubedojo.io", "deployments.apps"}},
		"of a child and few of one":  {append(each(same), each(statusOf)[:9]...), waited, []string{"deployments.apps"}},
		"of two of one kind":         {append(each(same), each(func(r *history.Request) { r.Name = "other" })...), waited, []string{"deployments.apps"}},
		"it came to rest":            {each(same), "Traffic quiet is not as expected: expected no writes, found 15", nil},
		"few writes":                 {each(same)[:5], waited, nil},
		"long before":                {each(func(r *history.Request) { r.Time = r.Time.Add(-time.Minute) }), waited, nil},
		"of many objects":            {each(func(r *history.Request) { r.Name = fmt.Sprint("demo-", r.Time.Second()) }), waited, nil},
		"only times":                 {each(func(r *history.Request) { r.OnlyTimes = true }), waited, nil},
		"writes that change nothing": {each(func(r *history.Request) { r.Effect = history.EffectNoop }), waited, nil},
		"the same at each look":      {looks(func(int, *history.Request) {}), waited, []string{"deployments.apps"}},
		"counted at each look":       {looks(func(int, *history.Request) {}), counted, []string{"deployments.apps"}},
		"counted, a second apart":    {looks(func(n int, r *history.Request) { r.Time = start.Add(time.Duration(n) * time.Second) }), counted, nil},
		"counted reads":              {looks(func(int, *history.Request) {}), "Traffic t is not as expected: expected at most 3 requests, found 9", nil},
		"the same twice, long ago":   {looks(func(_ int, r *history.Request) { r.Time = r.Time.Add(-2 * time.Minute) }), waited, nil},
		"another value at each look": {looks(func(n int, r *history.Request) { r.Values[0].Was = fmt.Sprint(n) }), waited, []string{"deployments.apps"}},
		"another value, not by the clock": {looks(func(n int, r *history.Request) {
			r.Values[0].Was, r.Time = fmt.Sprint(n), r.Time.Add(time.Duration(n%2)*9*time.Second)
		}), waited, nil},
		"another value, only twice": {looks(func(n int, r *history.Request) { r.Values[0].Was = fmt.Sprint(n) })[1:], waited, nil},
		"of other objects":          {looks(func(n int, r *history.Request) { r.Name = fmt.Sprint("demo-", n) }), waited, nil},
		"times at each look":        {looks(func(_ int, r *history.Request) { r.OnlyTimes = true }), waited, []string{"deployments.apps"}},
		"times, twice":              {looks(func(_ int, r *history.Request) { r.OnlyTimes = true })[1:], waited, []string{"deployments.apps"}},
		"its Lease at each look":    {looks(func(_ int, r *history.Request) { r.Group, r.Resource = "coordination.k8s.io", "leases" }), waited, nil},
		"its Lease":                 {each(func(r *history.Request) { r.Group, r.Resource = "coordination.k8s.io", "leases" }), waited, nil},
	} {
		t.Run(name, func(t *testing.T) {
			c := &Case{}
			c.Account.Requests = tc.requests
			c.Account.Events = []history.Event{{Reason: history.StepFailed, Seq: 100, Time: start.Add(15 * time.Second)}}
			var got []string
			for _, s := range c.neverQuiet(failure(tc.message)) {
				got = append(got, s.Resource)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("resources (-want +got):\n%s", diff)
			}
		})
	}
}

// TestExemptHeartbeat: a heartbeat that the profile declares is not what keeps a controller from
// rest.
func TestExemptHeartbeat(t *testing.T) {
	start := time.Date(2026, 11, 29, 9, 0, 0, 0, time.UTC)
	for declared, want := range map[string]int{"status.lastSeen": 0, "status.phase": 1} {
		c := &Case{}
		c.Contract.Exempt = []v1alpha1.Exemption{{Resources: []string{"webapps.apps.kubedojo.io"}, Fields: []string{declared}}}
		c.Account.Events = []history.Event{{Reason: history.StepFailed, Seq: 100, Time: start.Add(70 * time.Second)}}
		for n := range 3 {
			c.Account.Requests = append(c.Account.Requests, history.Request{
				Verb: history.VerbUpdate, Group: "apps.kubedojo.io", Resource: "webapps", Subresource: "status", Name: "demo",
				Effect: history.EffectEffective, Time: start.Add(time.Duration(n) * 30 * time.Second), Changed: []string{"status.lastSeen"},
			})
		}
		failure := chainsaw.Failure{Message: "Traffic t is not as expected: expected the subject to fall quiet within 20s", Of: chainsaw.Measured{Kind: "Traffic"}}
		if got := c.neverQuiet(failure); len(got) != want {
			t.Errorf("with %s declared: %+v, want %d", declared, got, want)
		}
	}
}

// TestLockIsNoWrite: a ConfigMap with which an election is held is written all the time, and is
// no child that is written too often.
func TestLockIsNoWrite(t *testing.T) {
	c := &Case{}
	for n, name := range []string{"demo", "election"} {
		c.Account.Requests = append(c.Account.Requests, history.Request{
			Seq: int64(n + 1), Verb: history.VerbUpdate, Resource: "configmaps", Name: name, Lock: name == "election",
		})
	}
	if got := c.writes(wrong{resource: "configmaps"}); len(got) != 1 || got[0].Name != "demo" {
		t.Errorf("writes: %+v, want that of demo", got)
	}
}
