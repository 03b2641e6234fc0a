package fault

import (
	"net/http"

	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/proxy"
)

// Intercept carries out a call with the armed Faults.
func (e *Engine) Intercept(call *proxy.Call, next proxy.Next) (proxy.Answer, error) {
	armed := e.armed(call.Request().Scenario)
	answer, err := e.carryOut(call, next, armed)
	if err != nil {
		return proxy.Answer{}, err
	}
	if call.Request().Verb == history.VerbWatch && answer.StatusCode == http.StatusOK {
		answer.Response = e.newStream(call, answer.Response, armed)
	}
	return answer, nil
}

// carryOut carries out a call with the one of the armed Faults that acts on it, if any.
func (e *Engine) carryOut(call *proxy.Call, next proxy.Next, armed []*fault) (proxy.Answer, error) {
	request := call.Request()
	var later []*fault // these act on the answer to a write
	for _, f := range armed {
		if f.action == nil || !e.matches(f, request) {
			continue
		}
		if _, ok := f.action.(afterwards); ok {
			later = append(later, f)
			continue
		}
		if selective, ok := f.action.(selective); ok && !selective.wants(call) {
			continue
		}
		if e.count(f, request) {
			call.Hit(f.key.Name)
			taken := &hit{Call: call, fault: f}
			response, err := f.action.act(taken, next)
			return proxy.Answer{Response: response, Settled: e.settled(call, later, taken)}, err
		}
	}
	response, err := next(call.Out)
	return proxy.Answer{Response: response, Settled: e.settled(call, later, nil)}, err
}

// settled asks the Faults that act on the answer to a write. If none of them acts, the
// Fault that acted on the request may act again.
func (e *Engine) settled(call *proxy.Call, later []*fault, taken *hit) func(history.Request) error {
	return func(request history.Request) error {
		for _, f := range later {
			action := f.action.(afterwards)
			if action.wantsAnswer(request) && e.count(f, request) {
				call.Hit(f.key.Name)
				return action.answered(&hit{Call: call, fault: f})
			}
		}
		if taken == nil {
			return nil
		}
		if action, ok := taken.fault.action.(answering); ok {
			return action.answered(taken)
		}
		return nil
	}
}

// armed returns the Faults of a scenario, in the order in which they act.
func (e *Engine) armed(scenario string) []*fault {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.scenario(scenario).faults
}
