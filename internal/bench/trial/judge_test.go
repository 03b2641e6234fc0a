package trial

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// A generation that is raised without the disturbance, too, is not raised because of it. A
// field that differs always counts.
func TestUsualHarm(t *testing.T) {
	raised := v1alpha1.Divergence{Kind: v1alpha1.DivergenceHarm, Object: "update of rollouts", Path: v1alpha1.RuleGenerationRaised}
	other := v1alpha1.Divergence{Kind: v1alpha1.DivergenceHarm, Object: "update of services", Path: v1alpha1.RuleGenerationRaised}
	field := v1alpha1.Divergence{Kind: v1alpha1.DivergenceField, Object: raised.Object, Path: raised.Path}
	all := []v1alpha1.Divergence{raised, other, field}
	usual := &v1alpha1.TrialUndisturbed{Harms: []v1alpha1.TrialMask{{Object: raised.Object, Path: raised.Path}}}

	if diff := cmp.Diff(all, withoutUsual(append([]v1alpha1.Divergence(nil), all...), nil, history.Generated{})); diff != "" {
		t.Errorf("while it is recorded (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]v1alpha1.Divergence{other, field}, withoutUsual(all, usual, history.Generated{})); diff != "" {
		t.Errorf("disturbed (-want +got):\n%s", diff)
	}
}
