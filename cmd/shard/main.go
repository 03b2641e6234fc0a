// Command shard runs in a Pod of an Indexed Job: it judges the shard of the Pod's
// completion index, and delivers the reports.
//
//	shard -of N -- ARGUMENT OF reconform run…
//
// A Pod has no rights in its cluster, and its files are lost with it. So the reports are
// printed when the run has ended, as a PEM block with a tar archive that is compressed with
// gzip. Everybody who may read the Pod's log can get them, even after the Pod has ended.
// The block is the last part of the log.
//
// With -done FILE the reports are written to a file in the folder of FILE, and then the
// path of that file is written to FILE. A plugin of Sonobuoy delivers its results, or its
// error, in this way. Without -of it judges everything.
//
// The exit status is 0 if the reports are delivered, whatever the verdict is: the Pod has
// done its work, and the verdict needs all shards. Otherwise it is that of reconform, or 3
// if that is 0.
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

// statusFailed is the exit status if there is nothing to deliver.
const statusFailed = 3

func main() {
	// Only this process gets the signal that ends the Pod. The run then ends in order, and
	// its reports say what was not judged.
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
	if *done != "" { // otherwise they would wait for it until their timeout
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
