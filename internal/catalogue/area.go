package catalogue

import (
	"cmp"
	"slices"
)

// area is a group of requirements whose IDs begin with the same prefix.
type area struct {
	name, prefix string
	// contract says that the area is one, with requirements of its own.
	contract bool
}

// areas of all contracts, in the order in which they are listed.
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

// areaIndex is the place of an area, -1 where there is none of that name.
func areaIndex(areas []area, name string) int {
	return slices.IndexFunc(areas, func(a area) bool { return a.name == name })
}

// sortRequirements puts them in the order of their areas and IDs.
func sortRequirements(requirements []Requirement, areas []area) {
	slices.SortFunc(requirements, func(a, b Requirement) int {
		return cmp.Or(cmp.Compare(areaIndex(areas, a.Area), areaIndex(areas, b.Area)), cmp.Compare(a.ID, b.ID))
	})
}
