package verdict

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/scenario/catalogue"
)

func TestJudgeRights(t *testing.T) {
	broad, advice := []string{"Role/r: * of pods: a wildcard in its verbs"}, []string{"Role/r: not used in this run: delete of pods"}
	unused := []v1alpha1.UnusedRights{{Rule: "Role/r", Rights: []string{"delete of pods"}}}
	for name, tc := range map[string]struct {
		findings v1alpha1.Rights
		claims   bool
		want     v1alpha1.Result
	}{
		"nothing to say": {v1alpha1.Rights{}, true, v1alpha1.Result{Verdict: v1alpha1.Passed}},
		"unused": {v1alpha1.Rights{Unused: unused}, true, v1alpha1.Result{
			Verdict: v1alpha1.Passed, Advice: advice, Reason: "rules of its roles: 1 with rights to write that this run did not use",
		}},
		"broad": {v1alpha1.Rights{Broad: broad, Unused: unused}, false, v1alpha1.Result{
			Verdict: v1alpha1.Passed, Advice: append(broad, advice...),
			Reason: "rules of its roles: 1 too broad, 1 with rights to write that this run did not use",
		}},
		"broad against its claim": {v1alpha1.Rights{Broad: broad, Unused: unused}, true, v1alpha1.Result{
			Verdict: v1alpha1.Failed, Advice: append(broad, advice...),
			Reason:   "the profile claims least-privilege: " + broad[0],
			Evidence: &v1alpha1.Evidence{Hint: "look there"},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var claims v1alpha1.Claims
			if tc.claims {
				claims.Features = []v1alpha1.Feature{leastPrivilege}
			}
			got := v1alpha1.Result{ID: "RB-002", Verdict: v1alpha1.Passed}
			judgeRights(catalogue.Requirement{ID: "RB-002", Hint: "look there"}, claims, tc.findings, &got)
			tc.want.ID = "RB-002"
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("result (-want +got):\n%s", diff)
			}
		})
	}
}
