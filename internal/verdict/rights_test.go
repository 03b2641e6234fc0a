package verdict

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/catalogue"
)

func TestJudgeRights(t *testing.T) {
	broad, unused := []string{"Role/r: * of pods: a wildcard in its verbs"}, []string{"Role/r: never used: delete of pods"}
	for name, tc := range map[string]struct {
		findings overreach
		claims   bool
		want     v1alpha1.Result
	}{
		"nothing to say": {overreach{}, true, v1alpha1.Result{Verdict: v1alpha1.Passed}},
		"unused": {overreach{Unused: unused}, true, v1alpha1.Result{
			Verdict: v1alpha1.Passed, Advice: unused, Reason: "rules of its roles: 1 with rights to write that the whole run never used",
		}},
		"broad": {overreach{Broad: broad, Unused: unused}, false, v1alpha1.Result{
			Verdict: v1alpha1.Passed, Advice: append(broad, unused...),
			Reason: "rules of its roles: 1 too broad, 1 with rights to write that the whole run never used",
		}},
		"broad against its claim": {overreach{Broad: broad, Unused: unused}, true, v1alpha1.Result{
			Verdict: v1alpha1.Failed, Advice: append(broad, unused...),
			Reason:   "the profile claims least-privilege: " + broad[0],
			Evidence: &v1alpha1.Evidence{Hint: "look there"},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			rights := Rights{Requirement: catalogue.Requirement{ID: "RB-002", Hint: "look there"}}
			if tc.claims {
				rights.Claims.Features = []v1alpha1.Feature{leastPrivilege}
			}
			got := v1alpha1.Result{ID: "RB-002", Verdict: v1alpha1.Passed}
			rights.judge(&got, tc.findings)
			tc.want.ID = "RB-002"
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("result (-want +got):\n%s", diff)
			}
		})
	}
}
