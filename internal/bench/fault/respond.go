package fault

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/proxy"
)

// respond answers instead of the API server.
type respond struct {
	code       int
	body       []byte
	retryAfter string
}

func newRespond(spec v1alpha1.Respond) (respond, error) {
	reason := metav1.StatusReason(spec.Reason)
	if reason == "" {
		reason = reasonFor(int(spec.Code))
	}
	message := spec.Message
	if message == "" {
		message = fmt.Sprintf("a Fault of the scenario answers with %d", spec.Code)
	}
	status := metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusFailure, Code: spec.Code, Reason: reason, Message: message,
	}
	r := respond{code: int(spec.Code)}
	if spec.RetryAfterSeconds != nil {
		status.Details = &metav1.StatusDetails{RetryAfterSeconds: *spec.RetryAfterSeconds}
		r.retryAfter = strconv.Itoa(int(*spec.RetryAfterSeconds))
	}
	var err error
	if r.body, err = json.Marshal(status); err != nil {
		return respond{}, fmt.Errorf("writing the answer of a fault: %w", err)
	}
	return r, nil
}

func (r respond) act(h *hit, _ proxy.Next) (*http.Response, error) {
	header := http.Header{}
	header.Set("Content-Type", runtime.ContentTypeJSON)
	header.Set("Cache-Control", "no-cache, private")
	if r.retryAfter != "" {
		header.Set("Retry-After", r.retryAfter)
	}
	return &http.Response{
		StatusCode: r.code, Header: header, Request: h.Out,
		Body: io.NopCloser(bytes.NewReader(r.body)), ContentLength: int64(len(r.body)),
	}, nil
}

// inTurn gives its answers one after the other. After the last it starts again with the
// first.
type inTurn struct {
	answers []respond
	given   atomic.Int64
}

func newInTurn(spec v1alpha1.Respond) (*inTurn, error) {
	turn := &inTurn{}
	for _, code := range append([]int32{spec.Code}, spec.Then...) {
		one := spec
		one.Code = code
		answer, err := newRespond(one)
		if err != nil {
			return nil, err
		}
		turn.answers = append(turn.answers, answer)
	}
	return turn, nil
}

func (t *inTurn) act(h *hit, next proxy.Next) (*http.Response, error) {
	at := (t.given.Add(1) - 1) % int64(len(t.answers))
	return t.answers[at].act(h, next)
}

// reasonFor returns the reason that the API server gives with this code.
func reasonFor(code int) metav1.StatusReason {
	switch code {
	case http.StatusBadRequest:
		return metav1.StatusReasonBadRequest
	case http.StatusUnauthorized:
		return metav1.StatusReasonUnauthorized
	case http.StatusForbidden:
		return metav1.StatusReasonForbidden
	case http.StatusNotFound:
		return metav1.StatusReasonNotFound
	case http.StatusMethodNotAllowed:
		return metav1.StatusReasonMethodNotAllowed
	case http.StatusNotAcceptable:
		return metav1.StatusReasonNotAcceptable
	case http.StatusConflict:
		return metav1.StatusReasonConflict
	case http.StatusGone:
		return metav1.StatusReasonExpired
	case http.StatusRequestEntityTooLarge:
		return metav1.StatusReasonRequestEntityTooLarge
	case http.StatusUnsupportedMediaType:
		return metav1.StatusReasonUnsupportedMediaType
	case http.StatusUnprocessableEntity:
		return metav1.StatusReasonInvalid
	case http.StatusTooManyRequests:
		return metav1.StatusReasonTooManyRequests
	case http.StatusInternalServerError:
		return metav1.StatusReasonInternalError
	case http.StatusServiceUnavailable:
		return metav1.StatusReasonServiceUnavailable
	case http.StatusGatewayTimeout:
		return metav1.StatusReasonTimeout
	default:
		return metav1.StatusReasonUnknown
	}
}
