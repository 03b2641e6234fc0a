package explore

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// recordedWith returns the recording of an operation with these steps after the creation.
func recordedWith(name, objects string, steps ...v1alpha1.TrialOperation) *Recording {
	all := append([]v1alpha1.TrialOperation{{Create: &v1alpha1.TrialObject{}}}, steps...)
	return &Recording{
		Operation:   Operation{Name: name, About: "webapps", Steps: all},
		Undisturbed: v1alpha1.TrialUndisturbed{Objects: objects},
	}
}

func TestRestartIsNeutral(t *testing.T) {
	create := recordedWith("create", `{"webapps demo": {"status": {"a": 1}}}`)
	stamped := recordedWith("restart", `{"webapps demo": {"status": {"a": 2}}}`)
	masked := recordedWith("restart", stamped.Undisturbed.Objects)
	masked.Undisturbed.Masks = []v1alpha1.TrialMask{{Object: "webapps demo", Path: "status.a"}}
	for name, tc := range map[string]struct {
		recorded map[string]*Recording
		want     bool
	}{
		"the same":               {map[string]*Recording{"create": create, "restart": recordedWith("restart", create.Undisturbed.Objects)}, true},
		"each process stamps it": {map[string]*Recording{"create": create, "restart": stamped}, false},
		"what differs is masked": {map[string]*Recording{"create": create, "restart": masked}, true},
		"a restart not recorded": {map[string]*Recording{"create": create}, false},
	} {
		if got := restartIsNeutral(tc.recorded); got != tc.want {
			t.Errorf("%s: %t, want %t", name, got, tc.want)
		}
	}
}

// TestStalePlans: if a restart changes nothing, the expected outcome of a restart with
// an old state needs no recording of its own.
func TestStalePlans(t *testing.T) {
	own := v1alpha1.TrialTarget{Resource: "webapps", Name: "demo"}
	recorded := map[string]*Recording{
		"create":    recordedWith("create", `{}`),
		"restart":   recordedWith("restart", `{}`, v1alpha1.TrialOperation{Restart: &v1alpha1.Empty{}}),
		"edit-port": recordedWith("edit-port", `{"edited": {}}`, v1alpha1.TrialOperation{Patch: &v1alpha1.TrialPatch{}}),
		"recreate":  recordedWith("recreate", `{"again": {}}`, v1alpha1.TrialOperation{Recreate: &v1alpha1.TrialObject{}}),
	}
	recorded["restart"].Undisturbed.Deletions = []string{"jobs old"}
	var operations []Operation
	for _, name := range []string{"create", "edit-port", "recreate", "restart"} {
		operations = append(operations, recorded[name].Operation)
	}
	type told struct {
		Operation, Sort, Kind, At, Objects string
		From                               int32
		Steps                              []string
	}
	var got []told
	for _, p := range stalePlans(recorded, operations, own) {
		var steps []string
		for _, step := range p.Operation.Steps {
			if step.Mark != nil {
				steps = append(steps, "mark "+step.Mark.Name)
				continue
			}
			steps = append(steps, stepName(step))
		}
		got = append(got, told{p.Operation.Name, p.Sort, p.Kind, p.Disturb.At.Resource, p.Undisturbed.Objects, p.Disturb.From, steps})
		if !slices.Contains(p.Undisturbed.Deletions, "jobs old") {
			t.Errorf("%s: what a restart deletes is not expected: %v", p.InWords(), p.Undisturbed.Deletions)
		}
	}
	edit := []string{"create", "edit", "restart"}
	want := []told{
		{"create then restart", "stale-restart", "all", "", `{}`, 1, []string{"create", "restart"}},
		{"edit-port then restart", "stale-restart", "all", "", `{"edited": {}}`, 2, edit},
		{"edit-port then restart", "stale-restart", "webapps", "webapps", `{"edited": {}}`, 2, edit},
		{"recreate then restart", "stale-end", "webapps", "webapps", `{"again": {}}`, 3, []string{"create", "mark demo", "recreate", "restart"}},
		{"recreate then restart", "stale-restart", "webapps", "webapps", `{"again": {}}`, 2, []string{"create", "delete", "recreate", "restart"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("plans (-want +got):\n%s", diff)
	}
	if steps := len(recorded["recreate"].Steps); steps != 2 {
		t.Errorf("the recording has %d steps by now", steps)
	}

	delete(recorded, "restart")
	if plans := stalePlans(recorded, operations, own); len(plans) > 0 {
		t.Errorf("%d plans although it is not known what a restart does", len(plans))
	}
}
