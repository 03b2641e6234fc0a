package verdict

import (
	"fmt"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// stubborn is how often in a row a write must be refused before the controller counts as
// stuck with it.
const stubborn = 3

// stuck returns a write that the controller kept retrying before the step failed. The
// write was refused each time, and not by a Fault or a policy of the scenario. It returns nil if there
// is none.
func (c *Case) stuck() *v1alpha1.Symptom {
	type attempt struct{ verb, resource, name, reason string }
	rows, failed := map[attempt]int{}, c.failedAt()
	var last *history.Request
	for n := range c.Account.Requests {
		r := &c.Account.Requests[n]
		if failed != 0 && r.Seq > failed {
			break
		}
		if c.role(r.GroupResource().String()) == v1alpha1.RoleOther || !r.IsWrite() {
			continue
		}
		one := attempt{r.Verb, r.GroupResource().String(), r.Name, r.Reason}
		if !r.Failed() || r.Reason == "" || c.ordered(r) {
			for other := range rows {
				if other.resource == one.resource && other.name == one.name {
					delete(rows, other)
				}
			}
			continue
		}
		if rows[one]++; rows[one] >= stubborn {
			last = r
		}
	}
	if last == nil || rows[attempt{last.Verb, last.GroupResource().String(), last.Name, last.Reason}] < stubborn {
		return nil
	}
	resource := last.GroupResource().String()
	return &v1alpha1.Symptom{
		Resource: resource, Role: c.role(resource), State: v1alpha1.Refused, Path: last.Verb + " " + last.Reason,
		Seen: fmt.Sprintf("the controller goes on trying to %s %s %s, and that is refused each time (%s, #%d the last)",
			last.Verb, resource, last.Name, refusal(last), last.Seq),
	}
}

// ordered says whether the scenario itself had a request refused: by a Fault, or by an
// admission policy. The policies of a scenario have its namespace in their names.
func (c *Case) ordered(r *history.Request) bool {
	if r.Fault != "" {
		return true
	}
	_, after, found := strings.Cut(r.Message, "ValidatingAdmissionPolicy '")
	policy, _, _ := strings.Cut(after, "'")
	return found && c.Account.Scenario != "" && strings.HasSuffix(policy, c.Account.Scenario)
}

// stuckInWords says which write is refused each time, if there is one. It may be why a step
// failed.
func (c *Case) stuckInWords() string {
	if stuck := c.stuck(); stuck != nil {
		return "; " + stuck.Seen
	}
	return ""
}

// refusal returns the API server's words for a refused write.
func refusal(r *history.Request) string {
	words := r.Reason
	if text := strings.Join(strings.Fields(r.Message), " "); text != "" {
		words += ": " + text
	}
	if letters := []rune(words); len(letters) > mostRefusal {
		words = string(letters[:mostRefusal]) + "…"
	}
	return words
}

// mostRefusal is how many letters of a refusal are told.
const mostRefusal = 300
