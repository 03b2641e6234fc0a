package explore

import (
	"context"
	"sync"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// ahead carries out a plan a second time while the first time still waits whether a difference
// goes away: usually it does not, and both waits are over soon after one another.
type ahead struct {
	*Exploration
	plan *Plan

	running sync.WaitGroup
	cancel  context.CancelFunc
	found   *tried
	err     error
}

// begin begins, unless the cause is known.
func (a *ahead) begin(ctx context.Context, differs []v1alpha1.Divergence) {
	if a.isKnown(differs) {
		return
	}
	ctx, a.cancel = context.WithCancel(ctx)
	a.running.Go(func() { a.found, a.err = a.again(ctx, a.plan) })
}

// next returns what came of the second time, or carries out the plan once more.
func (a *ahead) next(ctx context.Context) (*tried, error) {
	if a.cancel == nil {
		return a.again(ctx, a.plan)
	}
	a.running.Wait()
	a.cancel()
	a.cancel = nil
	return a.found, a.err
}

// end ends it, whether somebody has asked what came of it or not.
func (a *ahead) end() {
	if a.cancel != nil {
		a.cancel()
	}
	a.running.Wait()
}
