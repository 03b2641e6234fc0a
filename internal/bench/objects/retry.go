package objects

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	// admitting limits all attempts to admit an object. The API server waits 30 s.
	admitting = 20 * time.Second
	// retryPause is the pause between two of them.
	retryPause = 250 * time.Millisecond
)

// retried tries to admit an object. It tries again if the answer of the API server says
// nothing about the object. If it never gets a better answer, the error is notYet, and not
// a refusal.
func retried(ctx context.Context, try func(context.Context) error) error {
	var err error
	_ = wait.PollUntilContextTimeout(ctx, retryPause, admitting, true, func(ctx context.Context) (bool, error) {
		err = try(ctx)
		return !unanswered(err), nil
	})
	if unanswered(err) {
		return &notYet{fmt.Errorf("the API server did not answer: %w", err)}
	}
	return err
}

// unanswered tells whether a request to the API server got no answer, or one that means try
// again: 429, or an error of the server.
func unanswered(err error) bool {
	var answer apierrors.APIStatus
	if errors.As(err, &answer) {
		code := answer.Status().Code
		return code == http.StatusTooManyRequests || code >= http.StatusInternalServerError
	}
	var unsent *url.Error
	return errors.As(err, &unsent) || errors.Is(err, context.DeadlineExceeded)
}
