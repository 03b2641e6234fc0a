package explore

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// TestRefusedPlans: all writes of a verb are refused over a restart, unless the controller
// needs such a write at each start, or it is not known what a restart does.
func TestRefusedPlans(t *testing.T) {
	status := Write{Verb: history.VerbUpdate, Resource: "webapps", Subresource: "status", Name: "demo", Occurrence: 1, Effective: 1}
	for name, tc := range map[string]struct {
		atStart []Write
		known   bool
		want    []string
	}{
		"a creation":                    {nil, true, []string{"create"}},
		"a status is written at starts": {[]Write{status}, true, []string{"create"}},
		"it creates at each start":      {[]Write{create("secrets")}, true, nil},
		"a restart is not known":        {nil, false, nil},
	} {
		made := recordedWith("create", `{"services demo": {}}`)
		made.Writes = []Write{create("services"), status}
		restart := recordedWith("restart", made.Undisturbed.Objects, v1alpha1.TrialOperation{Restart: &v1alpha1.Empty{}})
		restart.Writes = tc.atStart
		recorded := map[string]*Recording{"create": made}
		if tc.known {
			recorded["restart"] = restart
		}
		var got []string
		for _, p := range refusedPlans(recorded, []Operation{made.Operation, restart.Operation}) {
			got = append(got, p.Disturb.At.Verb)
			if p.Disturb.From != 1 || !p.Disturb.Lasting || p.Disturb.At.Subresource != "-" || p.Operation.Steps[1].Restart == nil {
				t.Errorf("%s: %s: %+v", name, p.InWords(), p.Disturb)
			}
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s: verbs (-want +got):\n%s", name, diff)
		}
	}
}

func TestRefusalInWords(t *testing.T) {
	made := recordedWith("create", `{}`)
	made.Writes = []Write{create("services")}
	restart := recordedWith("restart", `{}`, v1alpha1.TrialOperation{Restart: &v1alpha1.Empty{}})
	plans := refusedPlans(map[string]*Recording{"create": made, "restart": restart}, []Operation{made.Operation})
	f := &finding{plan: plans[0], first: &tried{}}
	want := "After an object is created and a restart of the controller, if every create is refused for a while, and the controller is restarted meanwhile, services demo is missing, and stays so."
	if got := inProduction(f, v1alpha1.Divergence{Kind: v1alpha1.DivergenceMissing, Object: "services demo"}); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
