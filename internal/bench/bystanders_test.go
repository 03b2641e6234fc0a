package bench

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
)

// TestWritable: bystanders are of the kinds that the controller makes, and of those that
// its roles let it change or delete.
func TestWritable(t *testing.T) {
	p, err := profile.Load("../../fixtures/profiles/reference.yaml")
	if err != nil {
		t.Fatal(err)
	}
	rule := func(group, resource string, names []string, verbs ...string) profile.Grant {
		return profile.Grant{ClusterRole: &rbacv1.ClusterRole{Rules: []rbacv1.PolicyRule{{
			APIGroups: []string{group}, Resources: []string{resource}, ResourceNames: names, Verbs: verbs,
		}}}}
	}
	b := &Bench{options: Options{Profile: p}, roles: map[*profile.Profile][]profile.Grant{p: {
		rule("policy", "poddisruptionbudgets", nil, "delete"),
		rule("", "secrets", nil, "get", "list"),
		rule("", "configmaps", []string{"one"}, "update"),
		rule("networking.k8s.io", "*", nil, "*"),
	}}}
	writes := []string{"update", "patch", "delete", "deletecollection"}
	writable := b.allowed("reconform-x", writes...)
	for resource, want := range map[schema.GroupResource]bool{
		{Group: "apps", Resource: "deployments"}:            true,
		{Resource: "services"}:                              true,
		{Group: "policy", Resource: "poddisruptionbudgets"}: true,
		{Resource: "secrets"}:                               false,
		{Resource: "configmaps"}:                            false,
		{Group: "networking.k8s.io", Resource: "ingresses"}: true,
		{Group: "apps", Resource: "statefulsets"}:           false,
	} {
		if got := writable(resource); got != want {
			t.Errorf("%s is writable: %t, want %t", resource, got, want)
		}
	}
	edit, view := rule("", "", nil), rule("", "", nil)
	edit.BuiltIn, edit.ClusterRole.Name, view.BuiltIn, view.ClusterRole.Name = true, "edit", true, "view"
	for _, grant := range []profile.Grant{edit, view} {
		b.roles[p] = []profile.Grant{grant}
		if got, want := b.allowed("reconform-x", writes...)(schema.GroupResource{Resource: "secrets"}), grant.ClusterRole.Name == "edit"; got != want {
			t.Errorf("secrets are writable by the ClusterRole %s: %t, want %t", grant.ClusterRole.Name, got, want)
		}
	}
}

// TestMadeWorkload: the name of a workload is that of one that the controller has made, of the kind
// that the contract names.
func TestMadeWorkload(t *testing.T) {
	p, err := profile.Load("../../fixtures/profiles/stateful.yaml")
	if err != nil {
		t.Fatal(err)
	}
	recorder := history.New(nil, nil)
	for _, made := range []history.Request{
		{Scenario: "x", Verb: "create", Group: "apps", Resource: "statefulsets", Name: "demo", Effect: history.EffectEffective},
		{Scenario: "x", Verb: "create", Group: "apps", Resource: "statefulsets", Name: "refused", Effect: history.EffectRefused},
		{Scenario: "x", Verb: "create", Group: "apps", Resource: "deployments", Name: "proxy", Effect: history.EffectEffective},
		{Scenario: "y", Verb: "create", Group: "apps", Resource: "statefulsets", Name: "elsewhere", Effect: history.EffectEffective},
	} {
		recorder.Begin(made).Finish(func(*history.Request) {})
	}
	b := &Bench{options: Options{Profile: p, Recorder: recorder}}
	for name, want := range map[string]bool{"demo": true, "refused": false, "proxy": false, "elsewhere": false} {
		if got := b.madeWorkload("x", name); got != want {
			t.Errorf("%s: %t, want %t", name, got, want)
		}
	}
}

// TestImpersonal: a label with the UID of an owner shows who owns an object.
func TestImpersonal(t *testing.T) {
	child := &metav1.ObjectMeta{
		Labels:          map[string]string{"app": "demo", "controller-uid": "u-1"},
		OwnerReferences: []metav1.OwnerReference{{UID: "u-1"}},
	}
	if diff := cmp.Diff(map[string]string{"app": "demo"}, impersonal(child)); diff != "" {
		t.Errorf("labels of a bystander (-want +got):\n%s", diff)
	}
	if len(child.Labels) != 2 {
		t.Errorf("the child has the labels %v now", child.Labels)
	}
}

// TestEdits: a Trial that edits an object may need the names that the controller asks for.
func TestEdits(t *testing.T) {
	create := v1alpha1.TrialOperation{Create: &v1alpha1.TrialObject{}}
	patch := v1alpha1.TrialOperation{Patch: &v1alpha1.TrialPatch{}}
	for name, tc := range map[string]struct {
		spec v1alpha1.TrialSpec
		want bool
	}{
		"a creation":           {v1alpha1.TrialSpec{Operations: []v1alpha1.TrialOperation{create}}, false},
		"an edit":              {v1alpha1.TrialSpec{Operations: []v1alpha1.TrialOperation{create, patch}}, true},
		"an edit meanwhile":    {v1alpha1.TrialSpec{Operations: []v1alpha1.TrialOperation{create}, Disturb: &v1alpha1.TrialDisturbance{Meanwhile: &patch}}, true},
		"a creation meanwhile": {v1alpha1.TrialSpec{Operations: []v1alpha1.TrialOperation{create}, Disturb: &v1alpha1.TrialDisturbance{Meanwhile: &create}}, false},
	} {
		if got := edits(tc.spec); got != tc.want {
			t.Errorf("%s: %t, want %t", name, got, tc.want)
		}
	}
}
