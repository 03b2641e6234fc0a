package explore

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// TestHangPlans: for each kind of write there are two plans in which it hangs: one in
// which it is carried out, and one in which it is not.
func TestHangPlans(t *testing.T) {
	first := recordingOf([]Write{create("services"), create("deployments.apps")})
	again, other := recordingOf([]Write{create("services"), create("secrets")}), recordingOf([]Write{create("pods")})
	again.Name, other.Name = "edit-port", "restart"
	recorded := map[string]*Recording{"create": first, "edit-port": again, "restart": other}
	var got []string
	for _, p := range hangPlans(recorded, []Operation{first.Operation, again.Operation, other.Operation}) {
		got = append(got, p.Operation.Name+" "+p.Kind+" "+p.Sort)
		if p.Disturb.Fault.Hang.CarriedOut != (p.Sort == "hung-done") {
			t.Errorf("plan: %+v", p.Disturb.Fault.Hang)
		}
	}
	want := []string{
		"create services hung", "create services hung-done", "create deployments.apps hung", "create deployments.apps hung-done",
		"edit-port secrets hung", "edit-port secrets hung-done",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("plans (-want +got):\n%s", diff)
	}
}

// TestUnansweredIsCounted: of the plans without an answer it is counted in how many the
// controller gave up, and in how many it sent no other request.
func TestUnansweredIsCounted(t *testing.T) {
	e := &Exploration{}
	for _, one := range []*v1alpha1.Unanswered{nil, {WaitedMs: 5000, GaveUp: true}, {WaitedMs: 12_010}, {WaitedMs: 12_000, Requests: 2}} {
		e.hear(one)
	}
	want := &v1alpha1.ExploredUnanswered{Plans: 3, GaveUp: 1, Silent: 1, Longest: metav1.Duration{Duration: 12 * time.Second}}
	if diff := cmp.Diff(want, e.unanswered); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
