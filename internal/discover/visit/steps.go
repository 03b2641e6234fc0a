package visit

import "time"

// step is a part of a visit, and what it tries; "" if the step before says that.
type step struct {
	tries string
	do    func() error
}

// steps carries out one step after the other. What has not begun when the time is over is
// left out, and named.
func (v *visitor) steps(all []step) error {
	for n, step := range all {
		if v.timeLeft() <= 0 {
			for _, left := range all[n:] {
				if left.tries != "" {
					v.record.Untried = append(v.record.Untried, left.tries)
				}
			}
			return nil
		}
		if err := step.do(); err != nil {
			return err
		}
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
