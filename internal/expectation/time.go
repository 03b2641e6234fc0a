package expectation

import (
	"errors"
	"fmt"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// Times are what bounds of time are computed from.
type Times struct {
	// Claims of the profile, which has the periods.
	Claims v1alpha1.Claims
	// Scale multiplies every bound: --timeout-scale.
	Scale float64
	// LongestPause is the longest pause between two requests that a Traffic has
	// measured. The error says why there is none.
	LongestPause func(traffic string) (time.Duration, error)
}

// Within is how long something may take. The error says which period the bound
// speaks of and the profile does not declare, or nobody has measured.
func (t Times) Within(bound v1alpha1.TimeBound) (time.Duration, error) {
	declared := t.Claims.Times
	lease := v1alpha1.LeaseTimes{}
	if declared.Lease != nil {
		lease = *declared.Lease
	} else if bound.LeaseDurations+bound.RenewDeadlines+bound.RetryPeriods > 0 {
		return 0, errors.New("the profile declares no lease timings: give claims.times.lease")
	}
	sum := bound.Plus.Seconds()
	for _, part := range []struct {
		times  float64
		period time.Duration
	}{
		{bound.LeaseDurations, lease.Duration.Duration},
		{bound.RenewDeadlines, lease.RenewDeadline.Duration},
		{bound.RetryPeriods, lease.RetryPeriod.Duration},
		{bound.LongestPauses, declared.LongestRetryPause.Duration},
		{bound.Resyncs, declared.Resync.Duration},
		{bound.ShutdownGraces, declared.ShutdownGrace.Duration},
		{bound.Silences, declared.Silence.Duration},
	} {
		sum += part.times * part.period.Seconds()
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
	return Scaled(time.Duration(sum*float64(time.Second)), t.Scale), nil
}

// Scaled is a limit of time times --timeout-scale; a scale of 0 counts as 1.
func Scaled(limit time.Duration, scale float64) time.Duration {
	if scale <= 0 {
		return limit
	}
	return time.Duration(float64(limit) * scale)
}

// CheckClaim says that a feature which an object names is none of the profile's;
// empty where it is, or no feature is named.
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
