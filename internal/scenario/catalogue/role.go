package catalogue

import "strings"

// Role says what a step of a scenario is for. It is the first word of the step's name.
type Role string

// The roles of a step.
const (
	// Given prepares. If it fails, the scenario could not be carried out.
	Given Role = "Given"
	// When does something to the subject. If it fails, the scenario could not be carried out
	// either.
	When Role = "When"
	// Then judges: the subject fails only if a step of this role fails.
	Then Role = "Then"
)

// RoleOf returns the role of a step by its name, or "".
func RoleOf(step string) Role {
	word, _, _ := strings.Cut(step, " ")
	switch role := Role(word); role {
	case Given, When, Then:
		return role
	}
	return ""
}
