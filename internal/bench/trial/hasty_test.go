package trial

import (
	"net/http"
	"testing"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// TestHastyHarm: what a Fault refuses is tried again after pauses that grow. Attempts at other
// objects, and what no Fault refused, count for nothing.
func TestHastyHarm(t *testing.T) {
	refused := v1alpha1.FaultAction{Respond: &v1alpha1.Respond{Code: http.StatusInternalServerError}}
	conflict := v1alpha1.FaultAction{Respond: &v1alpha1.Respond{Code: http.StatusConflict}}
	for name, tc := range map[string]struct {
		action   v1alpha1.FaultAction
		attempts int
		pause    time.Duration
		names    []string // the attempts are at these in turn
		fault    string
		want     int
	}{
		"every 70 ms":            {refused, 60, 70 * time.Millisecond, []string{"demo"}, "disturbance", 1},
		"every 200 ms":           {refused, 60, 200 * time.Millisecond, []string{"demo"}, "disturbance", 0},
		"a conflict, retried":    {conflict, 60, 70 * time.Millisecond, []string{"demo"}, "disturbance", 0},
		"a conflict, in a loop":  {conflict, 300, 10 * time.Millisecond, []string{"demo"}, "disturbance", 1},
		"two objects in turn":    {refused, 60, 70 * time.Millisecond, []string{"demo", "other"}, "disturbance", 0},
		"not refused by a Fault": {refused, 60, 70 * time.Millisecond, []string{"demo"}, "", 0},
		"refused by nothing":     {v1alpha1.FaultAction{}, 60, 70 * time.Millisecond, []string{"demo"}, "disturbance", 0},
		"few attempts":           {refused, mostAttempts, time.Millisecond, []string{"demo"}, "disturbance", 0},
		"one attempt over":       {refused, mostAttempts + 1, time.Millisecond, []string{"demo"}, "disturbance", 1},
		"told of each object":    {refused, 200, 10 * time.Millisecond, []string{"demo", "other"}, "disturbance", 2},
	} {
		t.Run(name, func(t *testing.T) {
			fault := v1alpha1.Fault{Spec: v1alpha1.FaultSpec{Action: tc.action}}
			fault.Name = "disturbance"
			var requests []history.Request
			for i := range tc.attempts {
				requests = append(requests, history.Request{
					Time: time.Unix(0, 0).Add(time.Duration(i) * tc.pause), Verb: history.VerbCreate, Resource: "services",
					Name: tc.names[i%len(tc.names)], Fault: tc.fault,
				})
			}
			if got := hastyHarm(requests, fault); len(got) != tc.want {
				t.Errorf("%d harms, want %d: %v", len(got), tc.want, got)
			}
		})
	}
}
