package verdict

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/scenario/catalogue"
)

func symptom(resource string, state v1alpha1.SymptomState, path string) v1alpha1.Symptom {
	return v1alpha1.Symptom{Resource: resource, Role: v1alpha1.RoleChild, State: state, Path: path, Seen: resource + " " + string(state)}
}

func afterFailure(s v1alpha1.Symptom) v1alpha1.Symptom {
	s.AfterFailure = true
	return s
}

// TestSettleSymptoms: a symptom is explained only if the scenario of the requirement
// that is its home found the same symptom.
func TestSettleSymptoms(t *testing.T) {
	const deployments, services = "deployments.apps", "services"
	never, again := symptom(deployments, v1alpha1.NeverMade, ""), symptom(deployments, v1alpha1.NotMadeAgain, "")
	labels := symptom(deployments, v1alpha1.Written, "metadata.labels")
	image := symptom(deployments, v1alpha1.NotWritten, "spec.template.spec.containers.image")
	stuck := symptom(deployments, v1alpha1.Refused, "create AlreadyExists")
	home := func(id string, homes []catalogue.Home, symptoms ...v1alpha1.Symptom) Judged {
		return Judged{
			Requirement: catalogue.Requirement{ID: id, HomeOf: homes}, Failure: "at x", Symptoms: symptoms,
			Result: &v1alpha1.Result{ID: id, Verdict: v1alpha1.Failed, Reason: "at x"},
		}
	}
	row := func(id, relies string, symptoms ...v1alpha1.Symptom) Judged {
		j := home(id, nil, symptoms...)
		if relies != "" {
			j.Requirement.ReliesOn = strings.Split(relies, ", ")
		}
		return j
	}
	restlessChild := symptom(deployments, v1alpha1.NeverQuiet, "")
	restless := v1alpha1.Symptom{Resource: "webapps.apps.kubedojo.io", Role: v1alpha1.RolePrimary, State: v1alpha1.Restless, Seen: "it says when"}
	asked := symptom("configmaps", v1alpha1.Repeated, "")
	loop := func(id, about string, judges ...string) Judged {
		j := row(id, "")
		j.Requirement.Judges, j.Failure = judges, ""
		j.Violations = []v1alpha1.Violation{{Rule: "Restless", About: about, Message: "it wrote (#7)"}}
		j.Result.Reason = "Restless: it wrote (#7)"
		return j
	}
	judging := func(j Judged, rules ...string) Judged {
		j.Requirement.Judges = rules
		return j
	}
	const webapps = "update of webapps.apps.kubedojo.io/status"
	trespass := v1alpha1.Symptom{Resource: deployments, Role: v1alpha1.RoleOther, State: v1alpha1.Written, Seen: "it wrote what is not its own"}
	trespassing := func(j Judged, about string) Judged {
		j.Violations = []v1alpha1.Violation{{Rule: "ForeignObject", About: about, Message: "it wrote (#7)"}}
		return j
	}
	twice := func(j Judged) Judged {
		other := j.Violations[0]
		other.About = "delete of budgets"
		j.Violations = append(j.Violations, other)
		return j
	}
	failing := func(j Judged) Judged {
		j.Failure = "its own step failed"
		return j
	}
	keeper := func(j Judged) Judged {
		j.Requirement.Judges, j.Failure = []string{"ForeignObject"}, ""
		return j
	}
	replicas := symptom(deployments, v1alpha1.NotWritten, "spec.replicas")
	scaled := symptom(deployments, v1alpha1.Written, "spec.replicas")
	late := replicas
	late.Late = true
	starved := replicas
	starved.Starved = true
	service := symptom(services, v1alpha1.NotMadeAgain, "")
	slices := v1alpha1.Symptom{Resource: "endpointslices.discovery.k8s.io", Role: v1alpha1.RoleOther, State: v1alpha1.NotWritten, Path: "endpoints"}
	invalid := symptom(services, v1alpha1.Refused, "update Invalid")
	inconclusive := func(j Judged) Judged {
		j.Result.Verdict, j.Failure = v1alpha1.ResultInconclusive, ""
		return j
	}
	passed := func(j Judged) Judged {
		j.Result.Verdict, j.Result.Reason, j.Failure, j.Symptoms = v1alpha1.Passed, "", "", nil
		return j
	}
	halfDone := []catalogue.Home{{State: v1alpha1.NeverMade}, {State: v1alpha1.Refused}}
	swallowed := []catalogue.Home{{State: v1alpha1.NeverMade, AfterFailure: true}}
	deleted := []catalogue.Home{{State: v1alpha1.NotMadeAgain}}
	metadata := []catalogue.Home{{State: v1alpha1.Written, Path: "metadata.labels"}}
	ofStatus := []catalogue.Home{{State: v1alpha1.NotWritten, Path: "status", AfterFailure: true}}
	status := v1alpha1.Symptom{Resource: "webapps.apps.kubedojo.io", Role: v1alpha1.RolePrimary, State: v1alpha1.NotWritten, Path: "status.readyReplicas"}
	told := v1alpha1.Symptom{Resource: "events", Role: v1alpha1.RoleOther, State: v1alpha1.Written}
	for name, tc := range map[string]struct {
		round []Judged
		want  []string
	}{
		"one half-done creation": {
			// Its own is missing though it was there once: its scenario makes all anew.
			[]Judged{home("LT-003", halfDone, again), row("RT-012", "", never), inconclusive(row("IS-003", "", never))},
			[]string{"Failed", "Blocked LT-003", "Blocked LT-003"},
		},
		"the home passed":          {[]Judged{passed(home("LT-003", halfDone)), row("RT-012", "", never)}, []string{"Passed", "Failed"}},
		"of another kind":          {[]Judged{home("LT-003", halfDone, symptom(services, v1alpha1.NeverMade, "")), row("RT-012", "", never)}, []string{"Failed", "Failed"}},
		"and something beside it":  {[]Judged{home("LT-003", halfDone, never), row("RT-012", "", never, image)}, []string{"Failed", "Failed"}},
		"deleted, not unfinished":  {[]Judged{home("LT-003", halfDone, never), row("RT-016", "", again)}, []string{"Failed", "Failed"}},
		"deleted":                  {[]Judged{home("SH-001", deleted, again), row("RT-016", "", again)}, []string{"Failed", "Blocked SH-001"}},
		"nothing is known of it":   {[]Judged{home("SH-001", deleted, again), row("RT-016", "")}, []string{"Failed", "Failed"}},
		"the wider home":           {[]Judged{home("RT-001", swallowed, afterFailure(never)), home("LT-003", halfDone, again)}, []string{"Blocked LT-003", "Failed"}},
		"the narrow home":          {[]Judged{home("RT-001", swallowed, afterFailure(never)), row("RT-003", "", afterFailure(never)), row("RC-016", "", never)}, []string{"Failed", "Blocked RT-001", "Failed"}},
		"two homes of one symptom": {[]Judged{home("RC-001", deleted, again), home("SH-001", deleted, again)}, []string{"Failed", "Failed"}},
		"the beginning of a chain": {
			[]Judged{home("LT-003", halfDone, never), home("RT-001", swallowed, afterFailure(never)), row("SS-013", "RT-001", symptom("x", v1alpha1.NeverMade, ""))},
			[]string{"Failed", "Blocked LT-003", "Blocked LT-003"},
		},
		"a lost label": {[]Judged{home("IS-006", metadata, labels), row("LF-008", "", labels)}, []string{"Failed", "Blocked IS-006"}},
		"a status that was not tried again": {
			[]Judged{home("RT-008", ofStatus, status), row("RT-022", "RC-017", afterFailure(status)), row("RT-025", "RT-022", afterFailure(status)), row("ST-001", "", status), row("RT-028", "RT-025", told)},
			[]string{"Failed", "Blocked RT-008", "Blocked RT-008", "Failed", "Failed"},
		},
		"a child that was not tried again, beside such a status": {
			[]Judged{home("RT-008", ofStatus, status), row("RT-022", "", afterFailure(replicas))}, []string{"Failed", "Failed"},
		},
		"a label that it did not take away":  {[]Judged{home("IS-006", metadata, labels), row("LF-008", "", symptom(deployments, v1alpha1.NotWritten, "metadata.labels"))}, []string{"Failed", "Failed"}},
		"a home that failed by another step": {[]Judged{home("IS-006", metadata, image), row("LF-008", "", labels)}, []string{"Failed", "Failed"}},
		"stuck with the same write": {
			[]Judged{home("RT-007", []catalogue.Home{{State: v1alpha1.Refused}}, image, stuck), row("RT-012", "", symptom(deployments, v1alpha1.NotWritten, "spec.replicas"), stuck)},
			[]string{"Failed", "Blocked RT-007"},
		},
		"stuck with another write": {
			[]Judged{home("RT-007", []catalogue.Home{{State: v1alpha1.Refused}}, image, stuck), row("RT-012", "", image, symptom(services, v1alpha1.Refused, "create AlreadyExists"))},
			[]string{"Failed", "Failed"},
		},
		"stuck, and nothing else is known": {
			[]Judged{home("IS-006", metadata, labels), row("RT-012", "", stuck)},
			[]string{"Failed", "Failed"},
		},
		"stuck, and it did what it must not": {
			[]Judged{home("RT-007", []catalogue.Home{{State: v1alpha1.Refused}}, image, stuck), row("IS-004", "", labels, stuck)},
			[]string{"Failed", "Failed"},
		},

		"relied on, and missing too":              {[]Judged{row("SH-003", "", image), row("CS-005", "SH-003", image)}, []string{"Failed", "Blocked SH-003"}},
		"relied on, but it did something":         {[]Judged{row("SH-003", "", image), row("SS-006", "SH-003", symptom("pods", v1alpha1.Repeated, ""))}, []string{"Failed", "Failed"}},
		"relied on, and left as it was written":   {[]Judged{row("SH-001", "", again), row("RC-017", "", scaled), row("RT-027", "SH-001, RC-017", replicas)}, []string{"Failed", "Failed", "Blocked RC-017"}},
		"relied on, but another field is left":    {[]Judged{row("RC-017", "", scaled), row("RT-027", "RC-017", image)}, []string{"Failed", "Failed"}},
		"relied on, but it wrote, and did not":    {[]Judged{row("SH-003", "", replicas), row("LF-008", "SH-003", scaled)}, []string{"Failed", "Failed"}},
		"relied on, but of another child":         {[]Judged{row("SH-002", "", symptom(services, v1alpha1.NotMadeAgain, "")), row("SH-011", "SH-002", image)}, []string{"Failed", "Failed"}},
		"relied on, and nearer":                   {[]Judged{row("SH-003", "", replicas), row("SH-004", "", image), row("SH-011", "SH-003, SH-004", image)}, []string{"Failed", "Failed", "Blocked SH-004"}},
		"relied on, and of the same kind":         {[]Judged{row("SH-002", "", service), row("SH-004", "", image), row("SH-011", "SH-002, SH-004", replicas)}, []string{"Failed", "Failed", "Blocked SH-004"}},
		"relied on, and all as near":              {[]Judged{row("SH-003", "", replicas), row("SH-004", "", image), row("SH-009", "SH-003, SH-004")}, []string{"Failed", "Failed", "Blocked SH-003"}},
		"relied on, and not understood":           {[]Judged{row("RC-002", ""), row("SH-002", "RC-002", service)}, []string{"Failed", "Failed"}},
		"relied on, and nothing is known":         {[]Judged{row("RC-002", ""), row("SH-002", "RC-002")}, []string{"Failed", "Blocked RC-002"}},
		"relied on, and it may be as it was not":  {[]Judged{row("RC-001", ""), row("SH-001", "RC-001", never)}, []string{"Failed", "Blocked RC-001"}},
		"relied on, but what others write":        {[]Judged{row("RC-002", "", slices), row("SH-002", "RC-002", service)}, []string{"Failed", "Failed"}},
		"relied on, but the child is never made":  {[]Judged{row("RC-002", "", slices), row("RB-006", "RC-002", never)}, []string{"Failed", "Failed"}},
		"relied on, but its creation is refused":  {[]Judged{row("RC-002", "", slices), row("RB-006", "RC-002", never, stuck)}, []string{"Failed", "Failed"}},
		"relied on, and never made either":        {[]Judged{row("RC-002", "", symptom(services, v1alpha1.NeverMade, "")), row("RB-006", "RC-002", never)}, []string{"Failed", "Blocked RC-002"}},
		"relied on, but of a child not healed":    {[]Judged{row("SH-002", "", service), row("RC-018", "SH-002", never)}, []string{"Failed", "Failed"}},
		"relied on, and of a chain":               {[]Judged{row("RC-002", "", slices), row("SH-002", "RC-002", service), row("SH-005", "RC-002, SH-002", symptom(services, v1alpha1.NotWritten, "spec.selector"))}, []string{"Failed", "Failed", "Blocked SH-002"}},
		"stuck, and no home found it":             {[]Judged{row("RC-006", "", image, invalid), row("RC-015", "", replicas, invalid), inconclusive(row("ST-008", "", invalid))}, []string{"Failed", "Blocked RC-006", "Blocked RC-006"}},
		"stuck, and a home found it":              {[]Judged{row("RC-006", "", image, invalid), home("RT-007", []catalogue.Home{{State: v1alpha1.Refused}}, image, invalid)}, []string{"Blocked RT-007", "Failed"}},
		"stuck beside what the first one did":     {[]Judged{row("CS-009", "", labels, invalid), row("CS-014", "", replicas, invalid)}, []string{"Failed", "Failed"}},
		"stuck, and another failure":              {[]Judged{row("RC-006", "", image, invalid), row("RC-015", "", image)}, []string{"Failed", "Failed"}},
		"stuck, where nobody failed":              {[]Judged{inconclusive(row("RC-006", "", image, invalid)), row("RC-015", "", image, invalid)}, []string{"Inconclusive", "Failed"}},
		"a loop of its own writes":                {[]Judged{row("CS-002", "", restless), inconclusive(row("RT-008", "", restless)), row("SS-006", "", asked, restless), loop("SS-001", webapps, "Restless")}, []string{"Blocked SS-001", "Blocked SS-001", "Blocked SS-001", "Failed"}},
		"too many requests, and a time elsewhere": {[]Judged{row("SS-014", "", symptom(restless.Resource, v1alpha1.Repeated, "")), row("ST-006", "", restless)}, []string{"Failed", "Failed"}},
		"it never rests": {
			[]Judged{
				inconclusive(row("RC-005", "", restlessChild)), row("SS-006", "", restlessChild), row("RC-006", "", replicas, restlessChild),
				inconclusive(row("RC-015", "", symptom(services, v1alpha1.NeverQuiet, ""))), judging(row("SS-001", "", asked, restlessChild), "Restless"),
			},
			[]string{"Blocked SS-001", "Blocked SS-001", "Failed", "Inconclusive", "Failed"},
		},
		"it never rests, and another object is the first": {
			[]Judged{row("SS-006", "", symptom(restless.Resource, v1alpha1.NeverQuiet, ""), restlessChild), judging(row("SS-001", "", restlessChild), "Restless")},
			[]string{"Blocked SS-001", "Failed"},
		},
		"it never rests, and its home found another loop": {
			[]Judged{inconclusive(row("RC-005", "", restlessChild)), loop("SS-001", "update of deployments.apps", "Restless")}, []string{"Inconclusive", "Failed"},
		},
		"too late, in a loop":                     {[]Judged{row("RT-012", "", late, restless), judging(row("SS-001", "", restless), "Restless")}, []string{"Blocked SS-001", "Failed"}},
		"never, as a loop left no time":           {[]Judged{row("LF-010", "", starved, restless), inconclusive(row("SS-013", "", restless)), judging(row("SS-001", "", restless), "Restless")}, []string{"Blocked SS-001", "Blocked SS-001", "Failed"}},
		"never, and no loop was found":            {[]Judged{row("LF-010", "", starved, restless), row("SS-001", "")}, []string{"Failed", "Failed"}},
		"too late, and no loop":                   {[]Judged{row("RT-012", "", late), judging(row("SS-001", "", restless), "Restless")}, []string{"Failed", "Failed"}},
		"too late, in a loop that has no home":    {[]Judged{row("RT-012", "", late, restless), row("CS-002", "", restless)}, []string{"Blocked CS-002", "Failed"}},
		"never, beside a loop":                    {[]Judged{row("RT-012", "", replicas, restless), judging(row("SS-001", "", restless), "Restless")}, []string{"Failed", "Failed"}},
		"without success, as it never rests":      {[]Judged{row("SS-011", "SS-001", asked), judging(row("SS-001", "", restless), "Restless")}, []string{"Blocked SS-001", "Failed"}},
		"without success, though it rests":        {[]Judged{row("SS-011", "SS-001", asked), passed(row("SS-001", ""))}, []string{"Failed", "Passed"}},
		"a start in a loop":                       {[]Judged{row("SS-002", "SS-001", labels, restless), judging(row("SS-001", "", restless), "Restless")}, []string{"Blocked SS-001", "Failed"}},
		"a loop, and something beside it":         {[]Judged{row("CS-002", "", restless, labels), loop("SS-001", webapps, "Restless")}, []string{"Failed", "Failed"}},
		"too many requests, and no loop of its":   {[]Judged{row("SS-006", "", asked), loop("SS-001", webapps, "Restless")}, []string{"Failed", "Failed"}},
		"a loop by another object":                {[]Judged{row("CS-002", "", restless), loop("SS-001", "update of deployments.apps", "Restless")}, []string{"Failed", "Failed"}},
		"a loop that its home did not see":        {[]Judged{row("CS-002", "", restless), passed(loop("SS-001", webapps, "Restless"))}, []string{"Failed", "Passed"}},
		"too many requests, by the loop's writes": {[]Judged{row("SS-004", "", asked, symptom(restless.Resource, v1alpha1.Repeated, "")), loop("SS-001", webapps, "Restless")}, []string{"Blocked SS-001", "Failed"}},
		"homes that only saw it come along":       {[]Judged{keeper(trespassing(row("IS-004", ""), "delete of claims")), twice(keeper(trespassing(row("IS-011", ""), "delete of claims")))}, []string{"Blocked IS-011", "Failed"}},
		"homes of which one found it itself":      {[]Judged{failing(keeper(trespassing(row("IS-004", ""), "delete of claims"))), keeper(trespassing(row("IS-011", ""), "delete of claims"))}, []string{"Failed", "Blocked IS-004"}},
		"a loop that its home saw in its step":    {[]Judged{row("CS-002", "", restless), judging(row("SS-001", "", restless), "Restless")}, []string{"Blocked SS-001", "Failed"}},
		"a loop that several saw, but no home":    {[]Judged{row("CS-002", "", restless), row("CS-008", "", restless), row("SS-006", "", asked, restless)}, []string{"Failed", "Blocked CS-002", "Blocked CS-002"}},
		"a loop, broken where a step failed too":  {[]Judged{loop("RC-008", webapps), judging(row("SS-001", "", restless), "Restless")}, []string{"Blocked SS-001", "Failed"}},
		"a write to what is not its own":          {[]Judged{trespassing(row("CS-008", "", trespass), "update of deployments.apps"), keeper(trespassing(row("IS-003", ""), "update of deployments.apps"))}, []string{"Blocked IS-003", "Failed"}},
		"a write to its own beside that":          {[]Judged{trespassing(row("CS-008", "", trespass, labels), "update of deployments.apps"), keeper(trespassing(row("IS-003", ""), "update of deployments.apps"))}, []string{"Failed", "Failed"}},
		"a write to another one of somebody else": {[]Judged{trespassing(row("CS-008", "", trespass), "delete of services"), keeper(trespassing(row("IS-003", ""), "delete of services"))}, []string{"Failed", "Failed"}},
		"relied on, and the status follows":       {[]Judged{row("RC-005", "", image), row("ST-004", "RC-005", v1alpha1.Symptom{Resource: "webapps", Role: v1alpha1.RolePrimary, State: v1alpha1.NotWritten})}, []string{"Failed", "Blocked RC-005"}},
	} {
		t.Run(name, func(t *testing.T) {
			Settle(tc.round)
			if diff := cmp.Diff(tc.want, verdicts(tc.round)); diff != "" {
				t.Errorf("verdicts (-want +got):\n%s", diff)
			}
		})
	}
}

func verdicts(round []Judged) []string {
	var got []string
	for _, j := range round {
		text := string(j.Result.Verdict)
		if j.Result.BlockedBy != "" {
			text += " " + j.Result.BlockedBy
		}
		got = append(got, text)
	}
	return got
}

// TestBeside: if the requirement of a broken invariant is judged elsewhere, a scenario
// passes in spite of it. It explains a failed step only if the controller could not do
// what is missing because of it.
func TestBeside(t *testing.T) {
	violation := func(rule, about string) []v1alpha1.Violation {
		return []v1alpha1.Violation{{Rule: rule, About: about, Message: "it did (#7)"}}
	}
	row := func(id string, violations []v1alpha1.Violation, without v1alpha1.ResultVerdict, failure string, symptoms ...v1alpha1.Symptom) Judged {
		j := Judged{
			Requirement: catalogue.Requirement{ID: id}, Violations: violations, Failure: failure, Symptoms: symptoms,
			Result: &v1alpha1.Result{ID: id, Verdict: v1alpha1.Failed, Reason: violations[0].Rule, Evidence: &v1alpha1.Evidence{Violations: violations}},
		}
		if without != "" {
			j.Without = &v1alpha1.Itself{Verdict: without}
		}
		return j
	}
	raised, forbidden, crashed := violation("GenerationRaised", "update of webapps"), violation("Forbidden", "create of services"), violation("Crashed", "exited with status 1")
	service, deployment := symptom("services", v1alpha1.NeverMade, ""), symptom("deployments.apps", v1alpha1.NotMadeAgain, "")
	status := v1alpha1.Symptom{Resource: "webapps", Role: v1alpha1.RolePrimary, State: v1alpha1.NotWritten, Path: "status"}
	label := symptom("deployments.apps", v1alpha1.Written, "metadata.labels")
	for name, tc := range map[string]struct {
		row  Judged
		want string
	}{
		"nothing else was wrong":                              {row("SH-001", raised, v1alpha1.Passed, ""), "Passed"},
		"nothing else was exercised":                          {row("SH-001", raised, v1alpha1.NotExercised, ""), "NotExercised"},
		"it could not be carried out":                         {row("SH-001", raised, v1alpha1.ResultInconclusive, ""), "Inconclusive"},
		"a step failed":                                       {row("SH-001", raised, "", "at x", deployment), "Failed"},
		"the right that it lacks":                             {row("SH-001", forbidden, "", "at x", service), "Blocked ST-003"},
		"what follows from that right":                        {row("SH-001", forbidden, "", "at x", status), "Blocked ST-003"},
		"a right of which nobody knows":                       {row("SH-001", violation("Forbidden", "endpoints outside the contract, list"), "", "at x", deployment), "Failed"},
		"a right of which nobody knows, and nothing is known": {row("SH-001", violation("Forbidden", "endpoints outside the contract, list"), "", "at x"), "Failed"},
		"it goes on asking for what it has no right to":       {row("SS-006", violation("Forbidden", "endpoints outside the contract, list"), "", "at x", symptom("endpoints", v1alpha1.Repeated, "")), "Blocked ST-003"},
		"the same, of a child":                                {row("SS-006", violation("Forbidden", "list of services"), "", "at x", symptom("services", v1alpha1.Repeated, "")), "Blocked ST-003"},
		"it goes on asking for something else, too": {
			row("SS-006", violation("Forbidden", "endpoints outside the contract, list"), "", "at x", symptom("endpoints", v1alpha1.Repeated, ""), symptom("services", v1alpha1.Repeated, "")), "Failed",
		},
		"it has every right to that":      {row("SH-001", forbidden, "", "at x", deployment), "Failed"},
		"it wrote what it must not":       {row("SH-001", forbidden, "", "at x", label), "Failed"},
		"it had ended":                    {row("SH-001", crashed, "", "at x", deployment), "Blocked ST-003"},
		"it had ended, and did it before": {row("SH-001", crashed, "", "at x", label), "Failed"},
		"it ended, and all was well":      {row("SH-001", crashed, v1alpha1.Passed, ""), "Passed"},
	} {
		t.Run(name, func(t *testing.T) {
			keeper := row("ST-003", tc.row.Violations, v1alpha1.Passed, "")
			keeper.Requirement.Judges = []string{tc.row.Violations[0].Rule}
			round := []Judged{tc.row, keeper}
			Settle(round)
			if diff := cmp.Diff([]string{tc.want, "Failed"}, verdicts(round)); diff != "" {
				t.Errorf("verdicts (-want +got):\n%s", diff)
			}
			passed := !NeedsLook(tc.row.Result.Verdict)
			if beside := tc.row.Result.Beside; passed != (len(beside) == 1) {
				t.Errorf("beside: %q", beside)
			}
			if seen := Invariants([]v1alpha1.Result{*keeper.Result, *tc.row.Result}); passed {
				for _, i := range seen {
					if i.Rule == tc.row.Violations[0].Rule && len(i.SeenIn) != 2 {
						t.Errorf("seen in %q, and must be in both", i.SeenIn)
					}
				}
			}
		})
	}
}
