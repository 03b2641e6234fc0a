package catalogue

import "testing"

func TestRoleOf(t *testing.T) {
	for step, want := range map[string]Role{
		"Given a WebApp":      Given,
		"When it is deleted":  When,
		"Then it comes back":  Then,
		"Then":                Then,
		"Thence it is silent": "",
		"then it comes back":  "",
		"It comes back":       "",
		"":                    "",
	} {
		if got := RoleOf(step); got != want {
			t.Errorf("RoleOf(%q) = %q, want %q", step, got, want)
		}
	}
}
