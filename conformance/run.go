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
)

// errTime is why a run ends before go test would end this process.
var errTime = errors.New("the time of go test is nearly over; -timeout allows more")

// Run judges a controller, with one subtest for each requirement, by its ID. Only those
// that go test selects are run. It returns when all have ended, and nothing is left
// running: not after Ctrl+C either, and not when the time of go test is over, as it stops
// in time and reports what was judged by then.
//
// A requirement that failed, or is flaky, fails its subtest, with the evidence. So does
// one that came to no conclusion, whose message begins with INCONCLUSIVE. One that does
// not apply, or is blocked by another that failed, is skipped, with the reason. The
// verdict on the whole is logged at the end; see docs/verdict.md for what the words mean.
//
// Where nothing could be judged, because the profile is wrong, the controller does not
// start, or the control plane's binaries are missing, t fails with the reason. As the
// files that a run depends on are unknown to go test, its result is never taken from the
// cache if the reports are in the module of the test; else use -count=1.
func Run(t *testing.T, options Options) {
	t.Helper()
	ctx, stop := limited(t)
	defer stop()
	fail := func(err error) { t.Helper(); t.Fatalf("no verdict: %v", errors.Join(cause(ctx), err)) }

	// 1. The program, and what there is to be judged.
	c, err := find(ctx, &options, progress(t))
	if err != nil {
		fail(err)
	}
	requirements, err := c.list(ctx, options.selection())
	if err != nil {
		fail(err)
	}

	// 2. What go test selects of it.
	s := begin(t, requirements)
	if len(s.ids) == 0 {
		t.Skip("go test selects no requirement")
	}
	selection := options.selection()
	if !s.complete() {
		// What needs a whole run is skipped in a part of one.
		selection = v1alpha1.Selection{Run: s.pattern()}
		requirements, _ = c.list(ctx, selection) // where that fails, the run says what is wrong
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

// conclude says the verdict. What did not pass has failed its subtest; what is wrong with
// the whole run fails t.
func conclude(t *testing.T, ctx context.Context, report *v1alpha1.ConformanceReport, verdict string) {
	t.Helper()
	say(t, strings.TrimSpace(verdict))
	if not := report.NotStarted; not != nil {
		t.Errorf("INCONCLUSIVE: %s\n%s", not.Reason, strings.Join(not.Log, "\n"))
	}
	if err := cause(ctx); err != nil {
		t.Errorf("INCONCLUSIVE: %v", err)
	}
	passes := report.Verdict == v1alpha1.Conformant || report.Verdict == v1alpha1.Partial
	if !passes && !t.Failed() {
		t.Errorf("the verdict is %s", report.Verdict)
	}
}

// allSkipped are the reasons why a run would judge nothing; nil where it would.
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

// limited is a context that ends with Ctrl+C, and before the time of go test does.
func limited(t *testing.T) (context.Context, context.CancelFunc) {
	ctx, cancel := t.Context(), context.CancelFunc(func() {})
	if deadline, ok := t.Deadline(); ok {
		ctx, cancel = context.WithDeadlineCause(ctx, deadline.Add(-stopping), errTime)
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends this process
	return ctx, func() { stop(); cancel() }
}

// cause is why a context has ended; nil where it has not.
func cause(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return context.Cause(ctx)
}

// progress takes what is being done. With -v, go test shows it as it comes; without, it
// would only stand in the way of what failed.
func progress(t *testing.T) io.Writer {
	if testing.Verbose() {
		return t.Output()
	}
	return io.Discard
}
