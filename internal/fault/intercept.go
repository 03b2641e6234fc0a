package fault

import (
	"net/http"

	"reconform.dev/reconform/internal/history"
	"reconform.dev/reconform/internal/proxy"
)

// Intercept carries out a call, with the Faults that are armed.
func (e *Engine) Intercept(call *proxy.Call, next proxy.Next) (*http.Response, error) {
	response, err := e.carryOut(call, next)
	if err != nil {
		return nil, err
	}
	if call.Request().Verb == history.VerbWatch && response.StatusCode == http.StatusOK {
		return e.newStream(call, response), nil
	}
	return response, nil
}

// carryOut a call by way of the Fault that takes it.
func (e *Engine) carryOut(call *proxy.Call, next proxy.Next) (*http.Response, error) {
	request := call.Request()
	var settling []*fault
	for _, f := range e.armed(request.Scenario) {
		if f.action == nil || !e.matches(f, request) {
			continue
		}
		if _, ok := f.action.(afterwards); ok {
			settling = append(settling, f)
			continue
		}
		if selective, ok := f.action.(selective); ok && !selective.wants(call) {
			continue
		}
		if e.count(f, request) {
			call.Hit(f.key.Name)
			h := &hit{Call: call, fault: f}
			call.Settled(e.settled(call, settling, h))
			return f.action.act(h, next)
		}
	}
	if len(settling) > 0 {
		call.Settled(e.settled(call, settling, nil))
	}
	return next(call.Out)
}

// settled asks those Faults that act on the answer to a write, and then the one
// that took the write, where it has something to say by then.
func (e *Engine) settled(call *proxy.Call, settling []*fault, taken *hit) func(history.Request) error {
	return func(request history.Request) error {
		for _, f := range settling {
			action := f.action.(afterwards)
			if action.wantsAnswer(request) && e.count(f, request) {
				call.Hit(f.key.Name)
				return action.answered(&hit{Call: call, fault: f})
			}
		}
		if taken != nil && taken.onAnswer != nil {
			return taken.onAnswer(request)
		}
		return nil
	}
}

// armed are the Faults of a scenario, in the order in which they act.
func (e *Engine) armed(scenario string) []*fault {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.scenario(scenario).faults
}
