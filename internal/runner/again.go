package runner

import (
	"context"
	"path/filepath"
	"strings"
	"time"
)

const (
	// quieter is how many times less runs side by side at a second look.
	quieter = 6
	// mostAgain is how many scenarios are looked at again: where more fail, it is not
	// for the machine, or the machine is too busy for a second look, too.
	mostAgain = 12
)

// looker runs scenarios, which were written into a folder, and judges each.
type looker func(ctx context.Context, dir string, scenarios []scenario, parallel int) ([]finding, error)

// lookAgain runs once more, with less side by side, what did not pass while the
// machine was so crowded that nobody can tell whose fault that is. What it finds
// stands, and the result says what was found at first.
func (r *run) lookAgain(ctx context.Context, dir string, findings []finding, parallel int, look looker) error {
	var first []int
	var again []scenario
	var titles []string
	for n, f := range findings {
		if f.again {
			first, titles = append(first, n), append(titles, f.scenario.title())
		}
	}
	switch {
	case len(first) == 0:
		return nil
	case len(first) > mostAgain:
		r.options.Console.Printf("%d scenarios did not pass on a busy machine: too many for a second look", len(first))
		return nil
	}
	dir = filepath.Join(dir, "again")
	for _, n := range first {
		s := findings[n].scenario
		s.namespace += "-again" // which makes it one of the scenario's
		if err := s.write(dir, r.options.TimeoutScale); err != nil {
			return err
		}
		again = append(again, s)
	}
	parallel = max(1, parallel/quieter)
	r.options.Console.Printf("the machine was busy: a second look at %s, %d side by side at most", strings.Join(titles, ", "), parallel)
	began, slow := time.Now(), r.slow
	found, err := look(ctx, dir, again, parallel)
	if err != nil {
		return err
	}
	r.slow, r.again = slow, r.again+time.Since(began) // counted once
	for n, f := range found {
		before := &findings[first[n]]
		f.result.FirstLook = strings.ToLower(string(before.result.Verdict)) + ": " + before.result.Reason
		*before = f
	}
	return nil
}
