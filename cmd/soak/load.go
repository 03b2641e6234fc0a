package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"time"

	"reconform.dev/reconform/envtest/supervisor"
)

// burnEnv makes this program one that only keeps a core busy. Its value is a seed.
const burnEnv = "RECONFORM_SOAK_BURN"

// longestSpell bounds how long a core is busy, or idle, at a time.
const longestSpell = 10 * time.Second

// ignite starts processes that keep cores busy, now and then, until they are
// quenched. They are processes of their own, so that they take time from the
// subjects as from the bench.
func ignite(ctx context.Context, random *rand.Rand, count int) (quench func(), err error) {
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
			cmd.Env = append(os.Environ(), burnEnv+"="+strconv.FormatUint(random.Uint64(), 10), "GOMAXPROCS=1")
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

// burnIfAsked takes over where this process was started to burn.
func burnIfAsked() {
	if seed, err := strconv.ParseUint(os.Getenv(burnEnv), 10, 64); err == nil {
		burn(rand.New(rand.NewPCG(seed, 0)))
	}
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
