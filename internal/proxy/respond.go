package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"reconform.dev/reconform/internal/history"
	"reconform.dev/reconform/internal/stream"
)

// respond passes the API server's answer on, as far as the replica may see it. What is kept in order to be read is
// recorded before it is passed on, so that whoever has the answer finds it recorded.
func (p *Proxy) respond(ctx context.Context, w http.ResponseWriter, x *exchange, response *http.Response) error {
	ok := response.StatusCode < http.StatusBadRequest
	switch {
	case !ok:
		return x.passError(w, response)
	case x.hide:
		resource := schema.GroupResource{Group: x.info.APIGroup, Resource: x.info.Resource}
		return x.answer(w, notFound(resource, x.info.Name))
	case x.writes():
		return p.passWrite(ctx, w, x, response)
	case x.info.Verb == "watch":
		return x.passWatch(w, response)
	case x.keep != nil:
		return x.passList(w, response)
	default:
		return x.pass(w, response)
	}
}

// answer in the API server's place.
func (x *exchange) answer(w http.ResponseWriter, status *metav1.Status) error {
	status.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
	body, err := json.Marshal(status)
	if err != nil {
		return fmt.Errorf("writing an answer: %w", err)
	}
	x.record.Finish(x.refused(int(status.Code), status))
	header := http.Header{}
	header.Set("Content-Type", runtime.ContentTypeJSON)
	header.Set("Cache-Control", "no-cache, private")
	return write(w, int(status.Code), header, body)
}

// refused is what an answer that is an error adds to the record. The status may be nil.
func (x *exchange) refused(code int, status *metav1.Status) func(*history.Request) {
	return func(r *history.Request) {
		r.Code = code
		if status != nil {
			r.Reason, r.Message = string(status.Reason), status.Message
		}
		if x.writes() {
			r.Effect = history.EffectRefused
		}
	}
}

func (x *exchange) passError(w http.ResponseWriter, response *http.Response) error {
	body, rest, err := read(response.Body, errorLimit)
	if err != nil {
		return err
	}
	var status metav1.Status
	if json.Unmarshal(body, &status) != nil || status.Kind != "Status" {
		status = metav1.Status{}
	}
	x.record.Update(x.refused(response.StatusCode, &status))
	if err := x.settle(); err != nil {
		return err
	}
	return writeAll(w, response, body, rest)
}

func (p *Proxy) passWrite(ctx context.Context, w http.ResponseWriter, x *exchange, response *http.Response) error {
	body, rest, err := read(response.Body, bodyLimit)
	if err != nil {
		return err
	}
	x.record.Update(p.judge(ctx, x, response.StatusCode, body))
	if err := x.settle(); err != nil {
		return err
	}
	return writeAll(w, response, body, rest)
}

func (x *exchange) passList(w http.ResponseWriter, response *http.Response) error {
	body, rest, err := read(response.Body, bodyLimit)
	if err != nil {
		return err
	}
	if rest != nil {
		return fmt.Errorf("a list is larger than %d bytes", bodyLimit)
	}
	if body, err = filterList(body, x.keep); err != nil {
		return err
	}
	x.record.Finish(func(r *history.Request) { r.Code = response.StatusCode })
	return write(w, response.StatusCode, response.Header, body)
}

// pass the answer on as it comes.
func (x *exchange) pass(w http.ResponseWriter, response *http.Response) error {
	x.record.Update(func(r *history.Request) { r.Code = response.StatusCode })
	removeHops(response.Header)
	maps.Copy(w.Header(), response.Header)
	w.WriteHeader(response.StatusCode)
	if response.ContentLength >= 0 {
		_, err := io.Copy(w, response.Body)
		return err
	}
	// Its end is not known: it may be a log that somebody follows.
	out := flush(w)
	if err := out.flusher.Flush(); err != nil {
		return err
	}
	_, err := io.Copy(out, response.Body)
	return err
}

// passWatch passes on event by event, each at once.
func (x *exchange) passWatch(w http.ResponseWriter, response *http.Response) error {
	x.record.Update(func(r *history.Request) { r.Code = response.StatusCode })
	removeHops(response.Header)
	maps.Copy(w.Header(), response.Header)
	w.WriteHeader(response.StatusCode)
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
		if x.keep != nil {
			if ok, err := keepEvent(event, x.keep); err != nil {
				return err
			} else if !ok {
				continue
			}
		}
		if _, err := out.Write(append(event, '\n')); err != nil {
			return err
		}
	}
}

// writeAll passes on an answer that was read, or read in part.
func writeAll(w http.ResponseWriter, response *http.Response, body []byte, rest io.Reader) error {
	if rest == nil {
		return write(w, response.StatusCode, response.Header, body)
	}
	removeHops(response.Header)
	maps.Copy(w.Header(), response.Header)
	w.WriteHeader(response.StatusCode)
	if _, err := w.Write(body); err != nil {
		return err
	}
	_, err := io.Copy(w, rest)
	return err
}

func write(w http.ResponseWriter, code int, header http.Header, body []byte) error {
	removeHops(header)
	maps.Copy(w.Header(), header)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(code)
	_, err := w.Write(body)
	return err
}
