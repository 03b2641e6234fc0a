package proxy

import (
	"errors"
	"io"
	"net/http"

	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/internal/record/stream"
)

// brokenStream is why a watch broke off after its answer had begun.
type brokenStream struct{ error }

func (b brokenStream) Unwrap() error { return b.error }

func (x exchange) passWatch(response *http.Response, keep func(types.NamespacedName) bool, shows func(event []byte)) error {
	x.record.Update(answered(response))
	if err := passEvents(x.w, response, keep, shows); err != nil {
		return brokenStream{err}
	}
	return nil
}

// passEvents passes watch events on, each at once, and records what they show.
func passEvents(
	w http.ResponseWriter, response *http.Response, keep func(types.NamespacedName) bool, shows func(event []byte),
) error {
	begin(w, response)
	out := flush(w)
	if err := out.flusher.Flush(); err != nil {
		return err
	}
	events := stream.NewReader(response.Body)
	for {
		event, err := events.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if keep != nil {
			if ok, err := keepEvent(event, keep); err != nil {
				return err
			} else if !ok {
				continue
			}
		}
		shows(event)
		if _, err := out.Write(append(event, '\n')); err != nil {
			return err
		}
	}
}
