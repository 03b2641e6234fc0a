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
	// workers is how many reconciles the controller may run at the same time.
	workers = 2
	// crowded is how many WebApps are created at once: some of them wait for a worker.
	crowded = 6
)

// queue checks what happens to a key while a reconcile takes long.
func queue() play {
	return play{arguments: []string{"--pretend-work=" + pretended.String(), fmt.Sprintf("--workers=%d", workers)}, apart: map[string]bool{"queue/at-once": true, "queue/meanwhile": true, "queue/bounded": true}, rules: []rule{
		{"queue/worker", `prints "Started NAMESPACE/NAME", "Sees …" and "Finished …" for a WebApp that is created`, worker},
		{"queue/coalesced", "handles ten changes that come during one reconcile by one or two more, and sees the last one", coalesced},
		{"queue/at-once", fmt.Sprintf("begins to work on one more change within %s, however many there were before", promptly), changedOnceMore},
		{"queue/meanwhile", "looks once more at a WebApp that is changed after the look into the cache, and before the work on it has ended", meanwhile},
		{"queue/one-at-a-time", "never works twice on the same WebApp at the same time", oneAtATime},
		{"queue/side-by-side", "works on two WebApps at the same time, and lets no worker be idle while one waits", sideBySide},
		{"queue/bounded", "works on no more WebApps at the same time than --workers says", bounded},
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
	if err := s.expectReplicas(ctx, "first", last); err != nil {
		return err
	}
	if err := s.rested(ctx, "first"); err != nil {
		return err
	}
	if n := count(s.lines(), started) - before; n > most {
		return &unmet{found: fmt.Sprintf("%d reconciles of %s/first were started for 11 changes that came at once, and a few would do", n, s.namespace)}
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

// meanwhile changes a WebApp after a reconcile has looked at it, and before that has ended. If
// the event is lost, nobody sees the change.
func meanwhile(ctx context.Context, s *stage) error {
	const attempts = 5
	began := time.Now()
	for attempt := range attempts {
		if err := s.rested(ctx, "first"); err != nil {
			return err
		}
		// Numbers that the WebApp has not had before.
		looked, changed := 20+2*attempt, 21+2*attempt
		if err := s.scale(ctx, "first", looked); err != nil {
			return err
		}
		if err := s.expectReplicas(ctx, "first", looked); err != nil {
			return err
		}
		if err := s.scale(ctx, "first", changed); err != nil {
			return err
		}
		if s.endedAfterLook("first", looked) {
			continue // The change may have come after the end.
		}
		return told(s.expectReplicas(ctx, "first", changed),
			fmt.Sprintf("WebApp first was changed while a reconcile of it ran, which had just read it: replicas %d, and then %d", looked, changed))
	}
	if s.answeredSlowly(began, time.Now()) {
		return errTooSlow
	}
	return &unmet{found: fmt.Sprintf("the line \"Finished %s/first\" came right after \"Sees\", %d times in a row: half of the time that --pretend-work says must pass after the look into the cache; %s",
		s.namespace, attempts, s.lastWords(6))}
}

// sees matches the line about a WebApp with a number of replicas.
func (s *stage) sees(name string, replicas int) *regexp.Regexp {
	return regexp.MustCompile(s.about("Sees", name).String() + fmt.Sprintf(`.*\b%d\b`, replicas))
}

// expectReplicas waits for the line about a WebApp with a number of replicas.
func (s *stage) expectReplicas(ctx context.Context, name string, replicas int) error {
	sees := s.sees(name, replicas)
	return s.expectThat(ctx, fmt.Sprintf(`no line "Sees %s/%s" with replicas %d`, s.namespace, name, replicas), func(lines []string) bool {
		return count(lines, sees) > 0
	})
}

// endedAfterLook tells whether a reconcile has ended that saw a WebApp with a number of replicas.
func (s *stage) endedAfterLook(name string, replicas int) bool {
	lines := s.lines()
	look := slices.IndexFunc(lines, s.sees(name, replicas).MatchString)
	return look >= 0 && count(lines[look:], s.about("Finished", name)) > 0
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

// sideBySide looks at two WebApps, and then at more of them than there are workers.
func sideBySide(ctx context.Context, s *stage) error {
	if err := twoAtOnce(ctx, s); err != nil {
		return err
	}
	return crowdAtOnce(ctx, s)
}

// crowdAtOnce creates several WebApps at once. As many as were worked on at the same time must
// be worked on as long as some wait: a worker that takes all that wait makes them wait for each
// other. On a busy machine a sound controller may be late, but not each time.
func crowdAtOnce(ctx context.Context, s *stage) error {
	const attempts = 5
	late := 0
	var b burst
	var most time.Duration
	workers := 0
	var names []string
	for n := range crowded {
		names = append(names, fmt.Sprintf("crowd-%d", n))
	}
	for attempt := range attempts {
		printed := len(s.lines())
		var err error
		if b, err = s.burst(ctx, names, attempt); err != nil {
			return err
		}
		workers = s.most(names, printed)
		rounds := (crowded + workers - 1) / workers
		if most = time.Duration(rounds-1)*pretended + pretended*3/4; b.apart <= most {
			return nil
		}
		if b.atOnce() && !s.answeredSlowly(b.began, time.Now()) {
			late++
		}
	}
	if late < attempts {
		return errTooSlow
	}
	return &unmet{found: fmt.Sprintf("%d WebApps were created at once, each needs %s, and %d were worked on at the same time. The last was finished %s after the first, where %s would do, %d times in a row: "+
		"a worker was idle while others waited, as they do if one worker takes all that are in the queue",
		crowded, pretended, workers, b.apart.Round(10*time.Millisecond), most.Round(10*time.Millisecond), late)}
}

// bounded creates more WebApps at once than there are workers.
func bounded(ctx context.Context, s *stage) error {
	var names []string
	for n := range crowded {
		names = append(names, fmt.Sprintf("throng-%d", n))
	}
	printed := len(s.lines())
	if _, err := s.burst(ctx, names, 0); err != nil {
		return err
	}
	if most := s.most(names, printed); most > workers {
		return &unmet{found: fmt.Sprintf("it was started with --workers=%d, %d WebApps were created at once, and %d of them were worked on at the same time", workers, crowded, most)}
	}
	return nil
}

// most returns how many of some WebApps were worked on at the same time, at least one, since a
// number of lines had been printed.
func (s *stage) most(names []string, printed int) int {
	lines, running, most := s.lines()[printed:], 0, 1
	change := make([]int, len(lines)) // of how many are worked on, by each line
	for _, name := range names {
		started, finished := s.about("Started", name), s.about("Finished", name)
		for n, line := range lines {
			if started.MatchString(line) {
				change[n]++
			} else if finished.MatchString(line) {
				change[n]--
			}
		}
	}
	for _, by := range change {
		running += by
		most = max(most, running)
	}
	return most
}

// twoAtOnce creates two WebApps at once. If the machine was so slow that the first may
// have been done before the second came, it changes both once more. It does so, too, if one
// was finished long after the other: on a busy machine a sound controller may be so late,
// but not each time.
func twoAtOnce(ctx context.Context, s *stage) error {
	const attempts = 5
	late := 0
	var b burst
	for attempt := range attempts {
		var err error
		if b, err = s.burst(ctx, []string{"second", "third"}, attempt); err != nil {
			return err
		}
		switch overlap := s.overlap("second", "third"); {
		case overlap && b.apart < pretended*3/4:
			return nil
		case !overlap && b.atOnce():
			return &unmet{found: "WebApps second and third were created at the same time, and one was started only when the other was finished"}
		case overlap && b.atOnce() && !s.answeredSlowly(b.began, time.Now()):
			late++
		}
	}
	if late < attempts {
		return errTooSlow
	}
	return &unmet{found: fmt.Sprintf("WebApps second and third were started at the same time, each needs %s, and one was finished %s after the other, %d times in a row: the work of one has waited for that of the other",
		pretended, b.apart.Round(10*time.Millisecond), late)}
}

// burst is what was seen of some WebApps that were created or changed one right after the other.
type burst struct {
	began time.Time
	// took is how long it took to create or change them, and apart the time from the first to
	// the last that was finished.
	took, apart time.Duration
}

// atOnce tells whether they came so quickly that the first was still worked on when the last came.
func (b burst) atOnce() bool { return b.took < pretended/2 }

// burst creates some WebApps, or changes them, and waits until each has been finished once more.
func (s *stage) burst(ctx context.Context, names []string, attempt int) (b burst, err error) {
	before := map[string]int{}
	for _, name := range names {
		before[name] = count(s.lines(), s.about("Finished", name))
	}
	b.began = time.Now()
	for _, name := range names {
		if err := s.scaleOrCreate(ctx, name, attempt); err != nil {
			return b, err
		}
	}
	b.took = time.Since(b.began)
	b.apart, err = s.finishedApart(ctx, before)
	return b, err
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
