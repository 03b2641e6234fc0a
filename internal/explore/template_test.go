package explore

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
)

// TestTemplatePlans: what somebody else adds to the Pod template before an edit must be there after
// it, with what the edit changes.
func TestTemplatePlans(t *testing.T) {
	const (
		before = `{"webapps demo": {}, "services demo": {}, "deployments.apps demo": {"spec": {"template": {"spec": {"image": "a"}}}}}`
		after  = `{"webapps demo": {}, "services demo": {"a": 1}, "deployments.apps demo": {"spec": {"template": {"spec": {"image": "b"}}}}}`
		its    = `{"deployments.apps demo": {"spec": {"template": {"spec": {"image": "b", "tolerations": [{"key": "its"}]}}}}}`
		plus   = `{"webapps demo": {}, "services demo": {"a": 1}, "deployments.apps demo": {"spec": {"template": {` +
			`"metadata": {"annotations": {"reconform.dev/of-others": "<a value>"}},` +
			`"spec": {"image": "b", "tolerations": [{"key": "reconform.dev/of-others", "operator": "Exists"}]}}}}}`
		annotated = `{"deployments.apps demo": {"spec": {"template": {"metadata": {"annotations": {"reconform.dev/of-others": "<a value>"}}, "spec": {"image": "b", "tolerations": [{"key": "its"}]}}}}}`
	)
	edit := v1alpha1.TrialOperation{Patch: &v1alpha1.TrialPatch{TrialTarget: v1alpha1.TrialTarget{Resource: "webapps", Name: "demo"}}}
	for name, tc := range map[string]struct {
		features []v1alpha1.Feature
		edited   string
		found    string // the outcome of the plan
		plans    int
		differs  []string
	}{
		"both stay":          {[]v1alpha1.Feature{v1alpha1.FeatureForeignFields}, after, plus, 1, nil},
		"a status differs":   {[]v1alpha1.Feature{v1alpha1.FeatureForeignFields}, after, strings.Replace(plus, `"webapps demo": {}`, `"webapps demo": {"status": {"ready": 1}}`, 1), 1, nil},
		"both are gone":      {[]v1alpha1.Feature{v1alpha1.FeatureForeignFields}, after, after, 1, []string{"deployments.apps demo spec.template.metadata", "deployments.apps demo spec.template.spec.tolerations"}},
		"a list of its own":  {[]v1alpha1.Feature{v1alpha1.FeatureForeignFields}, its, annotated, 1, nil},
		"the template stays": {[]v1alpha1.Feature{v1alpha1.FeatureForeignFields}, before, "", 0, nil},
		"it is not claimed":  {nil, after, "", 0, nil},
	} {
		p := &profile.Profile{Profile: v1alpha1.Profile{Spec: v1alpha1.ProfileSpec{Claims: v1alpha1.Claims{Features: tc.features}}}}
		create, edited := recordedWith("create", before), recordedWith("edit-image", tc.edited, edit)
		plans, err := templatePlans(map[string]*Recording{"create": create, "edit-image": edited}, []Operation{create.Operation, edited.Operation}, p)
		if err != nil || len(plans) != tc.plans {
			t.Fatalf("%s: %d plans, want %d; %v", name, len(plans), tc.plans, err)
		}
		if tc.plans == 0 {
			continue
		}
		steps := plans[0].Operation.Steps
		if added := steps[1].Patch; len(steps) != 3 || added == nil || added.Resource != "deployments.apps" || added.Name != "demo" || plans[0].Sort != templateKept {
			t.Errorf("%s: %+v", name, plans[0])
		}
		expected := recordedWith("", plans[0].Undisturbed.Objects)
		if diff := cmp.Diff(tc.differs, differing(t, plans[0], expected, recordedWith("", tc.found))); diff != "" {
			t.Errorf("%s: differences (-want +got):\n%s", name, diff)
		}
	}
}
