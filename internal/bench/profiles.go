package bench

import (
	"maps"
	"slices"
	"strings"

	"reconform.dev/reconform/internal/profile"
)

// profile returns the profile of the implementation whose Subjects run in a namespace. The
// namespace is a scenario's own, or one that it adds, whose name begins with the first and
// a dash.
func (o *Options) profile(namespace string) *profile.Profile {
	for name := namespace; name != ""; name = name[:max(0, strings.LastIndexByte(name, '-'))] {
		if p := o.ByScenario[name]; p != nil {
			return p
		}
	}
	return o.Profile
}

// rolesIn returns the roles of the implementation in a namespace.
func (b *Bench) rolesIn(namespace string) []profile.Grant {
	return b.roles[b.options.profile(namespace)]
}

// profiles returns the profiles of all implementations, each once.
func (o *Options) profiles() []*profile.Profile {
	all := []*profile.Profile{o.Profile}
	for _, scenario := range slices.Sorted(maps.Keys(o.ByScenario)) {
		if p := o.ByScenario[scenario]; !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	return all
}
