package bench

import (
	"maps"
	"slices"
	"strings"

	"reconform.dev/reconform/internal/profile"
)

// profile of the implementation whose Subjects run in a namespace: a scenario's
// own, or one that it adds, whose name begins with that and a dash.
func (o *Options) profile(namespace string) *profile.Profile {
	for name := namespace; name != ""; name = name[:max(0, strings.LastIndexByte(name, '-'))] {
		if p := o.ByScenario[name]; p != nil {
			return p
		}
	}
	return o.Profile
}

// rolesIn are those that the implementation in a namespace has.
func (b *Bench) rolesIn(namespace string) []profile.Grant {
	return b.roles[b.options.profile(namespace)]
}

// profiles of all implementations, each once.
func (o *Options) profiles() []*profile.Profile {
	all := []*profile.Profile{o.Profile}
	for _, scenario := range slices.Sorted(maps.Keys(o.ByScenario)) {
		if p := o.ByScenario[scenario]; !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	return all
}
