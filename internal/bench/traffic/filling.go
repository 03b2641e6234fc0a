package traffic

import (
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// withoutFilling leaves out the first list of each resource by a process that, before the
// window, has only waited for its Lease. Such a process was just started, or has just
// become the leader, and fills its caches. That is not a read at rest. If it lists the
// resource again, that counts. It changes the list that it is given.
func (m *measurement) withoutFilling(requests []history.Request, recorder *history.Recorder, query history.Query) []history.Request {
	if m.spec.Start != v1alpha1.StartQuiet {
		return requests
	}
	type cache struct{ replica, resource, namespace string }
	filled := map[cache]bool{}
	fresh := map[string]bool{}
	return slices.DeleteFunc(requests, func(r history.Request) bool {
		if r.Verb != history.VerbList && !r.StreamingList {
			return false
		}
		if _, known := fresh[r.Replica]; !known {
			fresh[r.Replica] = m.fresh(r.Replica, recorder, query)
		}
		one := cache{r.Replica, r.GroupResource().String(), r.Namespace}
		first := fresh[r.Replica] && !filled[one]
		filled[one] = true
		return first
	})
}

// fresh says whether the process of a replica has done nothing before the window. Requests
// for its Lease, and discovery, do not count as work.
func (m *measurement) fresh(replica string, recorder *history.Recorder, query history.Query) bool {
	query.Replicas, query.After, query.Match = []string{replica}, 0, v1alpha1.RequestMatch{Verbs: []string{
		history.VerbGet, history.VerbList, history.VerbWatch, history.VerbCreate, history.VerbUpdate, history.VerbDelete,
	}}
	for _, e := range recorder.Events(m.namespace) {
		if e.Replica == replica && e.Reason == history.ReplicaStarted {
			query.After = e.Seq
		}
	}
	work := recorder.Requests(query)
	return len(work) > 0 && work[0].Seq > m.after
}
