package predict

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/internal/lab"
	"reconform.dev/reconform/internal/record/history"
)

// recorded is a create that fails and succeeds, with a change of the leader between.
func recorded() *Trace {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	at := func(seconds float64) time.Time { return start.Add(time.Duration(seconds * float64(time.Second))) }
	create := history.Request{Verb: history.VerbCreate, Resource: "deployments", Group: "apps", Name: "demo", Replica: "subject-0", Finished: true}
	refused, made := create, create
	refused.Seq, refused.Time, refused.Code, refused.Effect, refused.Fault = 3, at(1), 500, history.EffectRefused, "busy"
	made.Seq, made.Time, made.Code, made.Effect = 6, at(4.25), 201, history.EffectEffective
	again := refused
	again.Seq, again.Time = 4, at(1.5)
	lease := history.Request{
		Seq: 5, Time: at(2), Verb: history.VerbUpdate, Group: "coordination.k8s.io", Resource: "leases", Name: "webapp-controller",
		Replica: "subject-1", Code: 200, Holder: "subject-1_x", ResourceVersion: "9", Finished: true, Duration: metav1.Duration{Duration: time.Second},
	}
	return &Trace{
		Requests: []history.Request{refused, again, lease, made},
		Events: []history.Event{
			{Seq: 1, Time: start, Reason: history.StepBegan, Message: "When it is busy"},
			{Seq: 2, Time: at(0.5), Reason: history.FaultArmed, Object: "Fault/busy"},
			{Seq: 7, Time: at(5), Reason: history.ReplicaCrashed, Replica: "subject-0"},
		},
		Log:     []Line{{"subject-0", "Started ns/demo"}, {"subject-1", "Started ns/demo"}},
		Objects: map[string]any{"Deployment/demo": map[string]any{"spec": map[string]any{"replicas": int64(2)}}},
	}
}

func TestMeasure(t *testing.T) {
	for name, tc := range map[string]struct {
		question lab.Question
		want     Answer
		err      string
	}{
		"a count":      {lab.Question{Measure: "requests.filter(r, r.verb == 'create').size()"}, Answer{Number: 3}, ""},
		"a time":       {lab.Question{Measure: "requests.filter(r, r.verb == 'create')[2].at - began['When it is busy']"}, Answer{Number: 4.25}, ""},
		"a log":        {lab.Question{Measure: "log.filter(l, l.replica == 'subject-1').size()"}, Answer{Number: 1}, ""},
		"an object":    {lab.Question{Measure: "objects['Deployment/demo'].spec.replicas"}, Answer{Number: 2}, ""},
		"yes":          {lab.Question{Choices: []string{"yes", "no"}, Measure: "events.exists(e, e.reason == 'ReplicaCrashed')"}, Answer{Choice: "yes"}, ""},
		"a choice":     {lab.Question{Choices: []string{"409", "500"}, Measure: "string(requests[0].code)"}, Answer{Choice: "500"}, ""},
		"none of them": {lab.Question{Choices: []string{"409"}, Measure: "string(requests[0].code)"}, Answer{}, `it is "500"; the choices are`},
		"no number":    {lab.Question{Measure: "requests[0].name"}, Answer{}, "not a number"},
		"absent":       {lab.Question{Measure: "requests.filter(r, r.verb == 'delete')[0].at"}, Answer{}, "index out of bounds"},
		"nonsense":     {lab.Question{Measure: "request.size()"}, Answer{}, "undeclared reference"},
	} {
		t.Run(name, func(t *testing.T) {
			tc.question.ID = "q"
			got, err := Measure(&lab.Lab{Questions: []lab.Question{tc.question}}, recorded())
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Errorf("error %v, want %q", err, tc.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got["q"]); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestTimeline(t *testing.T) {
	want := []string{
		"    0.00 s             ── When it is busy",
		"    0.50 s                the Fault busy is armed",
		"    1.00 s  replica 0  create deployments demo: 500, by the Fault busy × 2, until 1.50 s",
		"    2.00 s  replica 1  takes the Lease",
		"    2.00 s  replica 1  update leases webapp-controller: 200",
		"    4.25 s  replica 0  create deployments demo: 201",
		"    5.00 s  replica 0  ends by itself",
	}
	if diff := cmp.Diff(want, Timeline(recorded())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
