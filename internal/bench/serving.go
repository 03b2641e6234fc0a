package bench

import (
	"context"

	"reconform.dev/reconform/internal/subject"
)

// Serving finds the ports on which a replica of a Subject listens, and what it answers
// there to the paths.
func (b *Bench) Serving(ctx context.Context, namespace, replica string, paths []string) ([]int, []subject.Page, error) {
	return b.subjects.Serving(ctx, namespace, replica, paths)
}

// CheckWebhook says why nothing can be asked of the webhook of a replica; nil where it can.
func (b *Bench) CheckWebhook(ctx context.Context, namespace, replica string) error {
	return b.subjects.CheckWebhook(ctx, namespace, replica)
}

// OwnNetwork says whether replicas have networks of their own.
func (b *Bench) OwnNetwork() bool { return b.subjects.OwnNetwork() }
