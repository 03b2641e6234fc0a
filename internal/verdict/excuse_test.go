package verdict

import (
	"net/http"
	"strings"
	"testing"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// acted is a case in which a subject sent requests: list shops, create deployments demo, and
// so on. With 403 behind it, the bench refused a cluster-scoped write; with 500, a Fault did;
// with another number, that was the answer. A text with a capital letter is an event, or the
// name of a step.
func acted(t *testing.T, lines ...string) *Case {
	t.Helper()
	recorder := history.New(nil, nil)
	for _, line := range lines {
		switch words := strings.Fields(line); words[0] {
		case "Given", "When", "Then":
			recorder.Event(history.Event{Scenario: inNamespace, Reason: history.StepBegan, Message: line})
		case history.ReplicaStarted, history.ReplicaCrashed, history.StepFailed:
			recorder.Event(history.Event{Scenario: inNamespace, Replica: "subject-0", Reason: words[0]})
		default:
			request, code := history.Request{Scenario: inNamespace, Subject: subjectName, Replica: "subject-0", Verb: words[0], Namespace: inNamespace}, 200
			request.Resource, request.Subresource, _ = strings.Cut(words[1], "/")
			if resource, group, ok := strings.Cut(words[1], "."); ok {
				request.Resource, request.Group = resource, group
			}
			for _, word := range words[2:] {
				if namespace, ok := strings.CutPrefix(word, "in:"); ok {
					request.Namespace = namespace
				} else if number := map[string]int{"403": 403, "404": 404, "409": 409, "500": 500, "501": 501}[word]; number != 0 {
					code = number
				} else {
					request.Name = word
				}
			}
			recorder.Begin(request).Finish(func(r *history.Request) {
				r.Code, r.Effect = code, history.EffectEffective
				if code >= http.StatusBadRequest {
					r.Effect = history.EffectRefused
				}
				switch code {
				case http.StatusForbidden:
					r.Note = history.NoteClusterScoped
				case http.StatusInternalServerError:
					r.Fault = "ordered"
				}
			})
		}
	}
	return &Case{Contract: contract(t), Account: recorder.Account(inNamespace)}
}

// TestExplain: a request that the bench refused excuses only what depends on it.
func TestExplain(t *testing.T) {
	const (
		webapps, deployments = " webapps.apps.kubedojo.io demo", " deployments.apps demo"
		refused              = "create namespaces monitoring 403"
		exec                 = "create pods/exec demo-0 501"
	)
	child := func(state v1alpha1.SymptomState, path string) []v1alpha1.Symptom {
		return []v1alpha1.Symptom{{Resource: "deployments.apps", Role: v1alpha1.RoleChild, State: state, Path: path}}
	}
	ofStatus := []v1alpha1.Symptom{{Resource: "webapps.apps.kubedojo.io", Role: v1alpha1.RolePrimary, State: v1alpha1.NotWritten, Path: "status.phase"}}
	lost, old := child(v1alpha1.NotMadeAgain, ""), child(v1alpha1.NotWritten, "spec.replicas")
	atStart := []string{history.ReplicaStarted, "Given one", refused, "list" + webapps, "create" + deployments, "Then it is", "When it is gone", history.StepFailed}
	for name, tc := range map[string]struct {
		lines    []string
		symptoms []v1alpha1.Symptom
		drift    bool
		want     bool
	}{
		"at its start, and it made the child all the same": {atStart, lost, false, false},
		"at its start, and it never came to the child": {
			[]string{history.ReplicaStarted, "Given one", refused, "list" + webapps, "Then it is there", history.StepFailed}, child(v1alpha1.NeverMade, ""), false, true,
		},
		"at its start, and it tried to make the child": {
			[]string{history.ReplicaStarted, "Given one", refused, "list" + webapps, "create" + deployments + " 409", "Then it is there", history.StepFailed},
			child(v1alpha1.NeverMade, ""), false, false,
		},
		"at the start of a second process": {
			[]string{
				history.ReplicaStarted, "Given one", refused, "list" + webapps, "create" + deployments,
				"Then it is", "When it starts anew", history.ReplicaStarted, refused, "list" + webapps, history.StepFailed,
			}, lost, false, false,
		},
		"for an object, after the last deed": {
			[]string{history.ReplicaStarted, "Given one", "list" + webapps, refused, "create" + deployments, "Then it is", "When it changes", refused, history.StepFailed}, old, false, true,
		},
		"the same, and the write goes on": {
			[]string{history.ReplicaStarted, "Given one", "list" + webapps, "Then it is", "When it changes", refused, "update" + deployments, refused, history.StepFailed}, old, false, true,
		},
		"for an object, before the last deed": {
			[]string{history.ReplicaStarted, "Given one", "list" + webapps, refused, "create" + deployments, "Then it is", "When it changes", history.StepFailed}, old, false, false,
		},
		"in the namespace that was not made": {
			[]string{history.ReplicaStarted, "Given one", refused, "list" + webapps, "create" + deployments, "Then it is", "When it changes", "create configmaps x in:monitoring 404", history.StepFailed},
			old, false, true,
		},
		"in another namespace": {
			[]string{history.ReplicaStarted, "Given one", refused, "list" + webapps, "create" + deployments, "Then it is", "When it changes", "create configmaps x in:other 404", history.StepFailed},
			old, false, false,
		},
		"of a kind that was not defined": {
			[]string{
				history.ReplicaStarted, "Given one", "create customresourcedefinitions.apiextensions.k8s.io routes.example.com 403", "list" + webapps, "create" + deployments,
				"Then it is", "When it changes", "create routes.example.com x 404", history.StepFailed,
			}, old, false, true,
		},
		"the process ended": {
			[]string{history.ReplicaStarted, "Given one", refused, "list" + webapps, "create" + deployments, "Then it is", "When it is gone", history.ReplicaCrashed, history.StepFailed}, lost, false, true,
		},
		"the status, of what it may tell": {
			[]string{history.ReplicaStarted, "Given one", "list" + webapps, refused, "update" + webapps, "Then it is", "When it changes", history.StepFailed}, ofStatus, false, true,
		},
		"the status, and it was at its start": {
			[]string{history.ReplicaStarted, "Given one", refused, "list" + webapps, "update" + webapps, "Then it is", "When it changes", history.StepFailed}, ofStatus, false, false,
		},
		"what it removed itself": {
			[]string{history.ReplicaStarted, "Given one", "list" + webapps, "Then it is", "When it changes", refused, history.StepFailed}, child(v1alpha1.Removed, ""), false, false,
		},
		"what is not understood, with a child":    {atStart, nil, false, false},
		"what is not understood, without a child": {[]string{history.ReplicaStarted, refused, "list" + webapps, history.StepFailed}, nil, false, true},
		"a command, and the field is written later": {
			[]string{history.ReplicaStarted, "Given one", "list" + webapps, "create" + deployments, "Then it is", "When it changes", exec, "update" + deployments, history.StepFailed}, old, false, true,
		},
		"a command, and drift that it passed over": {
			[]string{history.ReplicaStarted, "Given one", "list" + webapps, "create" + deployments, "Then it is", "When it drifts", exec, "update" + deployments, exec, history.StepFailed}, old, true, false,
		},
		"a command, and drift that it never reached": {
			[]string{history.ReplicaStarted, "Given one", "list" + webapps, "create" + deployments, "Then it is", "When it drifts", exec, exec, history.StepFailed}, old, true, true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := acted(t, tc.lines...)
			sorts := bySort(c.Account.Requests, func(r *history.Request) bool { return r.Note == history.NoteClusterScoped || r.IntoPod() })
			if len(sorts) != 1 {
				t.Fatalf("%d sorts of denied requests, want 1", len(sorts))
			}
			if got := c.endedSince(sorts[0][0].Seq) || c.explain(sorts[0], tc.symptoms, tc.drift); got != tc.want {
				t.Errorf("explained: %t, want %t", got, tc.want)
			}
		})
	}
}
