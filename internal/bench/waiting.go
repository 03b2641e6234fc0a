package bench

import (
	"context"

	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/internal/bench/objects"
)

// waiter serves a kind whose objects may wait for something.
type waiter interface {
	Waiting() []objects.Waiting
	GiveUp(ctx context.Context, key types.NamespacedName, why string)
}

// Waiting returns the objects that wait for something before they have a verdict, in no
// order.
func (b *Bench) Waiting() []objects.Waiting {
	var all []objects.Waiting
	for _, w := range b.waiters {
		all = append(all, w.Waiting()...)
	}
	return all
}

// GiveUp makes an object of [Bench.Waiting] wait no longer. Its message says why.
func (b *Bench) GiveUp(ctx context.Context, waiting objects.Waiting, why string) {
	b.waiters[waiting.Kind].GiveUp(ctx, waiting.NamespacedName, why)
}
