package runner

import (
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/scenario/chainsaw"
)

// follow records the steps of a scenario among the requests, and what the scenario itself
// writes. So the history shows at which step each request was sent, and after what.
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
	if event.Acts != "" && s.at != chainsaw.Cleanup {
		recorder.Event(history.Event{Scenario: s.namespace, Reason: history.ScenarioActed, Message: event.Acts})
	}
	if event.Failed != "" && !s.failed {
		s.failed = true
		recorder.Event(history.Event{Scenario: s.namespace, Reason: history.StepFailed, Message: event.Failed})
	}
}
