package invariant

import (
	"fmt"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/sanitize"
)

// How many requests a violation names at most. A controller that does something wrong once
// does it a thousand times.
const (
	mostRequests = 10
	mostNamed    = 5
	// mostKinds is the largest number of violations of one rule. A controller may, for
	// example, ask for a thousand resources that do not exist, and have no right to any of
	// them.
	mostKinds = 50
	// mostText is how much of a violation is told, in characters: a subject may send names of
	// any length, and the violations have to fit into the status of the Subject.
	mostText = 2 << 10
)

// proofs collects the requests that break a rule. All requests of one kind are one
// violation.
type proofs struct {
	after int64
	found []*proof
	by    map[kind]*proof
	// more counts the requests and events of further kinds.
	more int
}

// kind is a kind of request or event that breaks a rule.
type kind struct {
	// about is what was done to what, or what happened. It is the same in other scenarios.
	about string
	// of is whose request or event it is.
	of string
}

type proof struct {
	about    string
	message  string
	count    int
	requests []int64
}

func (r *View) proofs() *proofs { return &proofs{after: r.After, by: map[kind]*proof{}} }

// add adds a request or event. Only the message of the first one of a kind is kept.
func (p *proofs) add(of kind, seq int64, format string, args ...any) {
	if seq <= p.after {
		return
	}
	present := p.by[of]
	if present == nil && len(p.found) == mostKinds {
		p.more++
		return
	}
	if present == nil {
		present = &proof{about: sanitize.Cut(of.about, mostText), message: sanitize.Cut(fmt.Sprintf(format, args...), mostText)}
		p.by[of] = present
		p.found = append(p.found, present)
	}
	present.count++
	if len(present.requests) < mostRequests {
		present.requests = append(present.requests, seq)
	}
}

// violations returns the violations of the rule, each with the requests that prove it.
func (p *proofs) violations(rule Rule) []v1alpha1.Violation {
	var violations []v1alpha1.Violation
	for _, found := range p.found {
		violations = append(violations, v1alpha1.Violation{
			Rule: rule.Name(), About: found.about, Message: found.message + " (" + found.numbers() + ")", Requests: found.requests,
		})
	}
	if p.more > 0 {
		violations[mostKinds-1].Message += fmt.Sprintf("; and %d of other kinds", p.more)
	}
	return violations
}

// numbers returns the numbers of the requests in history.jsonl.
func (p *proof) numbers() string {
	var numbers []string
	for _, seq := range p.requests[:min(mostNamed, len(p.requests))] {
		numbers = append(numbers, fmt.Sprintf("#%d", seq))
	}
	text := strings.Join(numbers, ", ")
	if more := p.count - len(numbers); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// told says what a request asked for, such as: update of deployments.apps/status demo.
func told(request *history.Request) string {
	text := alike(request).about
	if request.Name != "" {
		text += " " + request.Name
	}
	return text
}

// did says what a write has done: updated deployments.apps demo.
func did(write *history.Request) string {
	verb, what, _ := strings.Cut(told(write), " of ")
	switch verb {
	case history.VerbCreate, history.VerbUpdate, history.VerbDelete:
		return strings.TrimSuffix(verb, "e") + "ed " + what
	}
	return "wrote " + what
}

// alike returns the kind of a replica's request, whatever object it is about.
func alike(request *history.Request) kind {
	about := request.Verb + " of " + request.GroupResource().String()
	if request.Subresource != "" {
		about += "/" + request.Subresource
	}
	return kind{about: about, of: request.Replica}
}
