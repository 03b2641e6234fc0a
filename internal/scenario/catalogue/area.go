package catalogue

import (
	"cmp"
	"slices"
)

// area is a group of requirements whose IDs begin with the same prefix.
type area struct {
	name, prefix string
	// contract is true if the area is a contract, with its own requirements.
	contract bool
}

// areas returns the areas of all contracts, in the order in which they are listed.
func areas() []area {
	return []area{
		{name: "reconcile", prefix: "RC"},
		{name: "self-healing", prefix: "SH"},
		{name: "cascade-delete", prefix: "CD"},
		{name: "retries", prefix: "RT"},
		{name: "cache-sync", prefix: "CS"},
		{name: "level-triggered", prefix: "LT"},
		{name: "leader-failover", prefix: "LF"},
		{name: "status", prefix: "ST"},
		{name: "steady-state", prefix: "SS"},
		{name: "events", prefix: "EV"},
		{name: "validation", prefix: "VA"},
		{name: "isolation", prefix: "IS"},
		{name: "shutdown", prefix: "SD"},
		{name: "rbac", prefix: "RB"},
		{name: "observability", prefix: "OB"},
		{name: "scale", prefix: "SC"},
		{name: "nodes", prefix: "ND"},
	}
}

// areaIndex returns the index of an area, or -1.
func areaIndex(areas []area, name string) int {
	return slices.IndexFunc(areas, func(a area) bool { return a.name == name })
}

// sortRequirements sorts requirements by their areas and IDs.
func sortRequirements(requirements []Requirement, areas []area) {
	slices.SortFunc(requirements, func(a, b Requirement) int {
		return cmp.Or(cmp.Compare(areaIndex(areas, a.Area), areaIndex(areas, b.Area)), cmp.Compare(a.ID, b.ID))
	})
}
