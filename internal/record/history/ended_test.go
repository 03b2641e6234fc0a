package history

import (
	"testing"

	"sigs.k8s.io/yaml"
)

// TestJobEnded: a Job has ended if it says so itself.
func TestJobEnded(t *testing.T) {
	for name, tc := range map[string]struct {
		status string
		want   bool
	}{
		"completed":        {"conditions: [{type: SuccessCriteriaMet, status: 'True'}, {type: Complete, status: 'True'}]", true},
		"failed":           {"conditions: [{type: Failed, status: 'True'}]", true},
		"it runs":          {"active: 1", false},
		"suspended":        {"conditions: [{type: Suspended, status: 'True'}]", false},
		"not yet complete": {"conditions: [{type: Complete, status: 'False'}]", false},
		"no status":        {"", false},
	} {
		var status map[string]any
		if err := yaml.Unmarshal([]byte(tc.status), &status); err != nil {
			t.Fatal(err)
		}
		if got := JobEnded(map[string]any{"status": status}); got != tc.want {
			t.Errorf("%s: ended %t, want %t", name, got, tc.want)
		}
	}
}
