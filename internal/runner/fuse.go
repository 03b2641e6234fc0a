package runner

import (
	"sync"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/scenario/chainsaw"
	"reconform.dev/reconform/internal/verdict"
	"reconform.dev/reconform/internal/verdict/baseline"
)

// fuse blows at the first failure of a run that ends with it. No scenario begins after that.
// A fuse that is nil never blows.
type fuse struct {
	once  sync.Once
	blown chan struct{}
}

func newFuse() *fuse { return &fuse{blown: make(chan struct{})} }

// blow returns true the first time.
func (f *fuse) blow() (first bool) {
	f.once.Do(func() {
		first = true
		close(f.blown)
	})
	return first
}

// whenBlown returns a channel that is closed when the fuse blows.
func (f *fuse) whenBlown() <-chan struct{} {
	if f == nil {
		return nil
	}
	return f.blown
}

func (f *fuse) isBlown() bool {
	select {
	case <-f.whenBlown():
		return true
	default:
		return false
	}
}

// certain tells whether a scenario that has just ended will be reported as failed, whatever
// a second look shows. What is inconclusive, or may be so when all results are known, is
// not certain. failure is the first operation that failed; nil if none has.
func (f *finding) certain(failure *chainsaw.Failure) bool {
	if failure != nil && mayBeRefused[failure.Operation] {
		return false
	}
	return verdict.Fails(f.result.Verdict) && !f.Excusable && !f.Lagging
}

// knows tells whether a failure is a known one today: such a failure does not end the run,
// because it would end each one.
func (r *run) knows(result v1alpha1.Result, today time.Time) bool {
	return baseline.Of(result, baseline.Settle(r.options.Known, []v1alpha1.Result{result}, today)) != nil
}

// mayBeRefused are operations that fail if the API server refuses them. That accuses nobody,
// and is known only when all scenarios have ended.
var mayBeRefused = map[string]bool{"apply": true, "create": true, "delete": true, "patch": true, "update": true}
