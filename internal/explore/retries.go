package explore

import (
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// usualPause is the longest pause of the rate limiters of controller-runtime and
	// client-go. otherPause is longer than the defaults for other languages: a minute for
	// Kopf, a few seconds for the Java Operator SDK.
	usualPause = 1000 * time.Second
	otherPause = 5 * time.Minute
	// shortestPause is the shortest constant pause that counts as a retry pause. Attempts
	// that follow each other faster, without backoff, probably cause each other: each changes
	// the status, for example. How it retries when that ends is not known.
	shortestPause = 900 * time.Millisecond
)

// findRetryPause guesses the longest retry pause from the first ones.
func (f *finder) findRetryPause() {
	pause, why := longestPause(f.retryPauses())
	switch {
	case pause > 0:
	case f.GoProgram:
		pause, why = usualPause, why+"1000s is the default of controller-runtime and of client-go: read it in the source"
	default:
		pause, why = otherPause, why+"5m is more than the defaults for other languages than Go: read it in the source"
	}
	f.Spec.Claims.Times.LongestRetryPause = metav1.Duration{Duration: pause}
	f.note("claims.times.longestRetryPause", Guessed, "%s", why)
}

// longestPause guesses the longest pause from the first ones, and says why. It returns 0 if
// they do not show it.
func longestPause(pauses []time.Duration) (longest time.Duration, why string) {
	if len(pauses) < 3 {
		return 0, ""
	}
	last, before := pauses[len(pauses)-1], pauses[len(pauses)-2]
	why = "the pauses between attempts at what failed were " + durations(pauses)
	switch {
	case last >= before*3/2:
		return 0, why + ", and grew; "
	case last < shortestPause:
		return 0, why + ", so short that one attempt may wake the next; "
	}
	return (2 * last).Round(time.Second), why + ", and grew no more: twice the last"
}

// retryPauses returns the pauses between the attempts to make a main child that was
// refused.
func (f *finder) retryPauses() []time.Duration {
	act, ok := f.act(Hinder)
	if !ok {
		return nil
	}
	var pauses []time.Duration
	var last time.Time
	for _, q := range f.during(act) {
		if !isOf(q, f.workload) || !q.Failed() || q.Fault == "" {
			continue
		}
		if !last.IsZero() {
			pauses = append(pauses, q.Time.Sub(last))
		}
		last = q.Time
	}
	return pauses
}

func durations(list []time.Duration) string {
	var words []string
	for _, d := range list {
		words = append(words, d.Round(10*time.Millisecond).String())
	}
	if len(words) > 8 {
		words = append([]string{"…"}, words[len(words)-8:]...)
	}
	return strings.Join(words, ", ")
}
