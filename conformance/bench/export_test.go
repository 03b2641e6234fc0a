package bench

import "context"

// Crash is what a Fault has done to a replica.
func (b *Bench) Crash(ctx context.Context, namespace, replica string) error {
	return b.subjects.Crash(ctx, namespace, replica)
}
