// Command soak repeats the full run of a controller that conforms, in random order
// and under random load, to find verdicts that are not the controller's fault.
//
// The order and the load of a run depend only on its seed, which is printed: the same seed
// makes them again. If a run had a finding, or a second look, everything is kept, including
// the history of all requests. Other runs leave nothing behind.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"reconform.dev/reconform/cmd/internal/program"
	"reconform.dev/reconform/internal/profile"
)

func main() {
	program.Begin()
	loadIfAsked()

	runs := flag.Int("n", 20, "`NUMBER` of full runs")
	name := flag.String("profile", profile.Default, "profile of a controller that conforms: a built-in `NAME`, or a file")
	seed := flag.Uint64("seed", rand.Uint64(), "`SEED` of the first run; the next ones follow from it")
	dir := flag.String("report-dir", filepath.Join("reports", "soak"), "`DIR` for the reports of runs with findings")
	flag.Parse()
	if flag.NArg() > 0 || *runs < 1 {
		fmt.Fprintln(os.Stderr, "usage: soak [-n NUMBER] [-profile NAME] [-seed SEED] [-report-dir DIR]; NUMBER is at least 1")
		os.Exit(2)
	}
	ctx, cancel := program.Interruptible()
	s := &soak{profile: *name, dir: *dir, out: os.Stdout}
	findings, err := s.run(ctx, *runs, *seed)
	cancel()
	switch {
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(os.Stderr, "interrupted")
		os.Exit(3)
	case err != nil:
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(3)
	case findings > 0:
		os.Exit(1)
	}
}
