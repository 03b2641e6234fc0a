package conformance

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/verdict/baseline"
)

// errTime is the reason for a run to end before go test would end this process.
var errTime = errors.New("the time of go test is nearly over; -timeout allows more")

// Run judges a controller, with one subtest for each requirement, named by its ID. Only
// those that go test selects are run. Run returns when all have ended, and leaves nothing
// running, even after Ctrl+C. If the time of go test is nearly over, it stops early enough,
// and reports what was judged by then.
//
// A requirement that failed, or is flaky, fails its subtest, with the evidence. So does one
// that came to no conclusion; its message begins with INCONCLUSIVE. A requirement that does
// not apply, or that another failed one blocks, is skipped, with the reason, and so is a
// known failure (Options.Known). The overall verdict is logged at the end. See
// docs/verdict.md for the meaning of the words.
//
// If nothing could be judged, because the profile is wrong, the controller does not start,
// or the control plane's binaries are missing, t fails with the reason. go test does not
// know the files that a run depends on, so its result must not come from the cache. This is
// made sure of if the reports are in the module of the test; otherwise use -count=1.
func Run(t *testing.T, options Options) {
	t.Helper()
	ctx, stop := limited(t)
	defer stop()
	fail := func(err error) { t.Helper(); t.Fatalf("no verdict: %v", errors.Join(cause(ctx), err)) }

	// 1. Find the program, and what there is to judge.
	c, err := find(ctx, &options, progress(t))
	if err != nil {
		fail(err)
	}
	requirements, err := c.list(ctx, options.selection())
	if err != nil {
		fail(err)
	}

	// 2. Find what go test selects of it.
	s := begin(t, requirements)
	if len(s.ids) == 0 {
		t.Skip("go test selects no requirement")
	}
	selection := options.selection()
	if !s.complete() {
		// A requirement that needs a whole run is skipped in a part of one.
		selection = v1alpha1.Selection{Run: s.pattern()}
		requirements, _ = c.list(ctx, selection) // if that fails, the run says what is wrong
	}
	if why := allSkipped(requirements); why != nil {
		s.end(func(id string) func(*testing.T) { return skipped("skipped: " + why[id]) })
		return
	}

	// 3. Judge it.
	report, verdict, err := judge(ctx, c, selection)
	if err != nil {
		s.end(func(string) func(*testing.T) { return skipped("nothing was judged") })
		fail(err)
	}
	s.end(func(id string) func(*testing.T) { return ending(report, t.Name(), id) })
	uncached(options.reportDir())
	conclude(t, ctx, report, verdict)
}

// judge carries out a run.
func judge(ctx context.Context, c *command, selection v1alpha1.Selection) (*v1alpha1.ConformanceReport, string, error) {
	if err := c.provide(ctx); err != nil {
		return nil, "", err
	}
	verdict, err := c.run(ctx, selection)
	if err != nil {
		return nil, "", err
	}
	report, err := read(c.options.reportDir())
	return report, verdict, err
}

// conclude prints the verdict. A requirement that did not pass has failed its subtest
// already; problems of the whole run fail t.
func conclude(t *testing.T, ctx context.Context, report *v1alpha1.ConformanceReport, verdict string) {
	t.Helper()
	say(t, strings.TrimSpace(verdict))
	if not := report.NotStarted; not != nil {
		t.Errorf("INCONCLUSIVE: %s\n%s", not.Reason, strings.Join(not.Log, "\n"))
	}
	if err := cause(ctx); err != nil {
		t.Errorf("INCONCLUSIVE: %v", err)
	}
	found := report.Verdict
	if len(report.Known) > 0 {
		found = baseline.Verdict(report) // without known failures
	}
	passes := found == v1alpha1.Conformant || found == v1alpha1.Partial
	if !passes && !t.Failed() {
		t.Errorf("the verdict is %s", found)
	}
}

// allSkipped returns the reasons why a run would judge nothing, or nil if it would judge
// something.
func allSkipped(requirements []requirement) map[string]string {
	if len(requirements) == 0 {
		return nil
	}
	reasons := map[string]string{}
	for _, r := range requirements {
		if r.Skipped == "" {
			return nil
		}
		reasons[r.ID] = r.Skipped
	}
	return reasons
}

// limited returns a context that ends at Ctrl+C, and before the time of go test is over.
func limited(t *testing.T) (context.Context, context.CancelFunc) {
	ctx, cancel := t.Context(), context.CancelFunc(func() {})
	if deadline, ok := t.Deadline(); ok {
		ctx, cancel = context.WithDeadlineCause(ctx, deadline.Add(-stopping), errTime)
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends this process
	return ctx, func() { stop(); cancel() }
}

// cause returns why a context has ended, or nil if it has not.
func cause(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return context.Cause(ctx)
}

// progress takes messages about what is being done. With -v, go test shows them at once.
// Without -v, they would only hide what failed.
func progress(t *testing.T) io.Writer {
	if testing.Verbose() {
		return t.Output()
	}
	return io.Discard
}
