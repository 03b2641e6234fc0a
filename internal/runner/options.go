package runner

import (
	"fmt"
	"math/rand/v2"
	"runtime"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/sandbox"
)

// Options of a run.
type Options struct {
	// Profile of the implementation that is judged.
	Profile *profile.Profile
	// ProfileArgument is how the profile was named, to say how to repeat a run.
	ProfileArgument string
	// Selection and Shard tell how the requirements of the plan were chosen: reports of
	// the same selection can be merged.
	Selection v1alpha1.Selection
	Shard     *v1alpha1.Shard
	// Parallel is how many scenarios run at the same time; 0: as many as the machine
	// can.
	Parallel int
	// Repeat is how often each runs.
	Repeat int
	// Shuffle, where given, puts the scenarios into a random order. Without it the
	// longest are the first.
	Shuffle *rand.Rand
	// TimeoutScale multiplies every time limit.
	TimeoutScale float64
	// WindowScale multiplies the windows of fixed length in which requests are counted; 0
	// counts as 1. Shorter ones may miss what a controller does.
	WindowScale float64
	// Kubeconfig of a cluster to run on. Empty: a control plane of our own.
	Kubeconfig string
	// Context of Kubeconfig. Empty: the current one.
	Context string
	// InCluster has the controllers run there as they are shipped, as Pods.
	InCluster bool
	// Known are failures that are known: the exit status does not count them.
	Known []v1alpha1.KnownFailure
	// Expired are exemptions that the profile has no more, as their last day is over.
	Expired []v1alpha1.Exemption
	// FailFast has no scenario start once one has failed.
	FailFast bool
	// Keep leaves everything up after the run, until the context ends.
	Keep bool
	// ReplaceCRDs replaces definitions of the cluster of Kubeconfig that differ from the
	// profile's. Otherwise these are an error.
	ReplaceCRDs bool
	// ImagePrefix names the registry from which the nodes of that cluster get the image of
	// Pods. Empty: they have it.
	ImagePrefix string
	// Unconfined runs subjects as root, where this process does and there are no
	// namespaces.
	Unconfined bool
	// ReportDir takes the reports, the history and the logs, and loses those of an
	// earlier run. The caller holds it.
	ReportDir string
	// ProfileDir, where given, takes CPU profiles of this process and of the control
	// plane's.
	ProfileDir string
	// Launcher of the controllers; nil: one that isolates them as well as this machine
	// allows.
	Launcher *sandbox.Launcher
	// Console shows the run.
	Console *report.Console
	// Version of Reconform.
	Version string
	// Command that this run was started by, so that the report can say how to repeat it.
	Command string
}

// scenariosPerCore is how many scenarios run at the same time on a core: most wait most
// of the time, but each starts a controller. Fewer leave the cores idle at times; with
// twice as many, in two runs at the same time, no sound controller failed either.
const scenariosPerCore = 8

// onNodesPerCore is the same on a cluster of the user's, which may be on this machine and
// start real Pods: with more, these are not ready in time.
const onNodesPerCore = 2

// slowAtOnce is how many slow scenarios run at the same time: one for each core, as each
// waits for its client's rate of requests for a part of its time.
func (o *Options) slowAtOnce() int {
	if o.Kubeconfig != "" {
		return 1 // its Pods alone keep the nodes busy
	}
	return runtime.GOMAXPROCS(0)
}

const (
	// most scenarios at the same time, and most runs of each.
	most = 1000
	// What multiplies limits of time leaves them limits.
	minScale, maxScale = 0.01, 100.0
)

// Validate says what is wrong with the options, in the words of the flags.
func (o *Options) Validate() error {
	switch {
	case o.Parallel < 0 || o.Parallel > most:
		return fmt.Errorf("--parallel is %d; allowed: 1 to %d", o.Parallel, most)
	case o.Repeat < 1 || o.Repeat > most:
		return fmt.Errorf("--repeat is %d; allowed: 1 to %d", o.Repeat, most)
	case !(o.TimeoutScale >= minScale && o.TimeoutScale <= maxScale): // NaN is neither
		return fmt.Errorf("--timeout-scale is %g; allowed: %g to %g", o.TimeoutScale, minScale, maxScale)
	}
	return nil
}

// parallel is how many scenarios run at the same time, and what limits it.
func (o *Options) parallel(serial bool) (count int, bound string) {
	cores := runtime.GOMAXPROCS(0)
	switch {
	case serial:
		return 1, "the profile allows only one at a time"
	case o.Parallel > 0:
		return o.Parallel, "--parallel"
	case o.Kubeconfig != "":
		return onNodesPerCore * cores, fmt.Sprintf("%d for each of %d cores, as nodes may run Pods on them", onNodesPerCore, cores)
	default:
		return scenariosPerCore * cores, fmt.Sprintf("%d for each of %d cores", scenariosPerCore, cores)
	}
}
