package fault

import (
	"net/http"

	"reconform.dev/reconform/conformance/history"
	"reconform.dev/reconform/conformance/proxy"
)

// newStream makes the answer to a watch one that the Faults act on, as long as
// it is open.
func (e *Engine) newStream(call *proxy.Call, response *http.Response) *http.Response {
	response.Body = newStreamBody(call.Out.URL.Query(), response.Body, &streamEffects{
		engine: e, call: call, met: map[*fault]effect{},
	})
	return response
}

// streamEffects are what the Faults do to one stream.
type streamEffects struct {
	engine *Engine
	call   *proxy.Call
	begun  bool
	met    map[*fault]effect
}

// now is called by one goroutine.
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

// meet a Fault: its effect on this stream, nil where it has none.
func (s *streamEffects) meet(f *fault) effect {
	c := claim{take: func() bool {
		if !s.engine.count(f, s.call.Request()) {
			return false
		}
		s.call.Hit(f.key.Name)
		return true
	}}
	if stale, ok := f.action.(*stale); ok {
		if s.begun {
			return nil
		}
		return stale.effect(c, s.call)
	}
	return newEffect(*f.spec.Action.Watch, c, f, s.call)
}

// streaming are the Faults on streams that match a watch now, in the order in
// which they act, and a channel that is closed when that may have changed. Each
// acts on a stream only once count has said so.
func (e *Engine) streaming(request history.Request) (faults []*fault, changed <-chan struct{}) {
	e.mu.Lock()
	s := e.scenario(request.Scenario)
	all, changed := s.faults, s.changed
	e.mu.Unlock()
	for _, f := range all {
		if (f.spec.Action.Watch != nil || f.spec.Action.Stale != nil) && e.matches(f, request) {
			faults = append(faults, f)
		}
	}
	return faults, changed
}
