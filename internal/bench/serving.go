package bench

import (
	"context"

	"reconform.dev/reconform/internal/bench/subject"
)

// Serving finds the ports on which a replica of a Subject listens, and what it answers
// there at the given paths.
func (b *Bench) Serving(ctx context.Context, namespace, replica string, paths []string) ([]int, []subject.Page, error) {
	return b.subjects.Serving(ctx, namespace, replica, paths)
}

// CheckWebhook says why the webhook of a replica cannot be asked, or returns nil.
func (b *Bench) CheckWebhook(ctx context.Context, namespace, replica string) error {
	return b.subjects.CheckWebhook(ctx, namespace, replica)
}

// OwnNetwork tells whether replicas have their own networks.
func (b *Bench) OwnNetwork() bool { return b.subjects.OwnNetwork() }
