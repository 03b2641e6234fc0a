package catalogue

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestEveryRequirementHasItsClass: each conformance class has requirements, and
// each core requirement is in one.
func TestEveryRequirementHasItsClass(t *testing.T) {
	required := map[string]int{}
	for _, r := range embedded(t) {
		name, must := ClassOf(r)
		if must {
			required[name]++
		}
		if (r.Level == Core) && !must || r.Level == Advice && must {
			t.Errorf("%s is of level %s; required by the class %s: %t", r.ID, r.Level, name, must)
		}
	}
	for _, c := range Classes() {
		if required[c.Name] == 0 {
			t.Errorf("the class %s requires nothing", c.Name)
		}
		delete(required, c.Name)
	}
	if len(required) > 0 {
		t.Errorf("classes that do not exist: %v", required)
	}
}

func TestClassOf(t *testing.T) {
	got := map[string]string{}
	for _, r := range embedded(t) {
		name, required := ClassOf(r)
		if got[r.ID] = name; !required {
			got[r.ID] += ", optional"
		}
	}
	for id, want := range map[string]string{
		"RC-001": "Core", "RC-002": "Service", "RC-003": "Core, optional", "ST-001": "Status", "ST-003": "Core", "ST-007": "Status, optional",
		"ST-008": "Service, optional", "LF-001": "High availability", "LF-003": "High availability, optional", "EV-001": "Observability",
		"OB-004": "Observability, optional", "RB-001": "Security", "RB-002": "Security, optional", "IS-003": "Core, optional", "VA-004": "Status",
	} {
		if diff := cmp.Diff(want, got[id]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", id, diff)
		}
	}
}
