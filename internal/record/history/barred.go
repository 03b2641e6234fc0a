package history

import (
	"fmt"
	"slices"
)

// Barred returns the first of each sort of cluster-scoped write that the bench refused,
// although the controller had the right to it.
func Barred(requests []Request) []Request {
	var found []Request
	for _, r := range requests {
		same := func(known Request) bool { return known.GroupResource() == r.GroupResource() && known.Name == r.Name }
		if r.Note == NoteClusterScoped && !slices.ContainsFunc(found, same) {
			found = append(found, r)
		}
	}
	return found
}

// BarredRemedy says what to write into a profile if a controller needs a cluster-scoped
// write that the bench refused. It returns "" if the write is of no known resource.
func (r *Request) BarredRemedy() string {
	switch {
	case r.Group == "" && r.Resource == "namespaces":
		return "a subject has the namespaces of its scenario, and no field gives it others; " +
			"if a flag or a variable of the controller says this one, write {{ .namespace }} there, in launch.command or launch.env"
	case r.Resource != "":
		return fmt.Sprintf("if it needs that, write install: {clusterWrites: [%[1]s]}, and launch: {serial: true} (reconform init: --cluster-writes %[1]s)", r.GroupResource())
	}
	return ""
}
