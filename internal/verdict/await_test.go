package verdict

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/scenario/chainsaw"
)

// TestGuessedRetries: if the retry schedule is only guessed, a write that is not tried
// again is not a failure. A write that was never tried, or was wrong, is.
func TestGuessedRetries(t *testing.T) {
	const message = "* spec.replicas: Invalid value: 2: Expected value: 3"
	const deployment = "apps/v1/Deployment @ " + inNamespace + "/demo"
	begun := []string{history.ReplicaStarted, "Given one", "list webapps.apps.kubedojo.io demo", "create deployments.apps demo", "Then it is", "When it changes"}
	for name, tc := range map[string]struct {
		guessed bool
		lines   []string // after the change
		want    v1alpha1.ResultVerdict
	}{
		"tried once, and guessed":           {true, []string{"update deployments.apps demo 409"}, v1alpha1.ResultInconclusive},
		"tried once, and known":             {false, []string{"update deployments.apps demo 409"}, v1alpha1.Failed},
		"never tried, and guessed":          {true, nil, v1alpha1.Failed},
		"another object tried, and guessed": {true, []string{"update services demo 409"}, v1alpha1.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			c := acted(t, append(slices.Clone(begun), append(tc.lines, history.StepFailed)...)...)
			c.Contract.RetriesGuessed, c.TimeoutScale = tc.guessed, 1
			c.Test = &chainsaw.Test{Finished: true, Failures: []chainsaw.Failure{{Step: "Then it follows", Operation: "assert", Object: deployment, Message: message}}}
			if found := Judge(*c); found.Verdict != tc.want {
				t.Errorf("%s, %q (%+v); want %s", found.Verdict, found.Reason, found.Symptoms, tc.want)
			}
		})
	}
}

// TestRefusedEachTime: who goes on trying, and is refused by the API server itself each time, does
// not wait for an attempt that nobody knows.
func TestRefusedEachTime(t *testing.T) {
	const again, changed = "create deployments.apps demo 409", "When it changes"
	for name, tc := range map[string]struct {
		lines []string // after the start
		later time.Duration
		want  v1alpha1.ResultVerdict
	}{
		"three times":               {[]string{changed, again, again, again}, 0, v1alpha1.Failed},
		"twice":                     {[]string{changed, again, again}, 0, v1alpha1.ResultInconclusive},
		"once since the change":     {[]string{again, again, again, changed, again}, 0, v1alpha1.ResultInconclusive},
		"three times, and no more":  {[]string{changed, again, again, again}, time.Minute, v1alpha1.ResultInconclusive},
		"by the scenario":           {[]string{changed, again, again, again, "create deployments.apps demo 500"}, 0, v1alpha1.ResultInconclusive},
		"three times, of a Service": {[]string{changed, again, "create services demo 409", "create services demo 409", "create services demo 409"}, 0, v1alpha1.ResultInconclusive},
	} {
		t.Run(name, func(t *testing.T) {
			c := acted(t, append(append([]string{history.ReplicaStarted, "Given one", "create deployments.apps demo", "Then it is"}, tc.lines...), history.StepFailed)...)
			for n := range c.Account.Requests {
				if r := &c.Account.Requests[n]; r.Code == 409 {
					r.Reason = "AlreadyExists"
				}
			}
			last := &c.Account.Events[len(c.Account.Events)-1]
			last.Time = last.Time.Add(tc.later)
			c.Contract.RetriesGuessed, c.TimeoutScale = true, 1
			c.Test = &chainsaw.Test{Finished: true, Failures: []chainsaw.Failure{{
				Step: "Then it follows", Operation: "assert", Object: "apps/v1/Deployment @ " + inNamespace + "/demo", Message: "    * metadata.labels.a: Invalid value: \"b\": Expected value: \"c\"",
			}}}
			if found := Judge(*c); found.Verdict != tc.want {
				t.Errorf("%s, %q (%+v); want %s", found.Verdict, found.Reason, found.Symptoms, tc.want)
			}
		})
	}
}

// TestForbidden: if a rule of the cluster refused the missing write, no further attempt would
// help. A policy of the scenario may go.
func TestForbidden(t *testing.T) {
	denied := func(policy string) string {
		return "deployments.apps \"demo\" is forbidden: ValidatingAdmissionPolicy '" + policy + "' with binding 'b' denied request: cannot set blockOwnerDeletion"
	}
	for name, tc := range map[string]struct {
		message string
		want    v1alpha1.ResultVerdict
	}{
		"a rule of the cluster":    {denied(inNamespace + "-guards-owners"), v1alpha1.Failed},
		"a policy of the scenario": {denied("refuses-" + inNamespace), v1alpha1.ResultInconclusive},
	} {
		t.Run(name, func(t *testing.T) {
			c := acted(t, history.ReplicaStarted, "When a WebApp is created", "create deployments.apps demo 403", history.StepFailed)
			c.Account.Scenario = inNamespace
			for n := range c.Account.Requests {
				c.Account.Requests[n].Message, c.Account.Requests[n].Note = tc.message, ""
			}
			c.Contract.RetriesGuessed, c.TimeoutScale = true, 1
			c.Test = &chainsaw.Test{Finished: true, Failures: []chainsaw.Failure{{
				Step: "Then it gets its Deployment", Operation: "assert", Object: "apps/v1/Deployment @ " + inNamespace + "/demo", Message: "actual resource not found",
			}}}
			if found := Judge(*c); found.Verdict != tc.want {
				t.Errorf("%s, %q (%+v); want %s", found.Verdict, found.Reason, found.Symptoms, tc.want)
			}
		})
	}
}

// TestUnreached: if the controller tried to reach a Pod, which does not really run, nothing is concluded
// from a state that it did not bring about. What it wrote is judged.
func TestUnreached(t *testing.T) {
	const member = "demo-0.demo.look.svc:2379"
	begun := []string{history.ReplicaStarted, "Given one", "create deployments.apps demo", "Then it is", "When it changes"}
	differs := chainsaw.Failure{
		Step: "Then it follows", Operation: "assert", Object: "apps/v1/Deployment @ " + inNamespace + "/demo",
		Message: "* spec.replicas: Invalid value: 2: Expected value: 3",
	}
	never := chainsaw.Failure{
		Step: "Then it stays", Operation: "assert", Object: "reconform.dev/v1alpha1/Observation @ " + inNamespace + "/stays", Proved: true,
		Message: `Observation stays is not as expected: never expected "new == null", seen: demo`, Of: chainsaw.Measured{Kind: "Observation"},
	}
	many := chainsaw.Failure{
		Step: "Then it rests", Operation: "assert", Message: "Traffic rest is not as expected: expected at most 0 requests, found 7 in 9s",
		Of: chainsaw.Measured{Kind: "Traffic"},
	}
	reads := many
	reads.Proved = true // more requests never become fewer
	reads.Message = "Traffic reads is not as expected: expected at most 2 requests, found 5 in 10s: #6 get statefulsets.apps demo-0"
	forbidden := reads
	forbidden.Message = "Traffic reads is not as expected: expected no requests, found 1 in 10s: #6 get statefulsets.apps demo-0"
	prepared := differs
	prepared.Step = "Given that it follows"
	generation := func(found, expected int) chainsaw.Failure {
		failure := differs
		failure.Message = fmt.Sprintf("* metadata.generation: Invalid value: %d: Expected value: %d", found, expected)
		return failure
	}
	for name, tc := range map[string]struct {
		failure   chainsaw.Failure
		unreached []string
		lines     []string // after the change
		want      v1alpha1.ResultVerdict
		reason    string
	}{
		"a state that is waited for":     {differs, []string{member}, nil, v1alpha1.ResultInconclusive, "tried to reach " + member + ", and nothing answered"},
		"two addresses":                  {differs, []string{member, "10.1.2.3:80"}, nil, v1alpha1.ResultInconclusive, member + " and 1 more"},
		"what had to be there before it": {prepared, []string{member}, nil, v1alpha1.ResultInconclusive, "tried to reach " + member},
		"nothing was tried":              {differs, nil, nil, v1alpha1.Failed, "Expected value: 3"},
		"it deleted the child itself":    {differs, []string{member}, []string{"delete deployments.apps demo"}, v1alpha1.Failed, "Expected value: 3"},
		"what must never be":             {never, []string{member}, nil, v1alpha1.Failed, "never expected"},
		"a generation that is over":      {generation(3, 2), []string{member}, nil, v1alpha1.Failed, "Expected value: 2"},
		"a generation that may come":     {generation(1, 2), []string{member}, nil, v1alpha1.ResultInconclusive, "tried to reach " + member},
		"too many requests":              {many, []string{member}, nil, v1alpha1.Failed, "at most 0"},
		"too many reads":                 {reads, []string{member}, []string{"get statefulsets.apps demo-0"}, v1alpha1.ResultInconclusive, "tried to reach " + member},
		"too many writes":                {reads, []string{member}, []string{"update statefulsets.apps demo-0"}, v1alpha1.Failed, "at most 2"},
		"a read that must never be":      {forbidden, []string{member}, []string{"get statefulsets.apps demo-0"}, v1alpha1.Failed, "no requests"},
	} {
		t.Run(name, func(t *testing.T) {
			c := acted(t, append(slices.Clone(begun), append(tc.lines, history.StepFailed)...)...)
			c.Unreached, c.TimeoutScale = tc.unreached, 1
			c.Test = &chainsaw.Test{Finished: true, Failures: []chainsaw.Failure{tc.failure}}
			if found := Judge(*c); found.Verdict != tc.want || !strings.Contains(found.Reason, tc.reason) {
				t.Errorf("%s, %q; want %s, %q", found.Verdict, found.Reason, tc.want, tc.reason)
			}
		})
	}
}

// TestNearer: who adds one member after the other, and waits for a Pod that does not really run,
// has not spoilt the number. Who goes away from it, or past it, has.
func TestNearer(t *testing.T) {
	for name, tc := range map[string]struct {
		path, was, is string
		want          v1alpha1.ResultVerdict
	}{
		"from none to the first of three": {"spec.replicas", "0", "1", v1alpha1.ResultInconclusive},
		"one more":                        {"spec.replicas", "1", "2", v1alpha1.ResultInconclusive},
		"one less of seven":               {"spec.replicas", "7", "6", v1alpha1.ResultInconclusive},
		"away from it":                    {"spec.replicas", "3", "2", v1alpha1.Failed},
		"farther away":                    {"spec.replicas", "2", "1", v1alpha1.Failed},
		"past it":                         {"spec.replicas", "7", "2", v1alpha1.Failed},
		"no number":                       {"spec.replicas", "", "2", v1alpha1.Failed},
		"of another field":                {"spec.replicasOfOthers", "1", "2", v1alpha1.ResultInconclusive},
	} {
		t.Run(name, func(t *testing.T) {
			c := acted(t, history.ReplicaStarted, "Given one", "create deployments.apps demo", "When it changes", "update deployments.apps demo", history.StepFailed)
			last := &c.Account.Requests[len(c.Account.Requests)-1]
			last.Changed, last.Values = []string{tc.path}, []history.Change{{Path: tc.path, Was: tc.was, Is: tc.is}}
			c.Unreached, c.TimeoutScale = []string{"demo-0.demo.look.svc:2379"}, 1
			c.Test = &chainsaw.Test{Finished: true, Failures: []chainsaw.Failure{{
				Step: "Then it follows", Operation: "assert", Object: "apps/v1/Deployment @ " + inNamespace + "/demo",
				Message: "    * spec.replicas: Invalid value: 2: Expected value: 3",
			}}}
			if found := Judge(*c); found.Verdict != tc.want {
				t.Errorf("%s, %q; want %s", found.Verdict, found.Reason, tc.want)
			}
		})
	}
}

// TestToldOtherwise: what a status tells while no Pod answers depends on the last attempt, so two
// pictures of it may differ, also if the controller has written it since the first one.
func TestToldOtherwise(t *testing.T) {
	const status, spec = "webapps.apps.kubedojo.io demo: status.message: \"no answer\", was \"conflict\"", "deployments.apps demo: spec.replicas: 3, was 2"
	for name, tc := range map[string]struct {
		details   []string
		unreached []string
		want      v1alpha1.ResultVerdict
	}{
		"only the status":            {[]string{status}, []string{"demo.look.svc:80"}, v1alpha1.ResultInconclusive},
		"a child, too":               {[]string{status, spec}, []string{"demo.look.svc:80"}, v1alpha1.Failed},
		"no address that was silent": {[]string{status}, nil, v1alpha1.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			c := acted(t, history.ReplicaStarted, "Given one", "create deployments.apps demo", "When it changes and changes back",
				"update deployments.apps demo", "update webapps.apps.kubedojo.io demo", "Then all is as it was", history.StepFailed)
			last := &c.Account.Requests[len(c.Account.Requests)-1]
			last.Subresource, last.Changed = "status", []string{"status.message"}
			c.Account.Requests[len(c.Account.Requests)-2].Changed = []string{"spec.replicas"}
			c.Unreached, c.TimeoutScale = tc.unreached, 1
			c.Test = &chainsaw.Test{Finished: true, Failures: []chainsaw.Failure{{
				Step: "Then all is as it was", Operation: "assert", Object: "reconform.dev/v1alpha1/Snapshot @ " + inNamespace + "/end",
				Message: "Snapshot end is not as expected", Of: chainsaw.Measured{Kind: "Snapshot", Details: tc.details},
			}}}
			if found := Judge(*c); found.Verdict != tc.want {
				t.Errorf("%s, %q (%+v); want %s", found.Verdict, found.Reason, found.Symptoms, tc.want)
			}
		})
	}
}

// TestTakenAway: what the controller took away from somebody else is judged, though it waits for a
// Pod that does not really run, and though the scenario has done something since.
func TestTakenAway(t *testing.T) {
	const label, image = "metadata.labels.example.com/team", "spec.template.spec.containers[0].image"
	for name, tc := range map[string]struct {
		message, path string
		want          v1alpha1.ResultVerdict
	}{
		"the label of somebody else": {label + ": Required value: field not found in the input object", label, v1alpha1.Failed},
		"an image, before it waited": {"spec.template.spec.containers[0].image: Invalid value: \"b:1\": Expected value: \"a:1\"", image, v1alpha1.ResultInconclusive},
	} {
		t.Run(name, func(t *testing.T) {
			c := acted(t, history.ReplicaStarted, "Given one", "create deployments.apps demo", "When it changes", "update deployments.apps demo",
				"Then it follows", "When it has settled", "Then it is still there", history.StepFailed)
			update := &c.Account.Requests[len(c.Account.Requests)-1]
			update.Changed, update.Values = []string{tc.path}, []history.Change{{Path: tc.path, Was: `"blue"`}}
			c.Unreached, c.TimeoutScale = []string{"demo-0.demo.look.svc:2379"}, 1
			c.Test = &chainsaw.Test{Finished: true, Failures: []chainsaw.Failure{{
				Step: "Then it is still there", Operation: "assert", Object: "apps/v1/Deployment @ " + inNamespace + "/demo", Message: "    * " + tc.message,
			}}}
			if found := Judge(*c); found.Verdict != tc.want {
				t.Errorf("%s, %q (%+v); want %s", found.Verdict, found.Reason, found.Symptoms, tc.want)
			}
		})
	}
}

// TestGuessedAttempts: after the scenario let a request fail, all work on the object
// may wait for the next attempt. What the controller did since then is judged, and so
// is each forbidden write.
func TestGuessedAttempts(t *testing.T) {
	const webapps, deployments, services = " webapps.apps.kubedojo.io demo", " deployments.apps demo", " services demo"
	begun := []string{history.ReplicaStarted, "Given one", "create" + deployments, "update" + webapps, "Then it is", "When it is deleted"}
	failing := append(slices.Clone(begun), "delete"+deployments+" 500", "When deletes succeed again")
	observed := func(message string, awaits bool) chainsaw.Failure {
		return chainsaw.Failure{
			Step: "Then it goes", Operation: "assert", Object: "reconform.dev/v1alpha1/Observation @ " + inNamespace + "/gone", Message: message,
			Of: chainsaw.Measured{Kind: "Observation", Resource: "webapps.apps.kubedojo.io", Name: "demo", AwaitsAttempt: awaits},
		}
	}
	there := observed(`Observation gone is not as expected: expected "new == null" within 45s, seen at the end: demo {"metadata":{"finalizers":["ours"]}}`, false)
	finalizer := observed(`Observation gone is not as expected: expected "!new.metadata.finalizers.exists(f, true)" within 45s, seen at the end: demo {"metadata":{"finalizers":["ours"]}}`, false)
	never := observed(`Observation gone is not as expected: never expected "new.spec.replicas == 2", seen: demo at resourceVersion 7 {"spec":{"replicas":2}}`, false)
	never.Proved = true
	few := chainsaw.Failure{
		Step: "Then it goes", Operation: "assert", Message: "Traffic tries is not as expected: expected at least 2 requests, found 1 in 9s: #5 delete deployments demo (500)",
		Of: chainsaw.Measured{Kind: "Traffic"},
	}
	many := few
	many.Message = "Traffic tries is not as expected: expected at most 2 requests, found 3 in 9s: #5 delete deployments demo (500)"
	hits := chainsaw.Failure{Step: "When three have failed", Operation: "assert", Object: "reconform.dev/v1alpha1/Fault @ " + inNamespace + "/fails", Message: "* status.(hits >= `3`): Invalid value: false: Expected value: true"}
	counted := observed(there.Message, true)
	for name, tc := range map[string]struct {
		failure chainsaw.Failure
		lines   []string
		waits   bool
		names   string
	}{
		"a deletion of a child failed, and the object stays":     {there, failing, true, "#7 delete deployments demo: 500"},
		"its finalizer, which it added long ago":                 {finalizer, failing, true, "#7 delete"},
		"its finalizer, which it added again":                    {finalizer, append(slices.Clone(failing), "finalize"+webapps), false, ""},
		"the deletion succeeded at last":                         {there, append(slices.Clone(failing), "delete"+deployments), false, ""},
		"the child was gone at last":                             {there, append(slices.Clone(failing), "delete"+deployments+" 404"), false, ""},
		"another child succeeded":                                {there, append(slices.Clone(failing), "delete"+services), true, "#7 delete"},
		"another process runs":                                   {there, append(slices.Clone(failing), history.ReplicaStarted), false, ""},
		"nothing had failed":                                     {there, begun, false, ""},
		"nothing had failed, and the limit has pauses":           {counted, begun, true, ""},
		"what must never be":                                     {never, failing, false, ""},
		"too few attempts":                                       {few, failing, true, "#7 delete"},
		"too many":                                               {many, failing, false, ""},
		"a read of a child failed":                               {there, append(slices.Clone(begun), "get"+deployments+" 500"), true, "#7 get deployments demo: 500"},
		"a list failed, which its cache tries again":             {there, append(slices.Clone(begun), "list"+deployments+" 500"), false, ""},
		"three attempts were to fail, before anything is judged": {hits, failing, true, "#7 delete"},
	} {
		t.Run(name, func(t *testing.T) {
			lines := slices.Clone(tc.lines)
			for n := range lines {
				lines[n] = strings.Replace(lines[n], "finalize ", "update ", 1)
			}
			c := acted(t, append(lines, history.StepFailed)...)
			for n := range c.Account.Requests {
				if r := &c.Account.Requests[n]; r.Resource == "webapps" {
					r.Changed = []string{"metadata.finalizers"}
				}
			}
			c.Contract.RetriesGuessed, c.TimeoutScale = true, 1
			c.Test = &chainsaw.Test{Finished: true, Failures: []chainsaw.Failure{tc.failure}}
			found := Judge(*c)
			waits := strings.HasPrefix(found.Reason, "nobody knows when it tries again")
			if waits != tc.waits || waits && (found.Verdict != v1alpha1.ResultInconclusive || !strings.Contains(found.Reason, tc.names)) {
				t.Errorf("%s: %q (%+v); want it to wait: %t for %s", found.Verdict, found.Reason, found.Symptoms, tc.waits, tc.names)
			}
			if waits && found.Again {
				t.Error("it is worth a second look")
			}
			c.Contract.RetriesGuessed = false
			if known := Judge(*c); strings.Contains(known.Reason, "nobody knows") {
				t.Errorf("with a schedule that is known: %q", known.Reason)
			}
		})
	}
}
