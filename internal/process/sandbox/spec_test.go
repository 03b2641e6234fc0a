//go:build unix

package sandbox

import (
	"slices"
	"strings"
	"testing"
)

// TestKubeconfigTakenAway: KUBECONFIG names the file, and it is not set if the profile gives it
// an empty value, as in a Pod. Another empty variable stays.
func TestKubeconfigTakenAway(t *testing.T) {
	for given, want := range map[string]bool{"leave": true, "take": false} {
		s := &Spec{Name: "subject-0", Env: map[string]string{"WATCH_NAMESPACE": ""}}
		if given == "take" {
			s.Env["KUBECONFIG"] = ""
		}
		env := s.environment("/home", nil)
		if got := slices.ContainsFunc(env, func(entry string) bool { return strings.HasPrefix(entry, "KUBECONFIG=") }); got != want {
			t.Errorf("%s: KUBECONFIG is set: %t, want %t: %v", given, got, want, env)
		}
		if !slices.Contains(env, "WATCH_NAMESPACE=") {
			t.Errorf("%s: an empty variable is gone: %v", given, env)
		}
	}
}
