package page

import "reconform.dev/reconform/conformance/api/v1alpha1"

// state is a verdict as it is shown: never by its colour alone.
type state struct {
	Class  string // in the style sheet, and for the filter
	Word   string
	Symbol string
}

// states in the order in which they are counted, the worst first.
func states() []state {
	return []state{
		stateOf(v1alpha1.Failed), stateOf(v1alpha1.Flaky), stateOf(v1alpha1.ResultInconclusive), stateOf(v1alpha1.Blocked),
		stateOf(v1alpha1.NotExercised), stateOf(v1alpha1.Skipped), stateOf(v1alpha1.Passed),
	}
}

func stateOf(v v1alpha1.ResultVerdict) state {
	switch v {
	case v1alpha1.Passed:
		return state{"passed", "passed", "✓"}
	case v1alpha1.Failed:
		return state{"failed", "failed", "✕"}
	case v1alpha1.Flaky:
		return state{"flaky", "flaky", "≈"}
	case v1alpha1.ResultInconclusive:
		return state{"unsure", "inconclusive", "?"}
	case v1alpha1.Blocked:
		return state{"blocked", "blocked", "⊘"}
	case v1alpha1.NotExercised:
		return state{"idle", "not exercised", "○"}
	default:
		return state{"skipped", "skipped", "–"}
	}
}

func stateOfRun(v v1alpha1.Verdict) state {
	switch v {
	case v1alpha1.Conformant:
		return state{"passed", "conformant", "✓"}
	case v1alpha1.Partial:
		return state{"passed", "partial: nothing failed, but not every core requirement was judged", "✓"}
	case v1alpha1.NotConformant:
		return state{"failed", "not conformant", "✕"}
	default:
		return state{"unsure", "inconclusive", "?"}
	}
}

func stateOfProfile(v v1alpha1.ProfileVerdict) state {
	switch v {
	case v1alpha1.ProfileConformant:
		return state{"passed", "conformant", "✓"}
	case v1alpha1.ProfilePartial:
		return state{"idle", "partial", "◐"}
	case v1alpha1.ProfileNotConformant:
		return state{"failed", "not conformant", "✕"}
	default:
		return state{"skipped", "not claimed", "–"}
	}
}
