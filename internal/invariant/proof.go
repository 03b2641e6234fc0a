package invariant

import (
	"fmt"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/history"
)

// How many requests a violation names at most: a controller that is wrong once is wrong
// a thousand times.
const (
	mostRequests = 10
	mostNamed    = 5
)

// proofs collects the requests that break a rule. Those of one kind are one violation.
type proofs struct {
	after int64
	found []*proof
	by    map[string]*proof
}

type proof struct {
	message  string
	count    int
	requests []int64
}

func (r *Record) proofs() *proofs { return &proofs{after: r.After, by: map[string]*proof{}} }

// add a request or event. The message is about the first of a kind.
func (p *proofs) add(kind string, seq int64, format string, args ...any) {
	if seq <= p.after {
		return
	}
	present := p.by[kind]
	if present == nil {
		present = &proof{message: fmt.Sprintf(format, args...)}
		p.by[kind] = present
		p.found = append(p.found, present)
	}
	present.count++
	if len(present.requests) < mostRequests {
		present.requests = append(present.requests, seq)
	}
}

// violations of the rule, each with the requests that prove it.
func (p *proofs) violations(rule Rule) []v1alpha1.Violation {
	var violations []v1alpha1.Violation
	for _, found := range p.found {
		violations = append(violations, v1alpha1.Violation{
			Rule: rule.Name(), Message: found.message + " (" + found.numbers() + ")", Requests: found.requests,
		})
	}
	return violations
}

// numbers in history.jsonl.
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
	text := request.Verb + " of " + resourceOf(request).String()
	if request.Subresource != "" {
		text += "/" + request.Subresource
	}
	if request.Name != "" {
		text += " " + request.Name
	}
	return text
}

// alike is the kind of a replica's request, whatever object it is about.
func alike(request *history.Request) string {
	return request.Replica + " " + request.Verb + " " + resourceOf(request).String() + "/" + request.Subresource
}
