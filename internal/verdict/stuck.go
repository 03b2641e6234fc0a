package verdict

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/sanitize"
	"reconform.dev/reconform/internal/scenario/chainsaw"
)

// stubborn is how often in a row a write must be refused before the controller counts as
// stuck with it.
const stubborn = 3

// stuck returns a write that the controller kept retrying before the step failed, if there is one
// (see [Case.refusals]).
func (c *Case) stuck(failure chainsaw.Failure) *v1alpha1.Symptom {
	row := c.refusals(failure)
	if len(row) == 0 {
		return nil
	}
	last := row[len(row)-1]
	resource := last.GroupResource().String()
	return &v1alpha1.Symptom{
		Resource: resource, Role: c.role(resource), State: v1alpha1.Refused, Path: last.Verb + " " + last.Reason, Seen: c.toldOfRefusals(row, c.stopped(row)),
	}
}

// refusals returns the attempts at a write that the controller kept retrying before the step
// failed. The write was refused each time, and not by a Fault or a policy of the scenario. Of
// several such writes it takes one of an object that is wrong, or else the last. It returns none if
// no write was stuck.
func (c *Case) refusals(failure chainsaw.Failure) []*history.Request {
	rows, created := c.refusedWrites()
	var stuck [][]*history.Request
	for _, row := range rows {
		if len(row) >= stubborn {
			stuck = append(stuck, row)
		}
	}
	if len(stuck) == 0 {
		return nil
	}
	wrongs := c.wrongs(failure)
	isWrong := func(row []*history.Request) int {
		if slices.ContainsFunc(wrongs, func(w wrong) bool { return w.resource == row[0].GroupResource().String() && w.name == row[0].Name }) {
			return 1
		}
		return 0
	}
	row := slices.MaxFunc(stuck, func(a, b []*history.Request) int {
		return cmp.Or(isWrong(a)-isWrong(b), cmp.Compare(a[len(a)-1].Seq, b[len(b)-1].Seq))
	})
	last := row[len(row)-1]
	if last.Verb == history.VerbCreate && last.Reason == string(metav1.StatusReasonAlreadyExists) && created[targetOf(last)] && c.stopped(row) {
		return nil // its cache did not yet have the object that it had created itself; now it has
	}
	return row
}

// target is the object that a write is about.
type target struct{ resource, name string }

func targetOf(r *history.Request) target { return target{r.GroupResource().String(), r.Name} }

// attempt is a write of an object that is refused for a reason.
type attempt struct {
	target
	verb, reason string
}

// refusedWrites returns the refused writes of each sort before the step failed, as far as no other
// write of their object has come after them. created are the objects whose last successful write
// was their creation.
func (c *Case) refusedWrites() (rows map[attempt][]*history.Request, created map[target]bool) {
	rows, created = map[attempt][]*history.Request{}, map[target]bool{}
	failed := c.failedAt()
	for n := range c.Account.Requests {
		r := &c.Account.Requests[n]
		if failed != 0 && r.Seq > failed {
			break
		}
		if c.role(r.GroupResource().String()) == v1alpha1.RoleOther || !r.IsWrite() {
			continue
		}
		one := attempt{targetOf(r), r.Verb, r.Reason}
		if r.Failed() && r.Reason != "" && !c.ordered(r) {
			rows[one] = append(rows[one], r)
			continue
		}
		maps.DeleteFunc(rows, func(other attempt, _ []*history.Request) bool { return other.target == one.target })
		if !r.Failed() && r.Fault == "" {
			created[one.target] = r.Verb == history.VerbCreate
		}
	}
	return rows, created
}

// insists says whether the controller goes on with a missing write that the API server itself has
// refused each time since the scenario last did something. The next attempt would be refused as
// well, so it does not matter when it is due.
func (c *Case) insists(failure chainsaw.Failure, s v1alpha1.Symptom) bool {
	row := c.refusals(failure)
	if !lacks(s) || !s.AfterFailure || len(row) < stubborn || row[0].GroupResource().String() != s.Resource || c.stopped(row) {
		return false
	}
	return row[len(row)-stubborn].Seq > c.occasion()
}

// stopped says whether the attempts of a row had stopped: before the step failed, there was
// enough time for another one.
func (c *Case) stopped(row []*history.Request) bool {
	longest := briefly
	for n := 1; n < len(row); n++ {
		longest = max(longest, mostGrowth*row[n].Time.Sub(row[n-1].Time))
	}
	e := c.failure()
	return e != nil && e.Time.Sub(row[len(row)-1].Time) > longest
}

// toldOfRefusals says that the attempts of a row were refused each time, and whether the
// controller goes on trying or has stopped.
func (c *Case) toldOfRefusals(row []*history.Request, stopped bool) string {
	last := row[len(row)-1]
	what := fmt.Sprintf("%s %s %s", last.Verb, last.GroupResource(), last.Name)
	if stopped {
		return fmt.Sprintf("the controller tried %d times to %s, and that was refused each time (%s, #%d the last, %s before the step failed)",
			len(row), what, refusal(last), last.Seq, c.failure().Time.Sub(last.Time).Round(time.Second))
	}
	return fmt.Sprintf("the controller goes on trying to %s, and that is refused each time (%s, #%d the last)", what, refusal(last), last.Seq)
}

const (
	// briefly is the shortest pause after which a controller may have stopped trying.
	briefly = 10 * time.Second
	// mostGrowth is how many times longer than the pauses before it the next pause may be.
	mostGrowth = 3
)

// ordered says whether the scenario itself is the reason why a request was refused: one of
// its Faults or admission policies. The policies have the scenario's namespace in their names.
func (c *Case) ordered(r *history.Request) bool {
	if r.Fault != "" {
		return true
	}
	policy := policyOf(r)
	return policy != "" && c.Account.Scenario != "" && strings.HasSuffix(policy, c.Account.Scenario)
}

// policyOf returns the admission policy that refused a request, or "".
func policyOf(r *history.Request) string {
	_, after, _ := strings.Cut(r.Message, "ValidatingAdmissionPolicy '")
	policy, _, _ := strings.Cut(after, "'")
	return policy
}

// stuckInWords says which write is refused each time, if there is one. It may be why a step
// failed.
func (c *Case) stuckInWords(failure chainsaw.Failure) string {
	if stuck := c.stuck(failure); stuck != nil {
		return "; " + stuck.Seen
	}
	return ""
}

// refusal returns the API server's words for a refused write.
func refusal(r *history.Request) string {
	words := r.Reason
	if text := strings.Join(strings.Fields(r.Message), " "); text != "" {
		words += ": " + withoutValues(invalidObject.ReplaceAllString(text, ""))
	}
	return sanitize.Cut(words, mostRefusal)
}

// invalidObject matches the beginning of the message about an object that is not valid: the
// sentence has named the object.
var invalidObject = regexp.MustCompile(`^\S+ "[^"]*" is invalid: `)

const invalidValue = "Invalid value: "

// withoutValues leaves out of a refusal each invalid value that is a list or an object. What
// is wrong with it comes after it, and would be cut off.
func withoutValues(text string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, invalidValue)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		b.WriteString(invalidValue)
		if after != "" && (after[0] == '[' || after[0] == '{') {
			value := json.NewDecoder(strings.NewReader(after))
			if value.Decode(&json.RawMessage{}) == nil {
				b.WriteString("…")
				after = after[value.InputOffset():]
			}
		}
		text = after
	}
}

// mostRefusal is how many characters of a refusal are shown: a refusal by a policy names it
// and its binding first, and says what is wrong after that.
const mostRefusal = 400
