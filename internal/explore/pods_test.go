package explore

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// TestPodsPlans: a Pod with the labels of those of each workload stands beside the object.
func TestPodsPlans(t *testing.T) {
	const (
		object   = `"webapps.apps.kubedojo.io demo": {"kind": "WebApp", "metadata": {"name": "demo"}, "status": {"ready": 2}}`
		owned    = `"metadata": {"ownerReferences": [{"kind": "WebApp", "name": "demo"}]}`
		template = `"spec": {"template": {"metadata": {"labels": {"app": "demo"}}}}`
	)
	own := v1alpha1.TrialTarget{Resource: "webapps.apps.kubedojo.io", Name: "demo"}
	for name, tc := range map[string]struct {
		made  string
		about []string // the kinds of the plans
	}{
		"a Deployment":                 {`"deployments.apps demo": {` + owned + `, ` + template + `}`, []string{"deployments.apps"}},
		"two workloads":                {`"deployments.apps a": {` + owned + `, ` + template + `}, "statefulsets.apps b": {` + owned + `, ` + template + `}`, []string{"deployments.apps", "statefulsets.apps"}},
		"it belongs to somebody else":  {`"deployments.apps demo": {` + template + `}`, nil},
		"Jobs take no Pods of others":  {`"jobs.batch demo": {` + owned + `, ` + template + `}`, nil},
		"it makes Pods itself":         {`"deployments.apps demo": {` + owned + `, ` + template + `}, "pods a": {}`, nil},
		"its Pods have no labels":      {`"deployments.apps demo": {` + owned + `, "spec": {}}`, nil},
		"a label differs in each run":  {`"deployments.apps demo": {` + owned + `, "spec": {"template": {"metadata": {"labels": {"app": "(set)"}}}}}`, nil},
		"there is nothing but a claim": {`"persistentvolumeclaims demo": {` + owned + `}`, nil},
	} {
		create := recordedWith("create", "{"+object+", "+tc.made+"}")
		plans, err := podsPlans(map[string]*Recording{"create": create}, []Operation{create.Operation}, own)
		if err != nil {
			t.Fatal(err)
		}
		var about []string
		for _, p := range plans {
			about = append(about, p.Kind)
			var pod unstructured.Unstructured
			if err := pod.UnmarshalJSON(p.Operation.Steps[0].Create.Object.Raw); err != nil || pod.GetKind() != "Pod" || pod.GetLabels()["app"] != "demo" {
				t.Errorf("%s: the Pod is %v, %v", name, pod, err)
			}
			if len(p.Operation.Steps) != len(create.Steps)+1 || p.Undisturbed.Objects != create.Undisturbed.Objects {
				t.Errorf("%s: %s expects %s", name, p.InWords(), p.Undisturbed.Objects)
			}
			wrong := v1alpha1.Divergence{Kind: v1alpha1.DivergenceField, Object: "webapps demo", Path: "status.ready", Expected: "2", Found: "3"}
			words := "If a Pod of somebody else has the labels of those of its child (" + p.Kind + "), and an object is created, status.ready of webapps demo stays 3, where 2 is right."
			if got := inProduction(&finding{plan: p, first: &tried{}}, wrong); got != words {
				t.Errorf("%s: in words: %s", name, got)
			}
			for _, mask := range p.Undisturbed.Masks {
				if mask.Path != "status" || mask.Object == "webapps.apps.kubedojo.io demo" {
					t.Errorf("%s: %+v is not compared", name, mask)
				}
			}
		}
		if diff := cmp.Diff(tc.about, about); diff != "" {
			t.Errorf("%s: plans (-want +got):\n%s", name, diff)
		}
	}
	if plans, err := podsPlans(map[string]*Recording{"create": recordedWith("create", "{}")}, nil, own); len(plans) > 0 || err != nil {
		t.Errorf("creations are not explored: %v, %v", plans, err)
	}
}
