package catalogue

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/labels"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

func embedded(t *testing.T) []Requirement {
	t.Helper()
	requirements, err := Embedded()
	if err != nil {
		t.Fatal(err)
	}
	return requirements
}

func ids(requirements []Requirement) []string {
	var ids []string
	for _, r := range requirements {
		ids = append(ids, r.ID)
	}
	return ids
}

// TestEmbeddedIsWhatIsOnDisk: no scenario is left out by the pattern in
// scenarios/embed.go.
func TestEmbeddedIsWhatIsOnDisk(t *testing.T) {
	disk, err := Read(os.DirFS("../../../scenarios"), "scenarios")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(disk, embedded(t), cmpopts.IgnoreFields(Requirement{}, "Source")); diff != "" {
		t.Error(diff)
	}
}

func TestReadmeIsCurrent(t *testing.T) {
	readme, err := os.ReadFile("../../../scenarios/README.md")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Markdown(embedded(t)), string(readme)); diff != "" {
		t.Errorf("scenarios/README.md is stale (make generate):\n%s", diff)
	}
}

func TestOrderIsThatOfTheAreas(t *testing.T) {
	got := []Requirement{{ID: "IS-001", Area: "isolation"}, {ID: "SH-002", Area: "self-healing"}, {ID: "RC-001", Area: "reconcile"}, {ID: "SH-001", Area: "self-healing"}}
	sortRequirements(got, areas())
	if diff := cmp.Diff([]string{"RC-001", "SH-001", "SH-002", "IS-001"}, ids(got)); diff != "" {
		t.Error(diff)
	}
}

func TestChoose(t *testing.T) {
	all := []Requirement{
		{ID: "RC-001", Path: "reconcile/new-deployment/chainsaw-test.yaml", Labels: map[string]string{LabelLevel: Core}},
		{ID: "SH-001", Path: "self-healing/deleted-deployment/chainsaw-test.yaml", Labels: map[string]string{LabelLevel: Core}},
		{ID: "SH-002", Path: "self-healing/deleted-service/chainsaw-test.yaml", Labels: map[string]string{LabelLevel: Extended}},
	}
	core := labels.SelectorFromSet(labels.Set{LabelLevel: Core})
	for _, tt := range []struct {
		name      string
		run, skip *regexp.Regexp
		selector  labels.Selector
		want      []string
	}{
		{"everything", nil, nil, nil, []string{"RC-001", "SH-001", "SH-002"}},
		{"an ID", regexp.MustCompile("^SH-001$"), nil, nil, []string{"SH-001"}},
		{"an area", regexp.MustCompile("self-healing"), nil, nil, []string{"SH-001", "SH-002"}},
		{"words of a path, some skipped", regexp.MustCompile("deployment"), regexp.MustCompile("^SH"), nil, []string{"RC-001"}},
		{"labels", nil, nil, core, []string{"RC-001", "SH-001"}},
		{"nothing", regexp.MustCompile("^XX"), nil, nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, ids(choose(all, tt.run, tt.skip, tt.selector))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestApplies(t *testing.T) {
	claims := v1alpha1.Claims{Features: []v1alpha1.Feature{"conditions", "service"}, Unowned: v1alpha1.OwnershipAdopt, Cleanup: "gc", Ownership: v1alpha1.OwnershipByLabels}
	for _, tt := range []struct {
		name   string
		r      Requirement
		reason string
	}{
		{"core", Requirement{}, ""},
		{"claimed", Requirement{Features: []v1alpha1.Feature{"service"}}, ""},
		{"one of two", Requirement{Features: []v1alpha1.Feature{"conditions", "phase"}}, "feature phase is not claimed"},
		{"its policy", Requirement{Unowned: v1alpha1.OwnershipAdopt}, ""},
		{"another policy", Requirement{Unowned: v1alpha1.OwnershipRefuse}, "unowned: refuse is not claimed"},
		{"its cleanup", Requirement{Cleanup: "gc"}, ""},
		{"its exception", Requirement{Unless: []v1alpha1.Feature{"namespaced", "conditions"}}, "feature conditions is claimed, with which it does not apply"},
		{"no exception", Requirement{Unless: []v1alpha1.Feature{"namespaced"}}, ""},
		{"another ownership", Requirement{Ownership: v1alpha1.OwnershipByReference}, "ownership: labels is claimed, and it is about owner references"},
		{"another cleanup", Requirement{Cleanup: "controller"}, "cleanup: controller is not claimed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if applies, reason := Applies(tt.r, claims); reason != tt.reason || applies != (tt.reason == "") {
				t.Errorf("got %v, %q; want %q", applies, reason, tt.reason)
			}
		})
	}
}

func TestJSON(t *testing.T) {
	requirements := []Requirement{
		{ID: "RC-001", Area: "reconcile", Level: Core, Must: "It works.", Catches: "nothing done"},
		{ID: "CD-003", Area: "cascade-delete", Level: Extended, Cleanup: "controller", Features: []v1alpha1.Feature{"service"}},
		{ID: "BK-005", Area: "backup", Level: Core, Contract: "backup"},
	}
	data, err := JSON(requirements, WebApps, v1alpha1.Claims{}, nil, map[string]string{"CD-003": "it says why"})
	if err != nil {
		t.Fatal(err)
	}
	var got []map[string]any
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	want := []map[string]any{
		{"id": "RC-001", "area": "reconcile", "level": "core", "feature": "", "must": "It works.", "catches": "nothing done", "claimed": true},
		{"id": "CD-003", "area": "cascade-delete", "level": "extended", "feature": "service, cleanup: controller", "must": "", "catches": "", "claimed": false, "skipped": "it says why"},
		{"id": "BK-005", "area": "backup", "level": "core", "feature": "", "must": "", "catches": "", "claimed": false, "skipped": "it is of another contract: backup"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if empty, err := JSON(nil, WebApps, v1alpha1.Claims{}, nil, nil); err != nil || string(empty) != "[]\n" {
		t.Errorf("got %q, %v for no requirements", empty, err)
	}
}

// TestSetIsComplete compares the scenarios with those that must exist.
func TestSetIsComplete(t *testing.T) {
	got := ids(embedded(t))
	for _, id := range []string{
		"RC-001", "RC-002", "RC-003", "RC-004", "RC-005", "RC-006", "RC-009", "RC-010", "RC-011",
		"SH-001", "SH-002", "SH-003", "SH-004", "SH-005", "SH-006", "SH-007", "SH-009",
		"CD-001", "CD-002", "CD-003", "CD-004", "CD-005", "CD-008",
		"ST-001", "ST-002", "ST-003", "ST-004", "SS-001", "SS-002", "SS-003", "SS-008", "SS-010",
		"EV-001", "VA-001", "VA-002", "VA-003", "VA-004", "IS-001", "IS-002", "IS-003", "IS-006",
	} {
		if !slices.Contains(got, id) {
			t.Errorf("there is no scenario for %s", id)
		}
	}
}
