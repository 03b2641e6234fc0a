package proxy

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// eventLimit bounds one event of a watch, in bytes. The API server does not store objects as large.
const eventLimit = 16 << 20

// events splits the stream of a watch into its events.
type events struct {
	limited *io.LimitedReader
	decoder *json.Decoder
}

func newEvents(stream io.Reader) *events {
	limited := &io.LimitedReader{R: stream}
	return &events{limited: limited, decoder: json.NewDecoder(limited)}
}

// next is the next event as it was sent, or io.EOF at the stream's end. An event that is cut short, is no JSON
// object or is larger than eventLimit is an error.
func (e *events) next() (json.RawMessage, error) {
	e.limited.N = eventLimit
	var event json.RawMessage
	switch err := e.decoder.Decode(&event); {
	case errors.Is(err, io.ErrUnexpectedEOF) && e.limited.N <= 0:
		return nil, fmt.Errorf("a watch event is larger than %d bytes", eventLimit)
	case errors.Is(err, io.EOF):
		return nil, io.EOF
	case err != nil:
		return nil, fmt.Errorf("reading a watch: %w", err)
	case event[0] != '{':
		return nil, fmt.Errorf("reading a watch: %.20q is no event", event)
	default:
		return event, nil
	}
}

// expired is the event after which a client lists again.
func expired(message string) ([]byte, error) {
	status := apierrors.NewResourceExpired(message).Status()
	status.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
	return json.Marshal(struct {
		Type   watch.EventType `json:"type"`
		Object metav1.Status   `json:"object"`
	}{watch.Error, status})
}

// flushing passes on every write at once.
type flushing struct {
	w       io.Writer
	flusher *http.ResponseController
}

func flush(w http.ResponseWriter) flushing {
	return flushing{w: w, flusher: http.NewResponseController(w)}
}

func (f flushing) Write(p []byte) (int, error) {
	n, err := f.w.Write(p)
	if err != nil {
		return n, err
	}
	return n, f.flusher.Flush()
}
