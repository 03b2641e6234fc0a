package proxy

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"reconform.dev/reconform/internal/record/history"
)

// showLimit is the largest answer, in bytes, that is searched for UIDs and versions when
// it is passed on. Nothing is recorded of larger answers.
const showLimit = 8 << 20

// identity has the fields that identify an object, or a list of objects.
type identity struct {
	APIVersion string `json:"apiVersion"`
	Metadata   struct {
		Name            string                  `json:"name"`
		Namespace       string                  `json:"namespace"`
		GenerateName    string                  `json:"generateName"`
		UID             string                  `json:"uid"`
		ResourceVersion string                  `json:"resourceVersion"`
		Generation      int64                   `json:"generation"`
		Labels          map[string]string       `json:"labels"`
		OwnerReferences []metav1.OwnerReference `json:"ownerReferences"`
	} `json:"metadata"`
}

// key of an object of a resource.
func (i identity) key(resource schema.GroupVersionResource) objectKey {
	return objectKey{resource, i.Metadata.Namespace, i.Metadata.Name}
}

// shows records which UIDs and versions an answer shows to the replica, because the
// replica may write them into its objects. An answer that is not an object shows none.
func (p *Proxy) shows(in incoming, body []byte) {
	var found struct {
		identity
		Items []identity `json:"items"`
	}
	// A kind may have fields with these names but of other types. Only fields of the right
	// type are read.
	if err := json.Unmarshal(body, &found); err != nil && !isOtherType(err) {
		return
	}
	if in.info.Verb == "delete" || in.info.Verb == "deletecollection" {
		p.versions.forget(in.key())
	} else {
		p.versions.show(in.versionedResource(), found.identity, body)
	}
	p.showsAll(in, append(found.Items, found.identity))
}

// showsEvent does the same for an event of a watch.
func (p *Proxy) showsEvent(in incoming, event []byte) {
	var found struct {
		Type   watch.EventType `json:"type"`
		Object json.RawMessage `json:"object"`
	}
	var of identity
	if json.Unmarshal(event, &found) != nil {
		return
	}
	if err := json.Unmarshal(found.Object, &of); err != nil && !isOtherType(err) {
		return
	}
	resource := in.versionedResource()
	if found.Type == watch.Deleted {
		p.versions.forget(of.key(resource))
	} else {
		p.versions.show(resource, of, found.Object)
	}
	p.showsAll(in, []identity{of})
}

func (p *Proxy) showsAll(in incoming, all []identity) {
	resource := in.resource().String()
	var shown []history.Shown
	for _, one := range all {
		shown = append(shown, history.Shown{
			Resource: resource, Name: one.Metadata.Name, UID: types.UID(one.Metadata.UID), ResourceVersion: one.Metadata.ResourceVersion,
			Generation: one.Metadata.Generation,
			Called: history.MadeUpName(resource, metav1.ObjectMeta{
				Name: one.Metadata.Name, GenerateName: one.Metadata.GenerateName, Labels: one.Metadata.Labels, OwnerReferences: one.Metadata.OwnerReferences,
			}),
		})
	}
	p.options.Recorder.Show(p.options.Scenario, shown...)
}

func isOtherType(err error) bool {
	_, is := errors.AsType[*json.UnmarshalTypeError](err)
	return is
}

// reads says whether the request reads one object, or several.
func (in incoming) reads() bool {
	return in.info.IsResourceRequest && (in.info.Verb == "get" || in.info.Verb == "list") &&
		(in.info.Subresource == "" || in.info.Subresource == "status")
}

// keptBody is the body of an answer. It keeps what is read of it, up to showLimit. At the end
// it gives that to whole, once, unless the answer was larger.
type keptBody struct {
	io.ReadCloser
	kept  bytes.Buffer
	whole func(body []byte)
}

// showing makes sure that the objects in an answer are recorded as shown, when it has been
// passed on completely.
func (p *Proxy) showing(in incoming, response *http.Response) {
	if in.reads() {
		response.Body = &keptBody{ReadCloser: response.Body, whole: func(body []byte) { p.shows(in, body) }}
	}
}

func (s *keptBody) Read(into []byte) (int, error) {
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
