package scenarios_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/kyverno/chainsaw/pkg/discovery"
	"github.com/kyverno/chainsaw/pkg/loaders/config"

	"reconform.dev/reconform/internal/scenario/catalogue"
	"reconform.dev/reconform/internal/scenario/render"
)

// TestStockChainsawLoadsThem discovers the scenarios as `chainsaw test
// scenarios/` does, with Chainsaw's strict schema: as many as there are, step
// templates not taken for tests.
func TestStockChainsawLoadsThem(t *testing.T) {
	requirements, err := catalogue.Read(os.DirFS("."), ".")
	if err != nil {
		t.Fatal(err)
	}
	tests, err := discovery.DiscoverTests("chainsaw-test", nil, false, ".")
	if err != nil {
		t.Fatal(err)
	}
	if len(tests) != len(requirements) {
		t.Errorf("chainsaw finds %d tests, and there are %d scenarios", len(tests), len(requirements))
	}
	for _, test := range tests {
		for _, step := range test.Test.Spec.Steps {
			if len(step.Try) == 0 {
				t.Errorf("%s: step %q does nothing", test.Test.Name, step.Name)
			}
			if step.Name == "" {
				t.Errorf("%s: a step has no name", test.Test.Name)
			}
		}
	}
}

func TestStockChainsawLoadsItsSettings(t *testing.T) {
	data, err := os.ReadFile("../.chainsaw.yaml")
	if err != nil {
		t.Fatal(err)
	}
	settings, err := config.LoadBytes(data)
	if err != nil {
		t.Fatal(err)
	}
	limits := settings.Spec.Timeouts
	got := map[string]time.Duration{
		"apply": limits.Apply.Duration, "assert": limits.Assert.Duration, "error": limits.Error.Duration,
		"delete": limits.Delete.Duration, "exec": limits.Exec.Duration, "cleanup": limits.Cleanup.Duration,
	}
	if diff := cmp.Diff(render.Timeouts(), got); diff != "" {
		t.Errorf("the time limits are not those of a run (-run +settings):\n%s", diff)
	}
}

// TestPodsAreAskedFor: what waits for Pods says so, since a control plane is
// started without a scheduler where no scenario does.
func TestPodsAreAskedFor(t *testing.T) {
	requirements, err := catalogue.Read(os.DirFS("."), ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, requirement := range requirements {
		data, err := os.ReadFile(requirement.Path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(data), "create-the-demo.yaml") && !requirement.NeedsPods {
			t.Errorf("%s waits for Pods, and has no label reconform.dev/pods", requirement.ID)
		}
	}
}
