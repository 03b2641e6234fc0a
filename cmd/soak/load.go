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

// loadEnv makes this program only keep a core busy. Its value is a seed.
const loadEnv = "RECONFORM_SOAK_LOAD"

// longestSpell limits how long a core stays busy, or idle.
const longestSpell = 10 * time.Second

// startLoad starts processes that keep cores busy from time to time, until stop is called.
// They are separate processes, so that they take time from the subjects and from the bench.
func startLoad(ctx context.Context, random *rand.Rand, count int) (stop func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program: %w", err)
	}
	var started []*supervisor.Cmd
	stop = func() {
		for _, cmd := range started {
			_ = cmd.Cut()
			_ = cmd.Wait()
		}
	}
	for range count {
		cmd, err := supervisor.Command(ctx, supervisor.Options{}, self)
		if err == nil {
			cmd.Env = append(os.Environ(), loadEnv+"="+strconv.FormatUint(random.Uint64(), 10), "GOMAXPROCS=1")
			err = cmd.Start()
		}
		if err != nil {
			stop()
			return nil, errors.Join(errors.New("making the cores busy"), err)
		}
		started = append(started, cmd)
	}
	return stop, nil
}

// loadIfAsked takes over if this process was started to keep a core busy.
func loadIfAsked() {
	if seed, err := strconv.ParseUint(os.Getenv(loadEnv), 10, 64); err == nil {
		load(rand.New(rand.NewPCG(seed, 0)))
	}
}

// load is alternately busy and idle, and never returns.
func load(random *rand.Rand) {
	spell := func() time.Duration { return time.Duration(random.Int64N(int64(longestSpell))) }
	for {
		for busy, began := spell(), time.Now(); time.Since(began) < busy; {
			continue
		}
		time.Sleep(spell())
	}
}
