package trial

import (
	"context"
	"time"

	"reconform.dev/reconform/internal/record/history"
)

const (
	// steadyFor is how long the outcome must stay as it is if it is compared with
	// nothing.
	steadyFor = 2500 * time.Millisecond
	// rolledFor is how long it must stay so if the Pods of a workload are on their way. The cluster
	// may be slow; but some Pods never become ready.
	rolledFor = 10 * time.Second
	// betweenLooks is the pause between two looks while a resync is waited for, if it is not known
	// whether anything has changed. It is short: what changes between two looks cannot be told
	// apart. It is also by how much a watch may be behind.
	betweenLooks = 250 * time.Millisecond
	untilSteady  = "waiting until nothing changes any more"
	// WaitsForResync is the message of a Trial in which all is quiet, and that only waits whether
	// the subject follows somebody else's change at its next resync.
	WaitsForResync = "waiting for a resync of the subject"
	// LongestResync is the longest resync period that a Trial waits for.
	LongestResync = time.Minute
)

// settling is what is known of an outcome that may still change.
type settling struct {
	last  string    // the outcome, as JSON
	since time.Time // since when it is so
	// others is true if it was not the subject that changed it last. A subject that watches only
	// its own objects does not know of that until its next resync.
	others  bool
	looked  time.Time // when the look before began
	between bool      // more than one look was taken
	rolls   bool      // the Pods of a workload are on their way
}

// see notes an outcome. The look at it began at a time, and the subject's last write that
// changed something ended at another. Before the first look too much may have happened to say
// who was the last.
func (s *settling) see(outcome string, at, wrote time.Time) {
	if outcome != s.last {
		s.last, s.since = outcome, at
		s.others = !s.between || wrote.Before(s.looked)
	}
	if s.since.IsZero() {
		s.since = at
	}
	s.looked, s.between = at, true
}

// seeNothing notes that no version of an object has come. What has changed just now may still come.
func (s *settling) seeNothing(at time.Time) {
	if before := at.Add(-betweenLooks); before.After(s.looked) {
		s.looked = before
	}
}

// isSteady says whether the outcome has not changed for long enough.
func (s *settling) isSteady(now time.Time, resync time.Duration) bool {
	wait := steadyFor
	if s.others {
		wait += resync
	}
	if s.rolls {
		wait = max(wait, rolledFor)
	}
	return now.Sub(s.since) >= wait
}

// waitsForResync says whether all that is left is to wait for a resync.
func (s *settling) waitsForResync(now time.Time) bool {
	return s.others && !s.rolls && now.Sub(s.since) >= steadyFor
}

// steady takes the outcome once it no longer changes. If it has changed since it was as before,
// and the subject was not the last that changed it, the subject has a resync period to follow.
func (r *run) steady(ctx context.Context, before settling) error {
	r.say(untilSteady)
	now, resync := before, r.resync()
	seen := -1 // versions before the last look
	err := r.await(ctx, r.within+max(resync+steadyFor, rolledFor), "nothing changes any more", func(ctx context.Context) (bool, error) {
		at := time.Now()
		now.rolls = r.seen.isRollingOut()
		// A look costs the API server a list of each resource.
		versions, all := r.seen.count()
		switch {
		case all && versions == seen && !now.isSteady(at, resync):
			now.seeNothing(at)
			r.sayWait(now, resync)
			return false, nil
		case !all && resync > 0 && now.waitsForResync(at) && at.Sub(now.looked) < betweenLooks:
			return false, nil
		}
		seen = versions
		outcome, err := r.takeOutcome(ctx)
		if err != nil {
			return false, err
		}
		now.see(outcome, at, r.wrote())
		r.sayWait(now, resync)
		return now.isSteady(time.Now(), resync) && r.quietSince(r.began) >= quietFor, nil
	})
	// If it is late, what it was last is the outcome; another recording shows what differs.
	if err := ignore(err, isLate); err != nil {
		return err
	}
	return r.live(ctx)
}

// sayWait says what it waits for.
func (r *run) sayWait(now settling, resync time.Duration) {
	if resync > 0 && now.waitsForResync(time.Now()) {
		r.say(WaitsForResync)
	} else {
		r.say(untilSteady)
	}
}

// takeOutcome takes the outcome as it is now, and returns it as JSON.
func (r *run) takeOutcome(ctx context.Context) (string, error) {
	outcome, err := r.Outcomes.Outcome(ctx, r.namespace, r.spec.Resources)
	if err != nil {
		return "", err
	}
	r.outcome = outcome
	return outcome.JSON()
}

// wrote returns when the subject's last write that changed something ended.
func (r *run) wrote() time.Time {
	var last time.Time
	for _, write := range r.writes(r.begun) {
		if at := write.End(); write.Effect == history.EffectEffective && at.After(last) {
			last = at
		}
	}
	return last
}

// resync returns the resync period of the profile, or 0 if it is too long to wait for it.
func (r *run) resync() time.Duration {
	if period := r.Profile(r.namespace).Spec.Claims.Times.Resync.Duration; period <= LongestResync {
		return period
	}
	return 0
}
