package verdict

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/scenario/chainsaw"
)

// TestScheduled: writes at rest that come back at a regular interval, as a schedule makes them,
// accuse nobody. A child that is stamped by the clock, and what is set to and fro, do.
func TestScheduled(t *testing.T) {
	start := time.Date(2026, 11, 29, 9, 0, 0, 0, time.UTC)
	write := func(second int, verb, resource, name string, changed ...history.Change) history.Request {
		group := map[string]string{"webapps": "apps.kubedojo.io", "deployments": "apps", "jobs": "batch"}[resource]
		r := history.Request{
			Verb: verb, Group: group, Resource: resource, Name: name, Effect: history.EffectEffective,
			Time: start.Add(time.Duration(second) * time.Second), Values: changed,
		}
		for _, change := range changed {
			r.Changed = append(r.Changed, change.Path)
		}
		return r
	}
	field := func(path string, n int) history.Change {
		return history.Change{Path: path, Was: fmt.Sprint(n), Is: fmt.Sprint(n + 1)}
	}
	at := func(seconds []int, make func(n, second int) []history.Request) (all []history.Request) {
		for n, second := range seconds {
			all = append(all, make(n, second)...)
		}
		return all
	}
	job := func(n, second int) []history.Request {
		name := fmt.Sprint("demo-", n)
		return []history.Request{
			write(second, history.VerbCreate, "jobs", name), write(second+1, history.VerbUpdate, "webapps", "demo", field("status.active", 0)),
			write(second+9, history.VerbUpdate, "webapps", "demo", history.Change{Path: "status.active", Was: "1", Is: "0"}),
		}
	}
	status := func(n, second int) []history.Request {
		return []history.Request{write(second, history.VerbUpdate, "webapps", "demo", field("status.lastSeen", n))}
	}
	flips := func(n, second int) []history.Request {
		return []history.Request{write(second, history.VerbUpdate, "webapps", "demo", history.Change{
			Path: "status.phase", Was: fmt.Sprint(n % 2), Is: fmt.Sprint((n + 1) % 2),
		})}
	}
	child := func(path string) func(n, second int) []history.Request {
		return func(n, second int) []history.Request {
			return []history.Request{write(second, history.VerbUpdate, "deployments", "demo", field(path, n))}
		}
	}
	minutes := []int{30, 90}
	for name, tc := range map[string]struct {
		requests []history.Request
		want     string // part of the excuse; empty if there is none
	}{
		"new objects each minute":           {at(minutes, job), "a schedule of 1m0s: a create of jobs.batch, such as demo-0, comes back"},
		"new objects three times":           {at([]int{10, 50, 90}, job), "a schedule of 40s"},
		"and old ones deleted":              {append(at(minutes, job), write(91, history.VerbDelete, "jobs", "demo-0")), "a schedule of 1m0s"},
		"and another object deleted":        {append(at(minutes, job), write(91, history.VerbDelete, "deployments", "demo")), ""},
		"and a child stamped":               {append(at(minutes, job), at(minutes, child("metadata.annotations.checked"))...), ""},
		"new objects, not by the clock":     {at([]int{10, 35, 100}, job), ""},
		"new objects, and one turn missing": {at([]int{10, 40}, job), ""},
		"new objects, too often for rest":   {at([]int{10, 25, 40, 55, 70, 85, 100, 115}, job), ""},
		"a new object, once":                {at([]int{30}, job), ""},
		"the same object made anew":         {at(minutes, func(_, second int) []history.Request { return job(0, second)[:1] }), ""},
		"a heartbeat in the status":         {at([]int{20, 70, 120}, status), "a schedule of 50s: an update of status.lastSeen of webapps.apps.kubedojo.io demo comes back at that interval. If it is one, declare it in claims.exempt of the profile: {verbs: [update], resources: [webapps.apps.kubedojo.io], fields: ['status.lastSeen'], why: a schedule}"},
		"a status that is set to and fro":   {at(minutes, flips), ""},
		"a heartbeat of two objects, one behind": {at([]int{20, 70, 120}, func(n, second int) []history.Request {
			return []history.Request{
				write(second, history.VerbUpdate, "webapps", "demo", field("status.beats", 5+n)),
				write(second+1, history.VerbUpdate, "webapps", "other", field("status.beats", 4+n)),
			}
		}), "a schedule of 50s"},
		"a stamp on a child":           {at(minutes, child("metadata.annotations.checked")), ""},
		"the content of a child":       {at(minutes, child("spec.template")), "a schedule of 1m0s"},
		"the content of a child, once": {at([]int{30}, child("spec.template")), ""},
		"the spec of the object of the user": {at(minutes, func(n, second int) []history.Request {
			return []history.Request{write(second, history.VerbUpdate, "webapps", "demo", field("spec.replicas", n))}
		}), ""},
		"an update whose fields are not known": {at(minutes, func(_, second int) []history.Request {
			return []history.Request{write(second, history.VerbUpdate, "webapps", "demo")}
		}), ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := &Case{}
			c.Contract.Primary = schema.GroupResource{Group: "apps.kubedojo.io", Resource: "webapps"}
			c.Contract.Children = []schema.GroupResource{{Group: "apps", Resource: "deployments"}}
			c.Account.Requests = tc.requests
			for n := range c.Account.Requests {
				c.Account.Requests[n].Seq = int64(n + 2)
			}
			c.Account.Events = []history.Event{
				{Reason: history.StepBegan, Message: "When it is quiet", Seq: 1, Time: start},
				{Reason: history.StepFailed, Seq: 100, Time: start.Add(130 * time.Second)},
			}
			failure := chainsaw.Failure{
				Step: "Then no write changed anything", Of: chainsaw.Measured{Kind: "Traffic"},
				Message: "Traffic writes is not as expected: expected no effective writes, found some in 2m0s: #2 write (effective)",
			}
			got := c.scheduled(failure, "at the step")
			if (got == "") != (tc.want == "") || !strings.Contains(got, tc.want) {
				t.Errorf("excuse %q, want %q", got, tc.want)
			}
			c.Contract.Exempt = []v1alpha1.Exemption{{Resources: []string{"webapps.apps.kubedojo.io", "jobs.batch", "deployments.apps"}}}
			if got := c.scheduled(failure, "at the step"); got != "" {
				t.Errorf("though it is declared: %q", got)
			}
		})
	}
}

// TestOnce: a look of ten seconds may meet one turn of a schedule, and cannot tell it from
// anything else. What came shortly before, too, is no schedule; nor is a write to a child.
func TestOnce(t *testing.T) {
	start := time.Date(2026, 11, 29, 9, 0, 0, 0, time.UTC)
	beat := func(second int, field string, n int) history.Request {
		return history.Request{
			Verb: history.VerbUpdate, Group: "apps.kubedojo.io", Resource: "webapps", Subresource: "status", Name: "demo", Effect: history.EffectEffective,
			Time: start.Add(time.Duration(second) * time.Second), Changed: []string{field},
			Values: []history.Change{{Path: field, Was: fmt.Sprint(n), Is: fmt.Sprint(n + 1)}},
		}
	}
	stamp := beat(15, "metadata.annotations.checked", 0)
	stamp.Group, stamp.Resource, stamp.Subresource = "apps", "deployments", ""
	content := stamp
	content.Changed, content.Values = []string{"spec.template"}, []history.Change{{Path: "spec.template", Was: "a", Is: "b"}}
	for name, tc := range map[string]struct {
		requests []history.Request // of which those from the twelfth second on are counted
		judges   []string
		excused  bool
	}{
		"one turn":                     {requests: []history.Request{beat(15, "status.lastSeen", 0)}, judges: []string{v1alpha1.RuleRestless}, excused: true},
		"every eight seconds":          {requests: []history.Request{beat(7, "status.lastSeen", 0), beat(15, "status.lastSeen", 1)}, judges: []string{v1alpha1.RuleRestless}},
		"after it has come up":         {requests: []history.Request{beat(7, "status.phase", 0), beat(15, "status.lastSeen", 0)}, judges: []string{v1alpha1.RuleRestless}, excused: true},
		"two turns":                    {requests: []history.Request{beat(12, "status.lastSeen", 0), beat(20, "status.lastSeen", 1)}, judges: []string{v1alpha1.RuleRestless}},
		"set to and fro":               {requests: []history.Request{beat(15, "status.phase", 0), beat(16, "status.phase", -1)}, judges: []string{v1alpha1.RuleRestless}},
		"a stamp on a child":           {requests: []history.Request{stamp}, judges: []string{v1alpha1.RuleRestless}},
		"the content of a child":       {requests: []history.Request{content}, judges: []string{v1alpha1.RuleRestless}},
		"the scenario has done a deed": {requests: []history.Request{beat(15, "status.lastSeen", 0)}},
	} {
		t.Run(name, func(t *testing.T) {
			c := &Case{}
			c.Requirement.Judges = tc.judges
			c.Contract.Primary = schema.GroupResource{Group: "apps.kubedojo.io", Resource: "webapps"}
			c.Contract.Children = []schema.GroupResource{{Group: "apps", Resource: "deployments"}}
			message := "Traffic writes is not as expected: expected no effective writes, found some in 10s:"
			for n, r := range tc.requests {
				r.Seq = int64(n + 2)
				c.Account.Requests = append(c.Account.Requests, r)
				if r.Time.Sub(start) > 10*time.Second {
					message += fmt.Sprintf(" #%d write (effective)", r.Seq)
				}
			}
			c.Account.Events = []history.Event{
				{Reason: history.StepBegan, Message: "When it is quiet", Seq: 1, Time: start},
				{Reason: history.StepFailed, Seq: 100, Time: start.Add(22 * time.Second)},
			}
			failure := chainsaw.Failure{Step: "Then no write has changed anything", Of: chainsaw.Measured{Kind: "Traffic"}, Message: message}
			if got := c.scheduled(failure, "at the step"); (got != "") != tc.excused {
				t.Errorf("excuse %q, want one: %t", got, tc.excused)
			}
		})
	}
}
