package verdict

import (
	"net/http"
	"slices"

	"reconform.dev/reconform/internal/history"
)

// foreignObject is the rule that is about bystanders.
const foreignObject = "ForeignObject"

// noBystanders says why not all bystanders stood in a scenario that exists to find what is
// done to them. It is empty for others, and where they did.
func (c *Case) noBystanders() string {
	if !slices.Contains(c.Requirement.Judges, foreignObject) {
		return ""
	}
	for _, event := range c.Account.Events {
		if event.Reason == history.NoBystanders {
			return event.Message
		}
	}
	return ""
}

// inTheWay is a creation that the API server refused because a bystander had the name. The
// controller had asked for that name in vain before, so the bench took it.
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
