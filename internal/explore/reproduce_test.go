package explore

import (
	"testing"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// TestReproduce: a shell reads the names in the command as they are.
func TestReproduce(t *testing.T) {
	for want, r := range map[string]*v1alpha1.ExploreReport{
		"reconform run --profile mine.yaml --scenarios '/my reports/explore-scenarios' LT-901":                          {Profile: "mine.yaml"},
		"reconform run --profile 'my own.yaml' --kubernetes v1.35.4 --scenarios '/my reports/explore-scenarios' LT-901": {Profile: "my own.yaml", Kubernetes: "v1.35.4"},
	} {
		if got := Reproduce(r, "/my reports", 1); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
