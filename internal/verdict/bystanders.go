package verdict

import (
	"net/http"
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// noBystanders says why not all bystanders could be made, in a scenario that checks what
// the controller does to them. It returns "" if all were made, and for other scenarios.
func (c *Case) noBystanders() string {
	if !slices.Contains(c.Requirement.Judges, v1alpha1.RuleForeignObject) {
		return ""
	}
	for _, event := range c.Account.Events {
		if event.Reason == history.NoBystanders {
			return event.Message
		}
	}
	return ""
}

// inTheWay returns a creation that the API server refused because a bystander had the
// name. The bench took that name because the controller had asked for it and nothing was
// there.
func inTheWay(account history.Account) string {
	taken := map[string]int64{}
	for _, event := range account.Events {
		if event.Reason == history.NamesakeMade {
			taken[event.Object] = event.Seq
		}
	}
	for _, r := range account.Requests {
		since, is := taken[r.GroupResource().String()+" "+r.Name]
		if is && r.Seq > since && r.Verb == history.VerbCreate && r.Code == http.StatusConflict && r.Fault == "" {
			return r.InWords()
		}
	}
	return ""
}
