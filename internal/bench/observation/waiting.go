package observation

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/objects"
)

// Waiting returns the Observations that wait for something, in no order.
func (c *Controller) Waiting() []objects.Waiting {
	var all []objects.Waiting
	for key, judge := range c.open.All() {
		if left, message, waits := judge.waits(time.Now()); waits {
			all = append(all, objects.Waiting{
				NamespacedName: key, Kind: "Observation", Resource: judge.of.Resource, Of: judge.of.Name, Left: left, Message: message,
			})
		}
	}
	return all
}

// GiveUp makes an Observation wait no longer: what it waits for has not come. Its message
// says why it did not wait until the end.
func (c *Controller) GiveUp(ctx context.Context, key types.NamespacedName, why string) {
	judge, ok := c.open.Named(key)
	if !ok {
		return
	}
	judge.giveUp(why)
	reference := &v1alpha1.Observation{}
	reference.Namespace, reference.Name = key.Namespace, key.Name
	select {
	case c.changed <- event.TypedGenericEvent[*v1alpha1.Observation]{Object: reference}:
	case <-ctx.Done():
	}
}
