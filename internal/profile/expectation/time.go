package expectation

import (
	"errors"
	"fmt"
	"math"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// Times has the times from which time limits are computed.
type Times struct {
	// Claims of the profile, which has the periods.
	Claims v1alpha1.Claims
	// Scale multiplies every time limit: --timeout-scale.
	Scale float64
	// LongestPause returns the longest pause between two requests that a Traffic has
	// measured. The error says why there is none.
	LongestPause func(traffic string) (time.Duration, error)
	// Failing returns for how long the controller may have been failing, and how many attempts
	// to serve one object had failed. Both are counted up to the time began, or up to the last
	// time between began and until when a Fault hit one of its requests. If it is nil, every
	// pause may be the longest.
	Failing func(began, until time.Time) (long time.Duration, times int)
	// LastFailure returns when the last request of the controller failed, or a time before
	// the first request if none has. If it is nil, a bound of attempts is longestPauses.
	LastFailure func() time.Time
}

// Within returns how long something may take that began at a time. It is longer if a Fault
// hits a request after that. The error says which period the bound needs, but the profile
// does not declare, or nobody has measured.
func (t Times) Within(bound v1alpha1.TimeBound, began time.Time) (time.Duration, error) {
	declared := t.Claims.Times
	lease := v1alpha1.LeaseTimes{}
	if declared.Lease != nil {
		lease = *declared.Lease
	} else if bound.LeaseDurations+bound.RenewDeadlines+bound.RetryPeriods > 0 {
		return 0, errors.New("the profile declares no lease timings: give claims.times.lease")
	}
	sum, kept := bound.Plus.Seconds()+bound.Resyncs*declared.Resync.Seconds(), 0.0
	type part struct {
		times  float64
		period time.Duration
	}
	for _, part := range []part{
		{bound.LeaseDurations, lease.Duration.Duration},
		{bound.RenewDeadlines, lease.RenewDeadline.Duration},
		{bound.RetryPeriods, lease.RetryPeriod.Duration},
		{bound.ShutdownGraces, declared.ShutdownGrace.Duration},
		{bound.Silences, declared.Silence.Duration},
	} {
		kept += part.times * part.period.Seconds()
	}
	if measured := bound.Measured; measured != nil {
		pause, err := t.LongestPause(measured.Of)
		if err != nil {
			return 0, fmt.Errorf("measured.of: %w", err)
		}
		sum += measured.LongestPauses * pause.Seconds()
	}
	if qps := t.Claims.ClientQPS; qps > 0 {
		sum += bound.ClientRequests / float64(qps)
	}
	if bound.LongestPauses > 0 {
		// A controller without pauses meets the limit, too. So what hinders it is over by then.
		over := began.Add(Scaled(seconds(kept+sum), t.Scale))
		sum += bound.LongestPauses * t.longestPause(began, over).Seconds()
	}
	if bound.Attempts > 0 {
		sum += t.attempts(bound.Attempts, began).Seconds()
	}
	if t.Scale > 0 && t.Scale < 1 {
		// A standby cannot be quicker than its Lease allows, and a running reconcile may take
		// the whole grace period.
		return seconds(kept) + Scaled(seconds(sum), t.Scale), nil
	}
	return Scaled(seconds(kept+sum), t.Scale), nil
}

const (
	// leastPause is the shortest longest pause of a schedule that is waited for, so that a
	// busy machine does not decide.
	leastPause = 10 * time.Second
	// jitter is how much longer than its schedule a pause may be. Many schedules add up to
	// half at random.
	jitter = 1.5
)

// longestPause returns the longest pause between two attempts that is possible so far. It is
// the larger of two. If only time leads to the next attempt, all pauses since the first
// failure are together at most as long as the controller has been failing: so the next one
// is at most (factor - 1) times as long as that time, and the first pause. But an event
// leads to an attempt at once, and if that fails, the next pause grows all the same: so it
// is also the first pause, made longer by factor for each attempt that failed.
func (t Times) longestPause(began, until time.Time) time.Duration {
	retry := t.Claims.Times.Retries()
	if retry.Factor <= 1 || t.Failing == nil {
		return retry.Longest.Duration
	}
	long, times := t.Failing(began, until)
	next := max(jitter*((retry.Factor-1)*long.Seconds()+retry.First.Seconds()), afterTimes(retry, times))
	pause := min(math.Ceil(next), retry.Longest.Seconds())
	return min(retry.Longest.Duration, max(leastPause, seconds(pause)))
}

// attempts returns how long some attempts may take that began at a time. It is longer each
// time that one fails.
func (t Times) attempts(number int32, began time.Time) time.Duration {
	pause := t.longestPause(began, time.Now())
	all := time.Duration(number) * pause
	if t.LastFailure == nil {
		return all
	}
	return min(all, max(0, t.LastFailure().Sub(began))+pause)
}

// afterTimes returns the longest pause, in seconds, of a growing schedule after some attempts
// that failed. It allows for one attempt more, of which nobody knows, or for the jitter.
func afterTimes(retry v1alpha1.RetrySchedule, times int) float64 {
	if times == 0 {
		return 0
	}
	return retry.First.Seconds() * math.Pow(retry.Factor, float64(times-1)) * max(jitter, retry.Factor)
}

func seconds(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }

// least is the shortest limit after scaling, because sound controllers need that long.
const least = 3 * time.Second

// Scaled multiplies a time limit by --timeout-scale. A scale of 0 counts as 1.
func Scaled(limit time.Duration, scale float64) time.Duration {
	switch scaled := time.Duration(float64(limit) * scale); {
	case scale <= 0:
		return limit
	case scale < 1:
		return max(scaled, min(limit, least))
	default:
		return scaled
	}
}

// CheckClaim says that the profile does not claim the feature that an object names. It
// returns "" if it does, or if no feature is named.
func CheckClaim(claims v1alpha1.Claims, feature v1alpha1.Feature) string {
	if feature == "" {
		return ""
	}
	for _, claimed := range claims.Features {
		if claimed == feature {
			return ""
		}
	}
	return fmt.Sprintf("the profile does not claim %s", feature)
}
