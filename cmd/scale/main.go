// Command scale measures how several controllers cope with many objects, side by side: the time
// until all objects are served, the requests, the bytes, the processor time and the memory
// that this takes, and then the cost of a restart and of one change.
//
//	scale [-sizes 100,1000,10000] [-limit 5m] [-by-flag NAMES] [-write DIR] PROFILE…
//
// Each measurement has a control plane of its own, of etcd and kube-apiserver only. There are
// no other clients, so nothing disturbs the measurement; this program marks each Deployment
// as ready as soon as it exists. The controllers run one after the other, without leader
// election, and talk to the API server directly.
//
// The exit status is 0 if everything was measured, 2 for wrong usage, and 3 otherwise.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"reconform.dev/reconform/envtest/supervisor"
	"reconform.dev/reconform/internal/profile"
)

// options of this program.
type options struct {
	sizes    []int
	limit    time.Duration
	assets   string
	write    string
	byFlag   []string // names of controllers that find the API server only by --kubeconfig
	profiles []*profile.Profile
}

func main() {
	supervisor.Main()
	log.SetLogger(klog.Background()) // controller-runtime asks for one
	o, err := parse(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(2)
	}
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err = run(ctx, o)
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(3)
	}
}

func parse(args []string) (*options, error) {
	o := &options{}
	flags := flag.NewFlagSet("scale", flag.ContinueOnError)
	sizes := flags.String("sizes", "100,1000,10000", "`NUMBERS` of objects")
	flags.DurationVar(&o.limit, "limit", 5*time.Minute, "`TIME` after which a controller that is not at rest is given up")
	flags.StringVar(&o.assets, "assets", "", "`DIR` with etcd and kube-apiserver")
	flags.StringVar(&o.write, "write", "", "`DIR` whose performance.md gets the tables, and performance.svg the plot")
	byFlag := flags.String("by-flag", "", "`NAMES` of profiles whose controllers do not read KUBECONFIG, but have the flag --kubeconfig")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	o.byFlag = strings.Split(*byFlag, ",")
	for text := range strings.SplitSeq(*sizes, ",") {
		size, err := strconv.Atoi(text)
		if err != nil || size < 1 {
			return nil, fmt.Errorf("-sizes: %q is not a number above 0", text)
		}
		o.sizes = append(o.sizes, size)
	}
	if o.limit <= 0 {
		return nil, fmt.Errorf("-limit: %s is not above 0", o.limit)
	}
	if flags.NArg() == 0 {
		return nil, errors.New("name the profiles of the controllers; the first one is what the others are compared with")
	}
	for _, file := range flags.Args() {
		p, err := profile.Load(file)
		if err != nil {
			return nil, err
		}
		if !p.HasContract() {
			return nil, fmt.Errorf("%s: it has no contract, so there is nothing to create", file)
		}
		o.profiles = append(o.profiles, p)
	}
	return o, nil
}

// run measures everything, prints the tables, and writes them if that is asked for.
func run(ctx context.Context, o *options) error {
	var all []result
	for _, size := range o.sizes {
		for _, p := range o.profiles {
			fmt.Fprintf(os.Stderr, "%s, %d objects\n", p.Name, size)
			r, err := measure(ctx, o, p, size)
			if err != nil {
				return fmt.Errorf("measuring %s with %d objects: %w", p.Name, size, err)
			}
			all = append(all, *r)
		}
	}
	fmt.Print(tables(all))
	if o.write == "" {
		return nil
	}
	return write(o.write, all)
}
