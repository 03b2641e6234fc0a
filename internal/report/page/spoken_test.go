package page

import (
	"strings"
	"testing"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/scenario/catalogue"
)

// TestSpokenFor: hints, mistakes and scenarios name the kind of the controller, also for
// results without evidence.
func TestSpokenFor(t *testing.T) {
	all, err := catalogue.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	sets := &v1alpha1.Workload{Group: "apps", Version: "v1", Kind: "StatefulSet", Plural: "statefulsets"}
	jobs := &v1alpha1.Workload{Group: "batch", Version: "v1", Kind: "CronJob", Plural: "cronjobs"}
	for _, of := range []struct {
		kind, plural string
		workload     *v1alpha1.Workload
	}{{"Site", "sites", nil}, {"ImagePolicy", "imagepolicies", sets}, {"WebApp", "webapps", nil}, {"WebApp", "webapps", sets}, {"Site", "sites", jobs}} {
		p := &profile.Profile{}
		p.Spec.Contract.Children.Deployment.Workload = of.workload
		p.Spec.Contract.Resource.Kind, p.Spec.Contract.Resource.Plural = of.kind, of.plural
		r := &v1alpha1.ConformanceReport{Results: []v1alpha1.Result{{ID: "XX-001", Must: "A Blog is older than the suite."}}}
		for _, requirement := range all {
			r.Results = append(r.Results, v1alpha1.Result{ID: requirement.ID, Must: p.InItsWords(requirement.Must)})
		}
		for n, got := range SpokenFor(r, all) {
			want := all[n].Spoken(p.InItsWords)
			if got.Hint != want.Hint || got.Must != want.Must || string(got.Raw) != string(want.Raw) {
				t.Errorf("%s, %s: the hint is %q, want %q", of.kind, got.ID, got.Hint, want.Hint)
			}
			if of.kind != "WebApp" && strings.Contains(got.Hint, "WebApp"+" ") {
				t.Errorf("%s, %s: %s", of.kind, got.ID, got.Hint)
			}
		}
	}
	if served, _ := profile.KindsIn("A WebApp is made.", "A Site is made twice."); served.Kind != "" {
		t.Errorf("a text that differs in something else has the kind %q", served.Kind)
	}
}
