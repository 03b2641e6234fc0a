package traffic

import (
	"slices"

	"reconform.dev/reconform/internal/record/history"
)

// withoutDue leaves out, of the requests in a window, the writes that were due when it began:
// the same write had failed by chance before, for example in conflict with another one, and
// had not been sent again. A controller may take longer for that than it takes to be quiet,
// and a later process of it makes the write at once. The window begins after a number, and
// all are the requests of the subject in the scenario, in order.
func withoutDue(window, all []history.Request, after int64) []history.Request {
	due := map[sort]bool{}
	for _, r := range all {
		if r.Seq <= after && r.IsWrite() {
			due[written(r)] = r.FailedByChance()
		}
	}
	return slices.DeleteFunc(slices.Clone(window), func(r history.Request) bool {
		one := written(r)
		if r.Effect != history.EffectEffective || !due[one] {
			return false
		}
		due[one] = false
		return true
	})
}

// written is what a write is about: an object, or a subresource of it.
func written(r history.Request) sort {
	return sort{resource: r.GroupResource(), subresource: r.Subresource, namespace: r.Namespace, object: r.Name}
}
