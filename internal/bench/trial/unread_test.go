package trial

import (
	"testing"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// TestUnreadHarm: who cannot read an object must not create it. Who always creates first is left
// out.
func TestUnreadHarm(t *testing.T) {
	get := history.Request{Verb: history.VerbGet, Resource: "services", Name: "demo", Code: 200, Replica: "subject-0"}
	failing, other, list := get, get, get
	failing.Code, failing.Fault = 500, "trial-disturbance"
	other.Name, other.Fault = "demo-2", "trial-disturbance"
	list.Verb, list.Name, list.Fault = history.VerbList, "", "trial-disturbance"
	create := history.Request{Verb: history.VerbCreate, Resource: "services", Name: "demo", Code: 409, Reason: "AlreadyExists", Replica: "subject-0"}
	made, foreign, elsewhere := create, create, create
	made.Code, made.Reason = 201, ""
	foreign.Bystander = true
	elsewhere.Replica = "subject-1"
	listed, watch := list, list
	list.Replica, listed.Replica, watch.Replica = "subject-0", "subject-0", "subject-0"
	listed.Fault, watch.Verb, watch.Fault = "", history.VerbWatch, ""
	pods := list
	pods.Resource = "pods"
	listing := &disturbance{TrialDisturbance: v1alpha1.TrialDisturbance{At: v1alpha1.TrialPoint{Verb: history.VerbList}, Lasting: true}}
	listing.fault.Name = "trial-disturbance"
	reading := &disturbance{TrialDisturbance: v1alpha1.TrialDisturbance{At: v1alpha1.TrialPoint{Verb: history.VerbGet}, Lasting: true}}
	reading.fault.Name = "trial-disturbance"
	writing := &disturbance{TrialDisturbance: v1alpha1.TrialDisturbance{At: v1alpha1.TrialPoint{Verb: history.VerbCreate}, Lasting: true}}
	writing.fault.Name = "trial-disturbance"
	for name, tc := range map[string]struct {
		d        *disturbance
		requests []history.Request
		want     int
	}{
		"it reads, and creates":            {reading, []history.Request{failing, create}, 1},
		"again and again":                  {reading, []history.Request{failing, create, failing, create}, 1},
		"it was not there":                 {reading, []history.Request{failing, made}, 0},
		"it reads again":                   {reading, []history.Request{failing, get, create}, 0},
		"it could not read something else": {reading, []history.Request{other, pods, create}, 0},
		"it lists, and creates":            {listing, []history.Request{made, list, create, list, create}, 1},
		"it lists again":                   {listing, []history.Request{made, list, listed, create}, 0},
		"it reads after the list":          {listing, []history.Request{made, list, get, create}, 0},
		"it lists something else":          {listing, []history.Request{made, pods, create}, 0},
		"it lists what it watches":         {listing, []history.Request{watch, made, list, create}, 0}, // its cache may be behind
		"it creates before it lists":       {listing, []history.Request{made, list, create, listed, create}, 0},
		"it never read it":                 {reading, []history.Request{create, failing}, 0},
		"somebody else's object":           {reading, []history.Request{failing, foreign}, 0},
		"another replica":                  {reading, []history.Request{failing, elsewhere}, 0},
		"a write is refused":               {writing, []history.Request{failing, create}, 0},
		"it always creates first":          {reading, []history.Request{made, create, failing, create, failing}, 0},
		"it creates first later, too":      {reading, []history.Request{made, failing, create, get, create}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			got := unreadHarm(tc.requests, tc.d)
			if len(got) != tc.want {
				t.Fatalf("%d found, want %d: %v", len(got), tc.want, got)
			}
			if tc.want > 0 && (got[0].Object != "services demo" || got[0].Path != HarmUnread) {
				t.Errorf("found: %v", got[0])
			}
		})
	}
}
