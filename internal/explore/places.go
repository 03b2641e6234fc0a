package explore

import "context"

// waitingToo is how many Trials may wait beside those that run side by side: so many for each
// of these.
const waitingToo = 3

// places are those of Trials that run side by side. A Trial whose outcome differs waits for
// long whether that goes away, and needs next to nothing of the machine meanwhile, so another
// one may take its place.
type places struct{ busy, waiting chan struct{} }

// newPlaces makes places for so many Trials. If it is one, it keeps its place to its end:
// Trials of objects without a namespace must not meet.
func newPlaces(parallel int) *places {
	p := &places{busy: make(chan struct{}, parallel), waiting: make(chan struct{}, waitingToo*parallel)}
	if parallel == 1 {
		p.waiting = make(chan struct{})
	}
	return p
}

// visit is the place of one Trial.
type visit struct {
	of    *places
	waits bool
}

// take waits for a place. It returns nil if the context ends before.
func (p *places) take(ctx context.Context) *visit {
	select {
	case p.busy <- struct{}{}:
		return &visit{of: p}
	case <-ctx.Done():
		return nil
	}
}

// wait gives the place to another Trial, unless too many wait already. It says whether it did.
func (v *visit) wait() bool {
	select {
	case v.of.waiting <- struct{}{}:
		v.waits = true
		<-v.of.busy
		return true
	default:
		return false
	}
}

// end gives up the place.
func (v *visit) end() {
	if v.waits {
		<-v.of.waiting
		return
	}
	<-v.of.busy
}
