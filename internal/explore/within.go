package explore

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/trial"
	"reconform.dev/reconform/internal/profile"
)

const (
	// waits is how long each wait of a Trial may last, beside the pauses of the controller.
	waits = 20 * time.Second
	// longestPause is the longest pause before a retry that a Trial waits for. If the pauses of a
	// controller are longer, and it has something to try again, it is judged after it was woken.
	longestPause = time.Minute
)

// recordWithin is how long each wait may last while an operation is recorded.
func recordWithin() v1alpha1.TimeBound {
	return v1alpha1.TimeBound{Plus: metav1.Duration{Duration: waits}}
}

// within returns three things about a disturbed Trial: how long each of its waits may last,
// which part of that is for pauses before a retry, and whether the controller must be woken
// if it has something to try again.
func within(p *profile.Profile) (bound v1alpha1.TimeBound, pauses metav1.Duration, wake bool) {
	bound = recordWithin()
	times := p.Spec.Claims.Times
	if resync := times.Resync.Duration; resync <= trial.LongestResync {
		bound.Plus.Duration += resync // it may look at its objects only that often
	}
	retries := times.Retries()
	pause := retries.Longest.Duration
	if retries.Factor > 1 {
		// One failure is followed by the first pause. A few requests may fail before.
		pause = min(pause, 20*retries.First.Duration)
	}
	if pause > longestPause {
		return bound, pauses, true
	}
	bound.Plus.Duration += pause
	return bound, metav1.Duration{Duration: pause}, false
}
