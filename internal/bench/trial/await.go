package trial

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// look is the pause between two looks.
const look = 50 * time.Millisecond

// errLate says that something did not happen in time.
type errLate struct{ text string }

func (e *errLate) Error() string { return e.text }

func isLate(err error) bool {
	var late *errLate
	return errors.As(err, &late)
}

// await waits until it is done, as long as patience allows.
func (r *run) await(ctx context.Context, patience time.Duration, what string, done func(context.Context) (bool, error)) error {
	late := time.NewTimer(patience)
	defer late.Stop()
	tick := time.NewTicker(look)
	defer tick.Stop()
	for {
		if ok, err := done(ctx); ok || err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-late.C:
			return &errLate{fmt.Sprintf("waited %s until %s", patience, what)}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// ignore returns the error, unless it is one of this sort.
func ignore(err error, sort func(error) bool) error {
	if sort(err) {
		return nil
	}
	return err
}
