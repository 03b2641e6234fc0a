package fault

import (
	"net/http"
	"slices"

	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/proxy"
)

// newStream lets the Faults act on the answer to a watch while it is open. The armed ones
// were armed when the replica sent the request.
func (e *Engine) newStream(call *proxy.Call, response *http.Response, armed []*fault) *http.Response {
	effects := &streamEffects{engine: e, call: call, armed: armed, met: map[*fault]effect{}}
	effects.begins, _ = response.Body.(*pastBody)
	response.Body = newStreamBody(call.Replica, call.Out.URL.Query(), response.Body, effects)
	return response
}

// streamEffects holds what the Faults do to one stream.
type streamEffects struct {
	engine *Engine
	call   *proxy.Call
	// armed holds the Faults that were armed when the replica sent the request.
	armed []*fault
	met   map[*fault]effect
	// begun is true after the stream has met the Faults that acted when it started.
	begun bool
	// begins is what a stale made the stream start with, or nil.
	begins *pastBody
}

// now is called by one goroutine only.
func (s *streamEffects) now() ([]effect, <-chan struct{}) {
	faults, changed := s.engine.streaming(s.call.Request())
	met := map[*fault]effect{}
	var acting []effect
	for _, f := range faults {
		known, ok := s.met[f]
		if !ok {
			known = s.meet(f)
		}
		met[f] = known
		if known != nil {
			acting = append(acting, known)
		}
	}
	s.met, s.begun = met, true
	return acting, changed
}

// meet returns the effect of a Fault on this stream, or nil if it has none.
func (s *streamEffects) meet(f *fault) effect {
	c := claim{
		take: func() bool {
			if !s.engine.count(f, s.call.Request()) {
				return false
			}
			s.call.Hit(f.key.Name)
			return true
		},
		hide: func(events int) { s.engine.hide(f, events) },
	}
	switch action := f.action.(type) {
	case *stale:
		if s.begun {
			return nil
		}
		return action.hold(c, s.call.Out.URL.Query(), s.begins)
	case *restored:
		if slices.Contains(s.armed, f) {
			return nil // it has seen the request, and let it pass
		}
		return ending{}
	}
	if !s.begun && startsUnmarked(s.call.Out.URL.Query()) && sparesUnmarked(*f.spec.Action.Watch) {
		return nil
	}
	return newEffect(*f.spec.Action.Watch, c, f, s.call)
}

// streaming returns the Faults on streams that now match a watch, in the order in which
// they act. It also returns a channel that is closed when these Faults may have changed. A
// Fault acts on a stream only after count has returned true.
func (e *Engine) streaming(request history.Request) (faults []*fault, changed <-chan struct{}) {
	e.mu.Lock()
	s := e.scenario(request.Scenario)
	all, changed := s.faults, s.changed
	e.mu.Unlock()
	for _, f := range all {
		action := f.spec.Action
		if (action.Watch != nil || action.Stale != nil || action.Restored != nil) && e.matches(f, request) {
			faults = append(faults, f)
		}
	}
	return faults, changed
}
