package page

import "reconform.dev/reconform/conformance/api/v1alpha1"

// state is how a verdict is shown: not only by its colour.
type state struct {
	Class  string // in the style sheet, and for the filter
	Word   string
	Symbol string
}

// states returns the states in the order in which they are counted, the worst first.
func states() []state {
	return []state{
		stateOf(v1alpha1.Failed), stateOf(v1alpha1.Flaky), stateOf(v1alpha1.ResultInconclusive), stateOf(v1alpha1.Blocked),
		stateOf(v1alpha1.NotExercised), unjudged(), stateOf(v1alpha1.Skipped), stateOf(v1alpha1.Passed),
	}
}

// unjudged is the state of what a run did not reach before it was cut short.
func unjudged() state { return state{Class: "unjudged", Word: "not judged", Symbol: "…"} }

func stateOf(v v1alpha1.ResultVerdict) state {
	switch v {
	case v1alpha1.Passed:
		return state{Class: "passed", Word: "passed", Symbol: "✓"}
	case v1alpha1.Failed:
		return state{Class: "failed", Word: "failed", Symbol: "✕"}
	case v1alpha1.Flaky:
		return state{Class: "flaky", Word: "flaky", Symbol: "≈"}
	case v1alpha1.ResultInconclusive:
		return state{Class: "unsure", Word: "inconclusive", Symbol: "?"}
	case v1alpha1.Blocked:
		return state{Class: "blocked", Word: "blocked", Symbol: "⊘"}
	case v1alpha1.NotExercised:
		return state{Class: "idle", Word: "not exercised", Symbol: "○"}
	default:
		return state{Class: "skipped", Word: "skipped", Symbol: "–"}
	}
}

func stateOfRun(v v1alpha1.Verdict) state {
	switch v {
	case v1alpha1.Conformant:
		return state{Class: "passed", Word: "conformant", Symbol: "✓"}
	case v1alpha1.Partial:
		return state{Class: "unsure", Word: "partial", Symbol: "◐"}
	case v1alpha1.NotConformant:
		return state{Class: "failed", Word: "not conformant", Symbol: "✕"}
	default:
		return state{Class: "unsure", Word: "inconclusive", Symbol: "?"}
	}
}

func stateOfClass(v v1alpha1.ClassVerdict) state {
	switch v {
	case v1alpha1.ClassConformant:
		return state{Class: "passed", Word: "conformant", Symbol: "✓"}
	case v1alpha1.ClassPartial:
		return state{Class: "unsure", Word: "partial", Symbol: "◐"}
	case v1alpha1.ClassNotConformant:
		return state{Class: "failed", Word: "not conformant", Symbol: "✕"}
	case v1alpha1.ClassNotJudged:
		return state{Class: "skipped", Word: "not judged", Symbol: "–"}
	default:
		return state{Class: "skipped", Word: "not claimed", Symbol: "–"}
	}
}
