package runner

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/process/sandbox"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/report"
)

// Options of a run.
type Options struct {
	// Profile of the implementation that is judged.
	Profile *profile.Profile
	// ProfileArgument is how the profile was named, and ScenarioArgument the folder of the
	// scenarios, if they are not those of this program. Both are words for a shell, to say
	// how to repeat a run.
	ProfileArgument, ScenarioArgument string
	// Selection and Shard tell how the requirements of the plan were chosen. Reports of the
	// same selection can be merged.
	Selection v1alpha1.Selection
	Shard     *v1alpha1.Shard
	// Parallel is how many scenarios run at the same time; 0 means as many as the machine
	// can.
	Parallel int
	// Repeat is how often each scenario runs.
	Repeat int
	// Shuffle, if not nil, puts the scenarios into a random order. Without it the longest
	// come first.
	Shuffle *rand.Rand
	// TimeoutScale multiplies every time limit.
	TimeoutScale float64
	// WindowScale multiplies the fixed windows in which requests are counted; 0 counts as 1.
	// Shorter windows may miss what a controller does.
	WindowScale float64
	// Kubeconfig of a cluster to run on; empty means a control plane of our own.
	Kubeconfig string
	// Context of Kubeconfig; empty means the current one.
	Context string
	// Kubernetes is the version of our own control plane, as envtest.Options has it.
	Kubernetes string
	// InCluster runs the controllers on that cluster as they are shipped, as Pods.
	InCluster bool
	// Known are known failures: they do not change the exit status.
	Known []v1alpha1.KnownFailure
	// Expired are exemptions of the profile that no longer count, because their last day is
	// over.
	Expired []v1alpha1.Exemption
	// MaxTime ends the run after this time, its start included; 0 means never. What has not
	// ended by then is not judged.
	MaxTime time.Duration
	// FailFast starts no more scenarios after one that is certain to be reported as failed.
	FailFast bool
	// Keep keeps everything up after the run, until the context ends.
	Keep bool
	// ReplaceCRDs replaces definitions on the cluster of Kubeconfig that differ from the
	// profile's. Without it, such a difference is an error.
	ReplaceCRDs bool
	// ImagePrefix names the registry from which the nodes of that cluster get the image of
	// Pods. Empty means that they have the image already.
	ImagePrefix string
	// Unconfined runs subjects as root if this process is root and there are no namespaces.
	Unconfined bool
	// ReportDir is the folder for the reports, the history and the logs. Those of an
	// earlier run are deleted. The caller holds the folder.
	ReportDir string
	// CPUProfileDir, if not empty, is the folder for CPU profiles of this process and
	// of the processes of the control plane.
	CPUProfileDir string
	// Launcher of the controllers; nil means one that isolates them as well as this machine
	// allows.
	Launcher *sandbox.Launcher
	// Fitted, if not nil, is called before anything is started, when the plan has no longer what
	// cannot be judged on this machine.
	Fitted func()
	// Complete, if not nil, makes of the report of the run the one that is written and
	// returned.
	Complete func(*v1alpha1.ConformanceReport) *v1alpha1.ConformanceReport
	// Console shows the progress of the run.
	Console *report.Console
	// Version of Reconform.
	Version string
	// Command that started this run, so that the report can say how to repeat it.
	Command string
	// JudgeRest returns the command that judges what the report that is written leaves out, or
	// "" if that is nothing. It may be nil.
	JudgeRest func(*v1alpha1.ConformanceReport) string
}

// scenariosPerCore is how many scenarios run at the same time for each core. Most of them
// wait most of the time, but each starts a controller. With eight, the cores were idle for a
// quarter of a run.
const scenariosPerCore = 12

// onNodesPerCore is the same for a cluster of the user's, which may run on this machine and
// start real Pods: with more scenarios, the Pods are not ready in time.
const onNodesPerCore = 2

// slowAtOnce is how many slow scenarios run at the same time after the others: one for each
// core, because each waits for its client's rate limiter for a part of its time.
func (o *Options) slowAtOnce() int {
	if o.Kubeconfig != "" {
		return 1 // its Pods are enough to keep the nodes busy
	}
	return runtime.GOMAXPROCS(0)
}

// slowBeside is how many slow scenarios run beside the others, of which parallel run at the
// same time: one for each two cores, so that enough is left. It is 0 if they run after the
// others: on nodes that they fill, if the first failure ends the run, and if the user wants
// few scenarios at the same time. A client that allows itself few requests per second mostly
// waits for that, so one for each core: otherwise these scenarios would take longer, one by
// one, than all others together.
func (o *Options) slowBeside(parallel int) int {
	beside := max(1, runtime.GOMAXPROCS(0)/2)
	if o.Profile != nil && o.Profile.Spec.Claims.ClientQPS > 0 && o.Profile.Spec.Claims.ClientQPS <= fewPerSecond {
		beside = runtime.GOMAXPROCS(0)
	}
	if o.Kubeconfig != "" || o.FailFast || parallel < fewAtOnce*beside {
		return 0
	}
	return beside
}

// fewPerSecond is a rate of requests that keeps no core busy, such as the default of client-go.
const fewPerSecond = 10

// fewAtOnce is how many scenarios must be able to run at the same time for each slow one
// that is among them.
const fewAtOnce = 4

const (
	// most is the limit for scenarios at the same time, and for runs of each.
	most = 1000
	// A scale must be such that time limits remain useful.
	minScale, maxScale = 0.01, 100.0
)

// Validate says what is wrong with the options, and names the flags.
func (o *Options) Validate() error {
	switch {
	case o.Parallel < 0 || o.Parallel > most:
		return fmt.Errorf("--parallel is %d; allowed: 1 to %d", o.Parallel, most)
	case o.MaxTime < 0:
		return fmt.Errorf("--max-time is %s; it must be longer than 0, as in 5m", o.MaxTime)
	case o.Repeat < 1 || o.Repeat > most:
		return fmt.Errorf("--repeat is %d; allowed: 1 to %d", o.Repeat, most)
	}
	return CheckTimeoutScale(o.TimeoutScale)
}

// CheckTimeoutScale says what is wrong with the value of --timeout-scale.
func CheckTimeoutScale(scale float64) error {
	if !(scale >= minScale && scale <= maxScale) { // NaN fulfils neither condition
		return fmt.Errorf("--timeout-scale is %g; allowed: %g to %g", scale, minScale, maxScale)
	}
	return nil
}

// parallel returns how many scenarios run at the same time, and what limits that.
func (o *Options) parallel(serial bool) (count int, bound string) {
	cores := runtime.GOMAXPROCS(0)
	switch {
	case serial:
		return 1, "the profile allows only one at a time"
	case o.Parallel > 0:
		return o.Parallel, "--parallel"
	case o.Kubeconfig != "":
		return onNodesPerCore * cores, fmt.Sprintf("%d for each of %d cores, because nodes may run Pods on them", onNodesPerCore, cores)
	default:
		return scenariosPerCore * cores, fmt.Sprintf("%d for each of %d cores", scenariosPerCore, cores)
	}
}
