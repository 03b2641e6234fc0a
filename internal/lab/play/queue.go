package play

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"reconform.dev/reconform/internal/profile/expectation"
)

const (
	// pretended is how long each reconcile takes.
	pretended = 400 * time.Millisecond
	// promptly is how long a change may wait for a worker that is free.
	promptly = 3 * time.Second
)

// queue checks what happens to a key while a reconcile takes long.
func queue() play {
	return play{arguments: []string{"--pretend-work=" + pretended.String()}, apart: map[string]bool{"queue/at-once": true}, rules: []rule{
		{"queue/worker", `prints "Started NAMESPACE/NAME", "Sees …" and "Finished …" for a WebApp that is created`, worker},
		{"queue/coalesced", "handles ten changes that come during one reconcile by one or two more, and sees the last one", coalesced},
		{"queue/at-once", fmt.Sprintf("begins to work on one more change within %s, however many there were before", promptly), changedOnceMore},
		{"queue/one-at-a-time", "never works twice on the same WebApp at the same time", oneAtATime},
		{"queue/side-by-side", "works on two WebApps at the same time", sideBySide},
		{"queue/gone", `prints "Sees NAMESPACE/NAME: gone" for one that is deleted`, gone},
		{"queue/tombstone", `prints "Sees NAMESPACE/NAME: gone" for one that was deleted while the watch was broken`, goneInGap},
	}}
}

func worker(ctx context.Context, s *stage) error {
	if err := s.create(ctx, "first"); err != nil {
		return err
	}
	for _, word := range []string{"Started", "Sees", "Finished"} {
		if err := s.expect(ctx, word, "first", 0); err != nil {
			return err
		}
	}
	lines := s.lines()
	if count(lines, s.about("Sees", "first")) == count(lines, s.seesGone("first")) {
		return &unmet{found: fmt.Sprintf("the line \"Sees %s/first\" says \"gone\", and that WebApp exists", s.namespace)}
	}
	return nil
}

// seesGone matches the line about a WebApp that a reconcile does not find.
func (s *stage) seesGone(name string) *regexp.Regexp {
	return regexp.MustCompile(s.about("Sees", name).String() + `.*\bgone\b`)
}

// expectGone waits for the line about a WebApp that was deleted.
func (s *stage) expectGone(ctx context.Context, name string) error {
	sees := s.seesGone(name)
	return s.expectThat(ctx, fmt.Sprintf(`no line "Sees %s/%s: gone"`, s.namespace, name), func(lines []string) bool {
		return count(lines, sees) > 0
	})
}

func coalesced(ctx context.Context, s *stage) error {
	const last = 13
	started := s.about("Started", "first")
	before := count(s.lines(), started)
	began := time.Now()
	for replicas := 3; replicas <= last; replicas++ {
		if err := s.scale(ctx, "first", replicas); err != nil {
			return err
		}
	}
	// The first change may find a running reconcile, one may run when the last change comes,
	// and one follows; a whole controller has a few more, for what it has changed itself. On a
	// slow machine there is time for more reconciles before the last change.
	most := 7 + int(time.Since(began)/pretended)
	sees := regexp.MustCompile(s.about("Sees", "first").String() + fmt.Sprintf(`.*\b%d\b`, last))
	if err := s.expectThat(ctx, fmt.Sprintf(`no line "Sees %s/first" with replicas %d`, s.namespace, last), func(lines []string) bool {
		return count(lines, sees) > 0
	}); err != nil {
		return err
	}
	if err := s.rested(ctx, "first"); err != nil {
		return err
	}
	if n := count(s.lines(), started) - before; n > most {
		return &unmet{found: fmt.Sprintf("%d reconciles of %s/first were started for 11 changes that came at once, want a few", n, s.namespace)}
	}
	return nil
}

// changedOnceMore changes a WebApp that nobody works on. A queue that counts the changes as
// if they were failures lets it wait.
func changedOnceMore(ctx context.Context, s *stage) error {
	if err := s.rested(ctx, "first"); err != nil {
		return err
	}
	started := s.about("Started", "first")
	before, began := count(s.lines(), started), time.Now()
	if err := s.scale(ctx, "first", 2); err != nil {
		return err
	}
	const done = "WebApp first was at rest, and was changed once more"
	if err := told(s.expect(ctx, "Started", "first", before), done); err != nil {
		return err
	}
	took := time.Since(began)
	if took <= expectation.Scaled(promptly, max(1, s.factor)) {
		return nil
	}
	if s.answeredSlowly(began, time.Now()) {
		return errTooSlow
	}
	return &unmet{found: fmt.Sprintf("%s: the work began only %s later; %s", done, rounded(took), s.lastWords(6))}
}

func oneAtATime(ctx context.Context, s *stage) error {
	if err := s.finished(ctx, "first"); err != nil {
		return err
	}
	running := 0
	for _, line := range s.lines() {
		if s.about("Started", "first").MatchString(line) {
			running++
		} else if s.about("Finished", "first").MatchString(line) {
			running--
		}
		if running > 1 {
			return &unmet{found: fmt.Sprintf("%s/first was started again before it was finished", s.namespace)}
		}
	}
	return nil
}

// rested waits until each started reconcile of a WebApp has finished, and no other has been
// started for as long as one takes.
func (s *stage) rested(ctx context.Context, name string) error {
	started, finished := s.about("Started", name), s.about("Finished", name)
	last, since := 0, time.Now()
	return s.expectThat(ctx, fmt.Sprintf("%s/%s is reconciled again and again, and has not come to rest", s.namespace, name), func(lines []string) bool {
		if n := count(lines, started); n != last {
			last, since = n, time.Now()
		}
		return count(lines, finished) == last && time.Since(since) > 2*pretended
	})
}

// finished waits until each started reconcile of a WebApp has finished.
func (s *stage) finished(ctx context.Context, name string) error {
	started, finished := s.about("Started", name), s.about("Finished", name)
	return s.expectThat(ctx, fmt.Sprintf("a reconcile of %s/%s was started and not finished", s.namespace, name), func(lines []string) bool {
		return count(lines, started) == count(lines, finished)
	})
}

// sideBySide creates two WebApps at once. If the machine was so slow that the first may
// have been done before the second came, it changes both once more. It does so, too, if one
// was finished long after the other: on a busy machine a sound controller may be so late,
// but not each time.
func sideBySide(ctx context.Context, s *stage) error {
	const attempts = 5
	late := 0
	var apart time.Duration
	for attempt := range attempts {
		before := map[string]int{}
		began := time.Now()
		for _, name := range []string{"second", "third"} {
			before[name] = count(s.lines(), s.about("Finished", name))
			if err := s.scaleOrCreate(ctx, name, attempt); err != nil {
				return err
			}
		}
		took := time.Since(began)
		var err error
		if apart, err = s.finishedApart(ctx, before); err != nil {
			return err
		}
		switch overlap, atOnce := s.overlap("second", "third"), took < pretended/2; {
		case overlap && apart < pretended*3/4:
			return nil
		case !overlap && atOnce:
			return &unmet{found: "WebApps second and third were created at the same time, and one was started only when the other was finished"}
		case overlap && atOnce && !s.answeredSlowly(began, time.Now()):
			late++
		}
	}
	if late < attempts {
		return errTooSlow
	}
	return &unmet{found: fmt.Sprintf("WebApps second and third were started at the same time, each needs %s, and one was finished %s after the other, %d times in a row: the work of one has waited for that of the other",
		pretended, apart.Round(10*time.Millisecond), late)}
}

// finishedApart waits until each WebApp has been finished once more than before, and returns
// the time between the first and the last of them.
func (s *stage) finishedApart(ctx context.Context, before map[string]int) (time.Duration, error) {
	var first, last time.Time
	done := map[string]bool{}
	names := slices.Sorted(maps.Keys(before))
	err := s.expectThat(ctx, "no line \"Finished\" for each of "+strings.Join(names, ", "), func(lines []string) bool {
		for _, name := range names {
			if !done[name] && count(lines, s.about("Finished", name)) > before[name] {
				done[name], last = true, time.Now()
				if first.IsZero() {
					first = last
				}
			}
		}
		return len(done) == len(names)
	})
	return last.Sub(first), err
}

// scaleOrCreate creates a WebApp at the first attempt, and changes it at later ones.
func (s *stage) scaleOrCreate(ctx context.Context, name string, attempt int) error {
	if attempt == 0 {
		return s.create(ctx, name)
	}
	return s.scale(ctx, name, 10+attempt)
}

// overlap tells whether the controller worked on two WebApps at the same time.
func (s *stage) overlap(one, other string) bool {
	running := map[string]bool{}
	for _, line := range s.lines() {
		for _, name := range []string{one, other} {
			if s.about("Started", name).MatchString(line) {
				running[name] = true
			} else if s.about("Finished", name).MatchString(line) {
				running[name] = false
			}
		}
		if running[one] && running[other] {
			return true
		}
	}
	return false
}

func gone(ctx context.Context, s *stage) error {
	if err := s.remove(ctx, "second"); err != nil {
		return err
	}
	if err := s.expectGone(ctx, "second"); err != nil {
		return err
	}
	// The deletions of its children lead to looks, too. Retries would go on, so they are more.
	const most = 5
	if err := s.rested(ctx, "second"); err != nil {
		return err
	}
	if n := count(s.lines(), s.seesGone("second")); n > most {
		return &unmet{found: fmt.Sprintf("%s/second is gone, and was looked at %d times since", s.namespace, n)}
	}
	before := count(s.lines(), s.about("Finished", "second"))
	if err := s.create(ctx, "second"); err != nil {
		return err
	}
	return told(s.expect(ctx, "Finished", "second", before), "WebApp second was deleted, and another of that name was created")
}

func goneInGap(ctx context.Context, s *stage) error {
	if err := s.loseDeletion(ctx, func() error { return s.remove(ctx, "third") }); err != nil {
		return err
	}
	if err := told(s.expectGone(ctx, "third"), "WebApp third was deleted while the watch was broken"); err != nil {
		return err
	}
	if err := s.create(ctx, "fourth"); err != nil {
		return err
	}
	return told(s.expect(ctx, "Finished", "fourth", 0), "two WebApps were deleted, and one was created after that")
}
