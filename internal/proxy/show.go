package proxy

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/internal/history"
)

// showLimit is the size in bytes up to which an answer that is passed on is kept, to
// look for UIDs and versions in it. Larger answers show none.
const showLimit = 8 << 20

// identity has the fields by which an object, or a list of objects, is known.
type identity struct {
	Metadata struct {
		Name            string `json:"name"`
		UID             string `json:"uid"`
		ResourceVersion string `json:"resourceVersion"`
		Generation      int64  `json:"generation"`
	} `json:"metadata"`
}

// shows keeps in the record which UIDs and versions an answer shows to the replica, as
// the replica may write them down somewhere. An answer that is no object shows none.
func (p *Proxy) shows(in incoming, body []byte) {
	var found struct {
		identity
		Items  []identity `json:"items"`
		Object *identity  `json:"object"` // of an event of a watch
	}
	// A kind may have fields with these names but of other types. Only what fits is
	// read.
	if err := json.Unmarshal(body, &found); err != nil && !isOtherType(err) {
		return
	}
	all := append(found.Items, found.identity)
	if found.Object != nil {
		all = append(all, *found.Object)
	}
	resource := in.resource().String()
	var shown []history.Shown
	for _, one := range all {
		shown = append(shown, history.Shown{
			Resource: resource, Name: one.Metadata.Name, UID: types.UID(one.Metadata.UID), ResourceVersion: one.Metadata.ResourceVersion,
			Generation: one.Metadata.Generation,
		})
	}
	p.options.Recorder.Show(p.options.Scenario, shown...)
}

func isOtherType(err error) bool {
	_, is := errors.AsType[*json.UnmarshalTypeError](err)
	return is
}

// reads says whether the request reads objects, or one.
func (in incoming) reads() bool {
	return in.info.IsResourceRequest && (in.info.Verb == "get" || in.info.Verb == "list") &&
		(in.info.Subresource == "" || in.info.Subresource == "status")
}

// showing is the body of an answer. When it has been passed on, its objects are
// recorded as shown.
type showing struct {
	io.ReadCloser
	kept  bytes.Buffer
	whole func(body []byte)
}

// showing replaces the body of an answer by one that records what was in it.
func (p *Proxy) showing(in incoming, response *http.Response) {
	if in.reads() {
		response.Body = &showing{ReadCloser: response.Body, whole: func(body []byte) { p.shows(in, body) }}
	}
}

func (s *showing) Read(into []byte) (int, error) {
	n, err := s.ReadCloser.Read(into)
	if s.kept.Len() <= showLimit {
		s.kept.Write(into[:n])
	}
	if errors.Is(err, io.EOF) && s.whole != nil && s.kept.Len() <= showLimit {
		s.whole(s.kept.Bytes())
		s.whole = nil
	}
	return n, err
}
