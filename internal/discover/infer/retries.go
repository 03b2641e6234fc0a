package infer

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

const (
	// usualPause is the longest pause of the rate limiters of controller-runtime and
	// client-go. otherPause is longer than the defaults for other languages: a minute for
	// Kopf, a few seconds for the Java Operator SDK.
	usualPause = 1000 * time.Second
	otherPause = 5 * time.Minute
	// usualFirst is the first pause of the same rate limiters, usualFactor their factor.
	usualFirst  = 5 * time.Millisecond
	usualFactor = 2
	// mostFactor is the highest factor that is believed.
	mostFactor = 4
	// growth is how much longer one of the last pauses may be than another if all are meant
	// to be the same.
	growth = 1.25
	// shortestPause is the shortest constant pause that counts as a retry pause. Attempts
	// that follow each other faster, without backoff, probably cause each other: each changes
	// the status, for example. How it retries when that ends is not known.
	shortestPause = 900 * time.Millisecond
	// clearPause is a pause that a busy machine does not make much longer.
	clearPause = 4 * time.Second
	// RetryLook is how long to wait until enough attempts have come to show a schedule: a little
	// longer than the minute that Kopf waits. If no pause was seen, the schedule begins with this one.
	RetryLook = 70 * time.Second
	// retryPauses is how many pauses show a schedule.
	retryPauses = 3
	// quietPause is how long nothing must have been tried at the end of the look if the attempts
	// before it were caused by events.
	quietPause = 10 * time.Second
	// unclearPause is the first pause of a schedule that the attempts did not show.
	unclearPause = time.Minute
)

// findRetries says when the next attempt at what keeps failing is due, as far as the first
// attempts show it.
func (f *finder) findRetries() {
	times := &f.Spec.Claims.Times
	attempts := f.failedAttempts()
	pauses := pausesBetween(attempts)
	retry, why := schedule(pauses)
	if _, tried := f.act(Hinder); !tried {
		why = "no failure was tried"
	}
	if retry.Guessed {
		const until = "As long as the profile says guessed, a requirement that waits in vain for another attempt is inconclusive"
		if len(attempts) > 0 {
			f.Doubts = append(f.Doubts, Doubt{Path: "claims.times.retry", Declared: true, Text: fmt.Sprintf(
				"the answer to %s was %d, and the controller did not try again in %s: does it drop the error? A failed write must be tried again until it succeeds. "+
					"If it tries again later than that, write when, for example: retry: {first: 5m, factor: 1, longest: 5m}. "+until, attempts[0].InWords(), attempts[0].Code, RetryLook)})
		} else {
			f.ask("claims.times.retry", "guessed: true, as the schedule is not known: does it try again at all, and after how long? "+until)
		}
		times.Retry = &retry
		f.note("claims.times.retry", Guessed, "%s", why)
		return
	}
	if retry.Factor == 1 {
		times.LongestRetryPause = retry.Longest
		f.note("claims.times.longestRetryPause", Guessed, "%s", why)
		return
	}
	switch {
	case retry.Longest.Duration > 0:
		why += fmt.Sprintf("; longest is the time of the look (%s), in which no other attempt came", RetryLook)
	case f.GoProgram:
		retry.Longest.Duration = usualPause
		why += "; longest is the default of controller-runtime and of client-go"
	default:
		retry.Longest.Duration = otherPause
		why += "; longest is more than the defaults for other languages than Go"
	}
	times.Retry = &retry
	f.note("claims.times.retry", Guessed, "%s", why)
	if len(pauses) < retryPauses {
		if retry.Longest.Duration == RetryLook {
			f.Doubts = append(f.Doubts, Doubt{Path: "claims.times.retry", Declared: true, Text: fmt.Sprintf(
				"after %d attempts at what failed, no other one came in %s: does it give up? A failed write must be tried again until it succeeds. "+
					"If it tries again later, write when: first is the pause after the first failure, and longest is the pause when it grows no more. "+
					"If one is too short, a run accuses; if it is too long, a run takes longer", len(pauses)+1, RetryLook)})
			return
		}
		f.ask("claims.times.retry", "first is a guess, as only %d attempts were seen: how long after the first failure is the next attempt due? "+
			"If first is too short, a run accuses; if it is too long, a run takes longer", len(pauses)+1)
	}
	f.ask("claims.times.retry", "longest was not seen: the time between two attempts at what keeps failing, when the pauses grow no more. "+
		"A requirement that makes something fail waits for the pause that is due by this schedule. If it is too long, a run takes longer, and passes a controller that retries late. If it is too short, a run accuses. "+
		"It is the maximum of the rate limiter of its work queue in the source, or shows in its log while a write keeps being refused (by a ResourceQuota, for example). "+
		"After a run, measured in the report has the longest pause that was seen")
}

// schedule guesses a schedule from its first pauses, and says why. Its longest pause is only
// known in two cases. One is that all pauses are the same. The other is that the look was
// long enough for the next attempt of such a schedule, and none came: then there may be no
// schedule at all, as the attempts that were seen were due to events. (The look is shorter
// than [RetryLook] only if [ShowSchedule] is true.)
func schedule(pauses []time.Duration) (retry v1alpha1.RetrySchedule, why string) {
	unknown := v1alpha1.RetrySchedule{First: metav1.Duration{Duration: unclearPause}, Factor: usualFactor}
	if len(pauses) == 0 {
		look := metav1.Duration{Duration: RetryLook}
		return v1alpha1.RetrySchedule{First: look, Factor: 1, Longest: look, Guessed: true}, fmt.Sprintf("no second attempt at what failed was seen in %s", RetryLook)
	}
	why = "the pauses between attempts at what failed were " + durations(pauses)
	last := pauses[len(pauses)-1]
	if len(pauses) < retryPauses {
		unknown.First.Duration = (2 * max(last, shortestPause)).Round(time.Second)
		if next := unknown.First.Duration.Seconds() * math.Pow(unknown.Factor, float64(len(pauses)+1)); sum(pauses).Seconds()+next < RetryLook.Seconds() {
			unknown.Longest.Duration = RetryLook
		}
		return unknown, why + ", too few to see whether they grow"
	}
	lastOnes, half := pauses[len(pauses)-retryPauses:], len(pauses)/2
	switch {
	case alike(lastOnes) && last >= shortestPause:
		constant := metav1.Duration{Duration: (2 * last).Round(time.Second)}
		return v1alpha1.RetrySchedule{First: constant, Factor: 1, Longest: constant}, why + ", and grew no more: twice the last"
	case slices.Max(pauses[half:]) >= 2*slices.Max(pauses[:half]):
		first := max(usualFirst, slices.Min(pauses).Round(time.Millisecond))
		return v1alpha1.RetrySchedule{First: metav1.Duration{Duration: first}, Factor: factorOf(pauses)}, why + ", and grew"
	case last < shortestPause && sum(pauses) < RetryLook-quietPause:
		unknown.First.Duration, unknown.Longest.Duration = (2 * shortestPause).Round(time.Second), RetryLook
		return unknown, why + ", and then there were none: events may have caused them"
	case last < shortestPause:
		return unknown, why + ", so short that one attempt may wake the next"
	}
	unknown.First.Duration = (2 * slices.Max(pauses)).Round(time.Second)
	return unknown, why + ", which is not a schedule that is known here"
}

// ShowSchedule tells whether attempts show a schedule: there are enough, their last pause is
// longer than those between attempts that events cause, and it continues what the two before
// it began. So the last three are the same, or each of the last two is longer than the one
// before it by about the same factor. A pause of [clearPause] is enough if it is longer than
// the one before it: a schedule with much jitter never shows the same factor twice.
func ShowSchedule(attempts []time.Time) bool {
	var pauses []time.Duration
	for n := 1; n < len(attempts); n++ {
		pauses = append(pauses, attempts[n].Sub(attempts[n-1]))
	}
	n := len(pauses)
	if n < retryPauses || pauses[n-1] < shortestPause {
		return false
	}
	if alike(pauses[n-2:]) {
		return alike(pauses[n-3:])
	}
	before, after := ratio(pauses[n-2], pauses[n-3]), ratio(pauses[n-1], pauses[n-2])
	return pauses[n-1] >= clearPause ||
		min(before, after) >= growth && max(before, after) <= min(mostFactor, growth*min(before, after))
}

// ratio returns by how much a pause is longer than the one before it.
func ratio(pause, before time.Duration) float64 {
	return float64(pause) / float64(max(before, time.Millisecond))
}

func sum(pauses []time.Duration) (all time.Duration) {
	for _, pause := range pauses {
		all += pause
	}
	return all
}

// alike says whether no pause is much longer than another.
func alike(pauses []time.Duration) bool {
	return float64(slices.Max(pauses)) < growth*float64(slices.Min(pauses))
}

// factorOf returns by how much pauses grow. It compares the last pause that was longer than
// all before it with the one before it of that kind. Events may lead to attempts in between;
// each of these makes the next pause longer, too.
func factorOf(pauses []time.Duration) float64 {
	longest, at, factor := max(pauses[0], time.Millisecond), 0, float64(usualFactor)
	for n, pause := range pauses {
		if pause > longest {
			factor = math.Pow(float64(pause)/float64(longest), 1/float64(n-at))
			longest, at = pause, n
		}
	}
	return min(max(usualFactor, math.Ceil(2*factor-0.2)/2), mostFactor)
}

// failedAttempts returns the attempts to make a main child that was refused.
func (f *finder) failedAttempts() (attempts []history.Request) {
	act, ok := f.act(Hinder)
	if !ok {
		return nil
	}
	for _, q := range f.during(act) {
		if isOf(q, f.workload) && q.Failed() && q.Fault != "" {
			attempts = append(attempts, q)
		}
	}
	return attempts
}

func pausesBetween(attempts []history.Request) (pauses []time.Duration) {
	for n := 1; n < len(attempts); n++ {
		pauses = append(pauses, attempts[n].Time.Sub(attempts[n-1].Time))
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

// doubtEnding says that the process ended while writes were refused. What seems to be a
// schedule of retries is then that of its restarts.
func (f *finder) doubtEnding() {
	act, tried := f.act(Hinder)
	if !tried {
		return
	}
	count, last := 0, ""
	for _, e := range f.Account.Events {
		if e.Reason == history.ReplicaCrashed && e.Seq > act.AfterSeq && e.Seq <= act.UntilSeq {
			count, last = count+1, e.Message
		}
	}
	if count == 0 {
		return
	}
	path := "claims.times.retry"
	if f.Spec.Claims.Times.Retry == nil {
		path = "claims.times.longestRetryPause"
	}
	f.doubt(path, "the creation of its %s was refused, and the process ended by itself %s: %s. So one object that cannot be made stops the work for all others, and the pauses that were seen are those between its restarts. Many requirements judge that. "+
		"Catch the error, log it, go on with the next object, and try again after a pause", f.workload.Kind, times(count), last)
}
