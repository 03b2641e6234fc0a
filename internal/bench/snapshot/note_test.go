package snapshot

import (
	"testing"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

func TestDifferencesThatSayNothing(t *testing.T) {
	field := func(object, path, expected, found string) v1alpha1.Divergence {
		return v1alpha1.Divergence{Kind: v1alpha1.DivergenceField, Object: object, Path: path, Expected: expected, Found: found}
	}
	for name, tc := range map[string]struct {
		d    v1alpha1.Divergence
		want bool
	}{
		"an empty field of a status":   {field("rollouts.argoproj.io demo", "status.canary", "{}", Absent), true},
		"an empty list in a status":    {field("rollouts.argoproj.io demo", "status.canary.weights", Absent, "[]"), true},
		"a status with empty fields":   {field("persistentvolumeclaims data-demo-2", "status", Absent, `{"conditions":[]}`), true},
		"a status with a false field":  {field("persistentvolumeclaims data-demo-2", "status", Absent, `{"bound":false}`), false},
		"a field of a status":          {field("rollouts.argoproj.io demo", "status.canary", `{"weight":1}`, Absent), false},
		"an empty field of a spec":     {field("networkpolicies.networking.k8s.io demo", "spec.podSelector", "{}", Absent), false},
		"a field that begins alike":    {field("rollouts.argoproj.io demo", "statuses", "{}", Absent), false},
		"its own note":                 {field("replicasets.apps demo", "metadata.annotations.rollout.argoproj.io/revision-history", "a value", Absent), true},
		"its own note, once more":      {field("replicasets.apps demo", "metadata.annotations.argoproj.io/note", Absent, "a value"), true},
		"its own note with two values": {field("replicasets.apps demo", "metadata.annotations.argoproj.io/note", "a", "b"), false},
		"a note for others":            {field("services demo", "metadata.annotations.nginx.example.com/weight", "a value", Absent), false},
		"a domain that ends alike":     {field("services demo", "metadata.annotations.myargoproj.io/weight", "a value", Absent), false},
		"a note on its own object":     {field("rollouts.argoproj.io demo", "metadata.annotations.rollout.argoproj.io/revision", "a value", Absent), false},
		"a note on Pods":               {field("replicasets.apps demo", "spec.template.metadata.annotations.argoproj.io/restarted", "a value", Absent), false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := isEmptyStatus(tc.d) || isOwnNote(tc.d, "rollouts", "argoproj.io"); got != tc.want {
				t.Errorf("says nothing: %v, want %v", got, tc.want)
			}
		})
	}
}
