package visit

import (
	"errors"
	"slices"
	"strings"
	"time"
)

// step is a part of a visit, and what it tries.
type step struct {
	tries string
	do    func() error
}

// steps carries out one step after the other. What has not begun when the time is over is
// left out, and named together with the step that was not finished.
func (v *visitor) steps(all []step) error {
	for n, step := range all {
		err := errOver
		if v.timeLeft() > 0 {
			err = step.do()
		}
		if err == nil {
			continue
		}
		if !errors.Is(err, errOver) {
			return err
		}
		var more []string
		for _, left := range all[n:] {
			if !slices.Contains(slices.Concat(v.record.Untried, more), left.tries) {
				more = append(more, left.tries)
			}
		}
		v.record.Untried = append(v.record.Untried, more...)
		v.Console.Printf("the time of --max-time is over: not tried, or not finished: %s", strings.Join(more, ", "))
		return nil
	}
	return nil
}

// timeLeft returns how much of the time of the visit is left. It is more than any step takes
// if the visit has no time limit.
func (v *visitor) timeLeft() time.Duration {
	if v.Until.IsZero() {
		return time.Hour
	}
	return time.Until(v.Until)
}
