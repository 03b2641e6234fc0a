package seen

import (
	"cmp"
	"fmt"
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// Unserved counts the requests for processes of Pods that the bench could not serve, by
// what they ask for.
func (r *Recorded) Unserved() []v1alpha1.Unserved {
	var all []v1alpha1.Unserved
	for _, account := range r.Accounts {
		for _, request := range account.Unserved() {
			what := request.Verb + " " + request.Resource + "/" + request.Subresource
			n := slices.IndexFunc(all, func(u v1alpha1.Unserved) bool { return u.Request == what })
			if n < 0 {
				n = len(all)
				all = append(all, v1alpha1.Unserved{Request: what, Answer: fmt.Sprintf("%d: %s", request.Code, request.Message)})
			}
			all[n].Count++
			if title := r.Title(account.Scenario); !slices.Contains(all[n].SeenIn, title) {
				all[n].SeenIn = append(all[n].SeenIn, title)
			}
		}
	}
	slices.SortFunc(all, func(a, b v1alpha1.Unserved) int { return cmp.Compare(a.Request, b.Request) })
	return all
}
