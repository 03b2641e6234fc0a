package profile

import (
	"time"

	"reconform.dev/reconform/internal/document"
)

// durations are the fields that are only strings in the schema.
var durations = []string{
	"longestRetryPause", "resync", "shutdownGrace", "silence",
	"lease.duration", "lease.renewDeadline", "lease.retryPeriod",
}

// longestTime is the longest time that a profile may declare: a week. Time limits are
// computed from these times.
const longestTime = 7 * 24 * time.Hour

func checkDurations(d *document.Document) document.Problems {
	var problems document.Problems
	for _, name := range durations {
		value, given := lookup(d.Object, "spec.claims.times."+name)
		text, isString := value.(string)
		if !given || !isString {
			continue
		}
		switch duration, err := time.ParseDuration(text); {
		case err != nil:
			problems = append(problems, d.Problem("spec.claims.times."+name, "%q is not a duration; allowed: numbers with a unit, such as 500ms, 30s, 1m30s", text))
		case duration < 0 || duration > longestTime:
			problems = append(problems, d.Problem("spec.claims.times."+name, "%q is out of range; allowed: 0s to %s", text, longestTime))
		}
	}
	return problems
}

func (c *checker) checkTimes() {
	times := c.Spec.Claims.Times
	if times.LongestRetryPause.Duration == 0 {
		c.add("spec.claims.times.longestRetryPause", "must be longer than 0s")
	}
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
