package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"reconform.dev/reconform/envtest/supervisor"
)

// burnEnv, set, makes this program one that only keeps a core busy.
const burnEnv = "RECONFORM_SOAK_BURN"

// longestSpell bounds how long a core is busy, or idle, at a time.
const longestSpell = 10 * time.Second

// ignite starts processes that keep cores busy, now and then, until they are
// quenched. They are processes of their own, so that they take time from the
// subjects as from the bench.
func ignite(ctx context.Context, count int) (quench func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program: %w", err)
	}
	var burning []*supervisor.Cmd
	quench = func() {
		for _, cmd := range burning {
			_ = cmd.Cut()
			_ = cmd.Wait()
		}
	}
	for range count {
		cmd, err := supervisor.Command(ctx, supervisor.Options{}, self)
		if err == nil {
			cmd.Env = append(os.Environ(), burnEnv+"=1", "GOMAXPROCS=1")
			err = cmd.Start()
		}
		if err != nil {
			quench()
			return nil, errors.Join(errors.New("making the cores busy"), err)
		}
		burning = append(burning, cmd)
	}
	return quench, nil
}

// burn is busy and idle by turns, and never returns.
func burn(random *rand.Rand) {
	spell := func() time.Duration { return time.Duration(random.Int64N(int64(longestSpell))) }
	for {
		for busy, began := spell(), time.Now(); time.Since(began) < busy; {
			continue
		}
		time.Sleep(spell())
	}
}
