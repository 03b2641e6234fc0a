package catalogue

import (
	"fmt"
	"slices"
	"strings"
)

// reachTable returns the table that says, for each area, to which controllers its requirements
// apply: to any, to those with a contract, or only to web apps.
func reachTable(requirements []Requirement) string {
	type columns struct{ anyController, anyWorkload, webApps []string }
	var areas []string
	ids := map[string]*columns{}
	for _, r := range requirements {
		if r.Contract != "" && r.Contract != WebApps {
			continue // of a contract of its own
		}
		if ids[r.Area] == nil {
			ids[r.Area] = &columns{}
			areas = append(areas, r.Area)
		}
		column := &ids[r.Area].anyWorkload
		switch {
		case r.Any:
			column = &ids[r.Area].anyController
		case r.Contract == WebApps:
			column = &ids[r.Area].webApps
		}
		*column = append(*column, r.ID)
	}
	var b strings.Builder
	b.WriteString("| area | any controller | any workload | only web apps |\n|---|---|---|---|\n")
	for _, area := range areas {
		c := ids[area]
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", area, joined(c.anyController), joined(c.anyWorkload), joined(c.webApps))
	}
	return b.String()
}

// joined writes a list of IDs of one area. Three or more in a row become.
func joined(ids []string) string {
	slices.Sort(ids)
	var parts []string
	for i := 0; i < len(ids); {
		j := i
		for j+1 < len(ids) && next(ids[j]) == ids[j+1] {
			j++
		}
		switch {
		case j == i:
			parts = append(parts, ids[i])
		case j == i+1:
			parts = append(parts, ids[i], ids[j])
		default:
			parts = append(parts, ids[i]+" to "+ids[j])
		}
		i = j + 1
	}
	return strings.Join(parts, ", ")
}

// next returns the ID after another one, or "" if that has no number.
func next(id string) string {
	prefix, digits, _ := strings.Cut(id, "-")
	var n int
	if _, err := fmt.Sscanf(digits, "%d", &n); err != nil {
		return ""
	}
	return fmt.Sprintf("%s-%03d", prefix, n+1)
}
