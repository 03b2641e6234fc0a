package runner

import (
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/scenario/chainsaw"
)

// follow records the steps of a scenario among the requests, so that the history shows at
// which step each request was sent.
func (s *scenario) follow(recorder *history.Recorder, event chainsaw.Event) {
	if event.Kind == chainsaw.Ended {
		return
	}
	step := s.at
	switch event.Operation {
	case chainsaw.Try:
		step = event.Step
	case chainsaw.Cleanup:
		step = chainsaw.Cleanup
	}
	if step != s.at {
		s.at = step
		recorder.Event(history.Event{Scenario: s.namespace, Reason: history.StepBegan, Message: step})
	}
	if event.Failed != "" && !s.failed {
		s.failed = true
		recorder.Event(history.Event{Scenario: s.namespace, Reason: history.StepFailed, Message: event.Failed})
	}
}
