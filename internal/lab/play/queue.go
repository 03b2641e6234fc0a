package play

import (
	"context"
	"fmt"
	"regexp"
)

// queue is about what becomes of a key while reconciles take long.
func queue() play {
	return play{arguments: []string{"--pretend-work=400ms"}, rules: []rule{
		{"queue/worker", `prints "Started NAMESPACE/NAME", "Sees …" and "Finished …" for a WebApp that is created`, worker},
		{"queue/coalesced", "handles ten changes that come during one reconcile by one or two more, and sees the last one", coalesced},
		{"queue/one-at-a-time", "never works twice on the same WebApp at the same time", oneAtATime},
		{"queue/side-by-side", "works on two WebApps at the same time", sideBySide},
		{"queue/gone", `prints "Sees NAMESPACE/NAME: gone" for one that is deleted`, gone},
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
	return nil
}

func coalesced(ctx context.Context, s *stage) error {
	const last = 13
	started := s.about("Started", "first")
	before := count(s.lines(), started)
	for replicas := 3; replicas <= last; replicas++ {
		if err := s.scale(ctx, "first", replicas); err != nil {
			return err
		}
	}
	sees := regexp.MustCompile(s.about("Sees", "first").String() + fmt.Sprintf(`.*\b%d\b`, last))
	if err := s.expectThat(ctx, fmt.Sprintf(`no line "Sees %s/first" with replicas %d`, s.namespace, last), func(lines []string) bool {
		return count(lines, sees) > 0
	}); err != nil {
		return err
	}
	// The first change may find a reconcile under way, and the others that of the first.
	const most = 4
	if n := count(s.lines(), started) - before; n > most {
		return &unmet{fmt.Sprintf("%d reconciles of %s/first were started for 11 changes", n, s.namespace)}
	}
	return nil
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
			return &unmet{fmt.Sprintf("%s/first was started again before it was finished", s.namespace)}
		}
	}
	return nil
}

// finished waits until each reconcile of a WebApp that was started is.
func (s *stage) finished(ctx context.Context, name string) error {
	started, finished := s.about("Started", name), s.about("Finished", name)
	return s.expectThat(ctx, fmt.Sprintf("a reconcile of %s/%s was started and not finished", s.namespace, name), func(lines []string) bool {
		return count(lines, started) == count(lines, finished)
	})
}

func sideBySide(ctx context.Context, s *stage) error {
	for _, name := range []string{"second", "third"} {
		if err := s.create(ctx, name); err != nil {
			return err
		}
	}
	for _, name := range []string{"second", "third"} {
		if err := s.expect(ctx, "Finished", name, 0); err != nil {
			return err
		}
	}
	running := map[string]bool{}
	for _, line := range s.lines() {
		for _, name := range []string{"second", "third"} {
			if s.about("Started", name).MatchString(line) {
				running[name] = true
			} else if s.about("Finished", name).MatchString(line) {
				running[name] = false
			}
		}
		if running["second"] && running["third"] {
			return nil
		}
	}
	return &unmet{"one was started only when the other was finished"}
}

func gone(ctx context.Context, s *stage) error {
	if err := s.remove(ctx, "second"); err != nil {
		return err
	}
	sees := regexp.MustCompile(s.about("Sees", "second").String() + `.*\bgone\b`)
	return s.expectThat(ctx, fmt.Sprintf(`no line "Sees %s/second: gone"`, s.namespace), func(lines []string) bool {
		return count(lines, sees) > 0
	})
}
