package drift

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/util/retry"

	"reconform.dev/reconform/internal/record/history"
)

const (
	// fieldManager owns what a Drift writes.
	fieldManager = "reconform-drift"
	// look is the pause between two reads of an object.
	look = 50 * time.Millisecond
)

// errGone says that there is no object to change.
var errGone = errors.New("the object is gone")

// object is the object that a Drift is about.
type object struct {
	client   dynamic.ResourceInterface
	recorder *history.Recorder
	query    history.Query // selects the subject's writes to it
	name     string
}

// read returns the object as it is now.
func (o *object) read(ctx context.Context) (*unstructured.Unstructured, error) {
	found, err := o.client.Get(ctx, o.name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, errGone
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", o.name, err)
	}
	return found, nil
}

// patience returns a backoff of some seconds, for an object that others write at the same
// time on a busy machine.
func patience() wait.Backoff {
	return wait.Backoff{Steps: 10, Duration: 10 * time.Millisecond, Factor: 2, Jitter: 0.5}
}

// write writes the object with a change. It retries after a conflict. It returns a refusal
// by the API server as it is.
func (o *object) write(ctx context.Context, change func(map[string]any)) (*unstructured.Unstructured, error) {
	var written *unstructured.Unstructured
	err := retry.OnError(patience(), apierrors.IsConflict, func() error {
		now, err := o.read(ctx)
		if err != nil {
			return err
		}
		change(now.Object)
		written, err = o.client.Update(ctx, now, metav1.UpdateOptions{FieldManager: fieldManager})
		return err
	})
	return written, err
}

// refused says whether the API server does not accept a change.
func refused(err error) bool {
	return apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) || apierrors.IsForbidden(err)
}

// writes returns the subject's effective writes to the object with this UID.
func (o *object) writes(uid types.UID, after int64) []history.Write {
	query := o.query
	query.After = after
	var effective []history.Write
	for _, write := range o.recorder.Writes(query) {
		if write.Effect == history.EffectEffective && write.UID == uid && write.Subresource == "" {
			effective = append(effective, write)
		}
	}
	return effective
}

// createdInVain returns how often the subject has tried since a request to create the object,
// which exists.
func (o *object) createdInVain(after int64) int {
	query := o.query
	query.After = after
	vain := 0
	for _, write := range o.recorder.Requests(query) {
		if write.Verb == history.VerbCreate && write.Reason == string(metav1.StatusReasonAlreadyExists) {
			vain++
		}
	}
	return vain
}

// since describes what the subject has written since a request.
func (o *object) since(uid types.UID, after int64) string {
	writes := o.writes(uid, after)
	switch len(writes) {
	case 0:
		text := "the controller did not write the object in that time"
		if vain := o.createdInVain(after); vain > 0 {
			text = fmt.Sprintf("the controller does not find the object any more: it has tried to create it again %d times (AlreadyExists)", vain)
		}
		return text
	case 1:
		return "the controller has written it since: " + writes[0].InWords()
	}
	return fmt.Sprintf("the controller has written it %d times since, last %s", len(writes), writes[len(writes)-1].InWords())
}
