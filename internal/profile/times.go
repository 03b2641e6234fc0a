package profile

import (
	"time"

	"reconform.dev/reconform/internal/profile/strictyaml"
)

// durations are the fields that are only strings in the schema.
var durations = []string{
	"longestRetryPause", "retry.first", "retry.longest", "resync", "shutdownGrace", "silence",
	"lease.duration", "lease.renewDeadline", "lease.retryPeriod",
}

// longestTime is the longest time that a profile may declare: a week. Time limits are
// computed from these times.
const longestTime = 7 * 24 * time.Hour

// timesField is where they are.
const timesField = "spec.claims.times."

func checkDurations(d *strictyaml.Document) strictyaml.Problems {
	var problems strictyaml.Problems
	for _, name := range durations {
		value, given := lookup(d.Object, timesField+name)
		text, isString := value.(string)
		if !given || !isString {
			continue
		}
		switch duration, err := time.ParseDuration(text); {
		case err != nil:
			problems = append(problems, d.Problem(timesField+name, "%q is not a duration; allowed: numbers with a unit, such as 500ms, 30s, 1m30s", text))
		case duration < 0 || duration > longestTime:
			problems = append(problems, d.Problem(timesField+name, "%q is out of range; allowed: 0s to %s", text, longestTime))
		}
	}
	return problems
}

const (
	longestPause  = "spec.claims.times.longestRetryPause"
	retrySchedule = "spec.claims.times.retry"
)

// checkPauseGiven says that a profile declares no pause between two attempts, or declares
// it in two ways.
func checkPauseGiven(d *strictyaml.Document) strictyaml.Problems {
	_, longest := lookup(d.Object, longestPause)
	_, schedule := lookup(d.Object, retrySchedule)
	switch {
	case longest && schedule:
		return strictyaml.Problems{d.Problem(longestPause, "is given beside retry, which has its own longest: give one of the two")}
	case !longest && !schedule:
		return strictyaml.Problems{d.Problem(longestPause, "is required: how long is the longest pause between two attempts at what keeps failing? "+
			"Write a time such as 30s; or, if the pauses grow, "+
			"retry: {first: 5ms, factor: 2, longest: 1000s}, which is the default of controller-runtime and of client-go's rate limiter")}
	}
	return nil
}

// checkRetries says what is wrong with the declared pauses between two attempts.
func (c *checker) checkRetries() {
	switch retry, times := c.Spec.Claims.Times.Retry, c.Spec.Claims.Times; {
	case retry == nil && times.LongestRetryPause.Duration == 0:
		c.add(longestPause, "must be longer than 0s")
	case retry == nil:
	case retry.First.Duration <= 0:
		c.add(retrySchedule+".first", "must be longer than 0s")
	case retry.Longest.Duration < retry.First.Duration:
		c.add(retrySchedule+".longest", "must not be shorter than first, %s", retry.First.Duration)
	}
}

func (c *checker) checkTimes() {
	times := c.Spec.Claims.Times
	c.checkRetries()
	if times.ShutdownGrace.Duration == 0 {
		c.add("spec.claims.times.shutdownGrace", "must be longer than 0s")
	}
	lease := times.Lease
	if lease == nil {
		return
	}
	if lease.RetryPeriod.Duration <= 0 {
		c.add("spec.claims.times.lease.retryPeriod", "must be longer than 0s")
	}
	if lease.RenewDeadline.Duration <= lease.RetryPeriod.Duration {
		c.add("spec.claims.times.lease.renewDeadline", "must be longer than the retryPeriod, %s", lease.RetryPeriod.Duration)
	}
	if lease.Duration.Duration <= lease.RenewDeadline.Duration {
		c.add("spec.claims.times.lease.duration", "must be longer than the renewDeadline, %s", lease.RenewDeadline.Duration)
	}
}
