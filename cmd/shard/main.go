// Command shard is what a Pod of an Indexed Job runs: it judges the shard of the Pod's
// completion index, and hands the reports over.
//
//	shard -of N -- ARGUMENT OF reconform run…
//
// A Pod has no rights in its cluster, and its files go with it. So the reports are printed
// when the run has ended, as a PEM block that holds a tar archive, compressed with gzip:
// whoever may read the Pod's log has them, also when the Pod has ended. The block is the
// last that the log has.
//
// With -done FILE they go into a file instead, beside FILE, which then gets its path: that
// is how a plugin of Sonobuoy hands over what it has found, or what went wrong. Without
// -of it judges all.
//
// The exit status is 0 when the reports are handed over, whatever the verdict: the Pod has
// done its work, and the verdict is on all shards. Else it is that of reconform, or 3
// where that is 0.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// statusFailed is the exit status where there is nothing to hand over.
const statusFailed = 3

func main() {
	// Those who end the Pod tell this process alone. The run ends in order then, and its
	// reports say what was not judged.
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	os.Exit(run(ctx, os.Args[1:], os.Getenv))
}

func run(ctx context.Context, args []string, getenv func(string) string) int {
	flags := flag.NewFlagSet("shard", flag.ContinueOnError)
	of := flags.Int("of", 0, "`NUMBER` of shards: the completions of the Job")
	dir := flags.String("report-dir", "reports", "`DIR` for the reports")
	done := flags.String("done", "", "put the archive beside this `FILE`, and its path into it")
	if flags.Parse(args) != nil {
		return 2
	}
	arguments, err := arguments(*of, getenv(indexVariable), *dir, flags.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		return 2
	}
	status, err := judge(ctx, "reconform", arguments)
	if err == nil {
		err = handOver(*dir, *done)
	}
	if err == nil {
		return 0
	}
	fmt.Fprintln(os.Stderr, "error:", err)
	if *done != "" { // or they wait for it until their time is over
		if err := put(*done, "error.txt", []byte(err.Error()+"\n")); err != nil {
			fmt.Fprintln(os.Stderr, "error:", err)
		}
	}
	return cmp.Or(status, statusFailed)
}

// handOver packs the reports and delivers them.
func handOver(dir, done string) error {
	archive, leftOut, err := pack(dir, mostPacked)
	if err != nil {
		return err
	}
	for _, name := range leftOut {
		fmt.Fprintf(os.Stderr, "left out of the archive, which would be larger than %d KiB: %s\n", mostPacked>>10, name)
	}
	return deliver(os.Stdout, archive, done)
}
