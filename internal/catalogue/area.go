package catalogue

import (
	"cmp"
	"slices"
)

// area is a group of requirements whose IDs begin with the same prefix.
type area struct {
	name, prefix string
}

// areas in the order in which they are listed.
func areas() []area {
	return []area{
		{"reconcile", "RC"},
		{"self-healing", "SH"},
		{"cascade-delete", "CD"},
		{"retries", "RT"},
		{"cache-sync", "CS"},
		{"level-triggered", "LT"},
		{"leader-failover", "LF"},
		{"status", "ST"},
		{"steady-state", "SS"},
		{"events", "EV"},
		{"validation", "VA"},
		{"isolation", "IS"},
		{"shutdown", "SD"},
		{"rbac", "RB"},
		{"observability", "OB"},
		{"scale", "SC"},
	}
}

// areaIndex is the place of an area, -1 where there is none of that name.
func areaIndex(name string) int {
	return slices.IndexFunc(areas(), func(a area) bool { return a.name == name })
}

// sortRequirements puts them in the order of their areas and IDs.
func sortRequirements(requirements []Requirement) {
	slices.SortFunc(requirements, func(a, b Requirement) int {
		return cmp.Or(cmp.Compare(areaIndex(a.Area), areaIndex(b.Area)), cmp.Compare(a.ID, b.ID))
	})
}
