package trial

import (
	"fmt"
	"net/http"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

const (
	// HarmHasty is the path of a Divergence that reports retries whose pauses do not grow.
	HarmHasty = "retries without growing pauses"
	// hastyIn is the time in which so many attempts are too many. With the backoff of the client
	// library, 5 ms that double, there are 11. Some come because of events.
	hastyIn, mostAttempts = 5 * time.Second, 40
	// conflicting is how many requests one attempt may have that retries conflicts at once.
	conflicting = 5
)

// hastyHarm returns the requests that were tried again too often while a Fault refused them.
func hastyHarm(requests []history.Request, fault v1alpha1.Fault) []v1alpha1.Divergence {
	refusal := fault.Spec.Action.Respond
	if refusal == nil {
		return nil
	}
	most := mostAttempts
	if refusal.Code == http.StatusConflict {
		most *= conflicting
	}
	attempts := map[string][]time.Time{}
	told := map[string]bool{}
	var all []v1alpha1.Divergence
	for _, q := range requests {
		if q.Fault != fault.Name {
			continue
		}
		key := q.Replica + " " + q.Verb + " " + q.Subresource + " " + objectOf(q)
		times := append(attempts[key], q.Time)
		attempts[key] = times
		if len(times) <= most || told[key] {
			continue
		}
		if took := q.Time.Sub(times[len(times)-1-most]); took <= hastyIn {
			told[key] = true
			all = append(all, v1alpha1.Divergence{
				Kind: v1alpha1.DivergenceHarm, Object: objectOf(q), Path: HarmHasty,
				Expected: "what is refused is tried again after pauses that grow",
				Found:    fmt.Sprintf("%s: %d attempts in %s", q.InWords(), most+1, took.Round(time.Second/10)),
			})
		}
	}
	return all
}
