package conformance

import (
	"strconv"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// Options of a run. The zero value judges the suite's reference controller, so nearly
// everybody sets a profile. Files are relative to the folder of the test.
type Options struct {
	// Profile of the controller: a file, or the name of a built-in one.
	Profile string

	// Run, Skip and Selector select requirements, as the flags of `reconform run` do.
	// Requirements that they leave out have no subtests. The flags -run and -skip of go test
	// select among the others.
	Run, Skip, Selector string

	// Known is a file of known failures, each with a reason, an owner and a last day: see
	// docs/verdict.md. Until that day they skip their subtests, with the reason, and fail
	// nothing.
	Known string

	// ReportDir is the folder for the reports, the history and the logs. It must be
	// empty, or have those of an earlier run, which are replaced. So two tests need two
	// folders. The default is reports.
	ReportDir string

	// TimeoutScale multiplies every time limit, for a slow machine; 0 means 1.
	TimeoutScale float64

	// Parallel is how many scenarios run at the same time; 0 means as many as the machine
	// can.
	Parallel int

	// Kubernetes is the version of the control plane, as in 1.35: one of those that
	// [reconform.dev/reconform/envtest.Versions] returns. Empty means the usual one.
	Kubernetes string

	// Kubeconfig of a cluster to run on; empty means a control plane of its own.
	Kubeconfig string
	// Context of Kubeconfig; empty means the current one.
	Context string

	// Command is the program, such as bin/reconform of a release, or reconform if that is on
	// the PATH. If it is empty, it is the tool reconform.dev/reconform/cmd/reconform of the module that the test is in.
	Command string
}

// reportDir returns the folder of the reports.
func (o *Options) reportDir() string {
	if o.ReportDir == "" {
		return "reports"
	}
	return o.ReportDir
}

// selection returns what the options select.
func (o *Options) selection() v1alpha1.Selection {
	return v1alpha1.Selection{Run: o.Run, Skip: o.Skip, Selector: o.Selector}
}

// listFlags returns the flags of `reconform list` that say what may be judged.
func (o *Options) listFlags(selection v1alpha1.Selection) []string {
	var flags []string
	add := func(name, value string) {
		if value != "" {
			flags = append(flags, "--"+name+"="+value)
		}
	}
	add("profile", o.Profile)
	add("run", selection.Run)
	add("skip", selection.Skip)
	add("selector", selection.Selector)
	return flags
}

// runFlags returns the flags of `reconform run`.
func (o *Options) runFlags(selection v1alpha1.Selection) []string {
	flags := append(o.listFlags(selection), "--report-dir="+o.reportDir())
	if o.Known != "" {
		flags = append(flags, "--known="+o.Known)
	}
	if o.TimeoutScale != 0 {
		flags = append(flags, "--timeout-scale="+strconv.FormatFloat(o.TimeoutScale, 'g', -1, 64))
	}
	if o.Parallel != 0 {
		flags = append(flags, "--parallel="+strconv.Itoa(o.Parallel))
	}
	if o.Kubernetes != "" {
		flags = append(flags, "--kubernetes="+o.Kubernetes)
	}
	if o.Kubeconfig != "" {
		flags = append(flags, "--kubeconfig="+o.Kubeconfig)
	}
	if o.Context != "" {
		flags = append(flags, "--context="+o.Context)
	}
	return flags
}
