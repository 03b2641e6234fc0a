package catalogue

import (
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// Relying removes from each requirement the IDs in ReliesOn that do not apply to an
// implementation with these claims. all are all requirements that exist. An unknown ID is
// kept.
func Relying(requirements, all []Requirement, claims v1alpha1.Claims) []Requirement {
	requirements = slices.Clone(requirements)
	for n, r := range requirements {
		requirements[n].ReliesOn = slices.DeleteFunc(slices.Clone(r.ReliesOn), func(id string) bool {
			at := slices.IndexFunc(all, func(other Requirement) bool { return other.ID == id })
			if at < 0 {
				return false
			}
			applies, _ := Applies(all[at], claims)
			return !applies
		})
	}
	return requirements
}

// checkReliance finds requirements that rely on one that does not exist, or on themselves,
// even through others. The files are those of the requirements, in the same order.
func checkReliance(files []scenario, requirements []Requirement) {
	relies := map[string][]string{}
	for _, r := range requirements {
		relies[r.ID] = r.ReliesOn
	}
	for i, r := range requirements {
		for _, id := range r.ReliesOn {
			if _, known := relies[id]; !known {
				files[i].problem(files[i].relied, "%s relies on %s, which does not exist", r.ID, id)
			}
		}
		if reaches(relies, r.ID, r.ID, nil) {
			files[i].problem(files[i].relied, "%s relies on itself, directly or through others", r.ID)
		}
	}
}

// reaches tells whether the requirement from relies on the other, directly or through
// others that are not on the trail.
func reaches(relies map[string][]string, from, to string, trail []string) bool {
	return slices.ContainsFunc(relies[from], func(next string) bool {
		return next == to || !slices.Contains(trail, next) && reaches(relies, next, to, append(trail, next))
	})
}
