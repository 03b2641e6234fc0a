package explore

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// TestHeldChildren: a child that the controller deletes and reads live is held by somebody else
// while its owner is deleted, and then its reads fail.
func TestHeldChildren(t *testing.T) {
	deletes := func(resource string) Write {
		return Write{Verb: history.VerbDelete, Resource: resource, Name: "demo", Occurrence: 1, Effective: 1}
	}
	reads := func(verb, resource, name string) Read { return Read{Verb: verb, Resource: resource, Name: name} }
	for name, tc := range map[string]struct {
		writes []Write
		reads  []Read
		want   []string // operations
		points []string
	}{
		"it deletes and reads": {
			[]Write{deletes("services")},
			[]Read{reads("get", "services", "demo"), reads("get", "webapps", "demo")},
			[]string{"delete then hold-services-demo"},
			[]string{"read-500 at get services demo", "read-403 at get services demo"},
		},
		"it lists":              {[]Write{deletes("services")}, []Read{reads("list", "services", "")}, []string{"delete then hold-services-demo"}, []string{"read-500 at list services ", "read-403 at list services "}},
		"it reads from a cache": {[]Write{deletes("services")}, nil, nil, nil},
		"it reads another one":  {[]Write{deletes("services")}, []Read{reads("get", "services", "web"), reads("get", "secrets", "demo")}, nil, nil},
		"it deletes nothing":    {nil, []Read{reads("get", "services", "demo")}, nil, nil},
		"the object itself":     {[]Write{deletes("webapps")}, []Read{reads("get", "webapps", "demo")}, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			own := v1alpha1.TrialTarget{Resource: "webapps", Name: "demo"}
			deletion := recordedWith("delete", "{}", v1alpha1.TrialOperation{Delete: &own})
			deletion.About, deletion.Writes, deletion.Reads = "webapps", tc.writes, tc.reads
			recorded := map[string]*Recording{"delete": deletion}
			var operations, points []string
			for _, o := range markings([]Operation{deletion.Operation}, recorded)[1:] { // the first one holds the object
				operations = append(operations, o.Name)
				if last := len(o.Steps) - 1; o.Steps[last].Delete == nil || o.Steps[last-1].Mark == nil {
					t.Errorf("%s: %q", o.Name, o.inWords())
				}
				recorded[o.Name] = &Recording{Operation: o, Reads: tc.reads}
			}
			for _, p := range heldPlans(recorded) {
				points = append(points, p.Sort+" "+p.Point)
			}
			if diff := cmp.Diff(tc.want, operations); diff != "" {
				t.Errorf("operations (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.points, points); diff != "" {
				t.Errorf("plans (-want +got):\n%s", diff)
			}
		})
	}
}
