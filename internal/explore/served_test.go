package explore

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Each resource that a profile serves has operations of its own.
func TestTargetOfSeveralResources(t *testing.T) {
	target := targetOf(t, "teams")
	var names, about []string
	for _, one := range target.all() {
		operations, err := one.operations(nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range operations {
			about = append(about, o.About)
			if target.of(o) != one {
				t.Errorf("%s is of another target", o.Name)
			}
			sort := o.sort()
			o.Name = one.name(o.Name)
			names = append(names, o.Name)
			if o.sort() != sort {
				t.Errorf("%s is of the sort %s, and was of %s", o.Name, o.sort(), sort)
			}
			if plain, resource := o.apart(); one.name(plain) != o.Name || resource != one.called {
				t.Errorf("%s is taken apart into %s and %s", o.Name, plain, resource)
			}
		}
	}
	wantNames := []string{
		"create", "edit-members", "edit-pods", "delete", "recreate", "restart",
		"create-of-badges", "edit-holder-of-badges", "delete-of-badges", "recreate-of-badges", "restart-of-badges",
	}
	if diff := cmp.Diff(wantNames, names); diff != "" {
		t.Errorf("operations (-want +got):\n%s", diff)
	}
	teams, badges := "teams.tenancy.example.com", "badges.tenancy.example.com"
	if diff := cmp.Diff([]string{teams, teams, teams, teams, teams, "", badges, badges, badges, badges, ""}, about); diff != "" {
		t.Errorf("about (-want +got):\n%s", diff)
	}
}

func TestNameOfACombination(t *testing.T) {
	target := &Target{called: "badges"}
	o := Operation{Name: target.name("edit-holder then restart"), Called: "badges"}
	if o.Name != "edit-holder-of-badges then restart" {
		t.Error(o.Name)
	}
	if text := did(o); text != "an edit of holder (badges) and a restart of the controller" {
		t.Error(text)
	}
}
