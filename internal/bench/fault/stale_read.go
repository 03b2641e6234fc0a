package fault

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/proxy"
	"reconform.dev/reconform/internal/record/stream"
)

// past is a list with the state at the Fault's creation.
type past struct {
	metav1.TypeMeta `json:",inline"`
	Metadata        struct {
		ResourceVersion string `json:"resourceVersion"`
	} `json:"metadata"`
	Items []json.RawMessage `json:"items"`
}

// kind of the objects in the list. The objects themselves do not always have it.
func (p past) kind() metav1.TypeMeta {
	return metav1.TypeMeta{Kind: strings.TrimSuffix(p.Kind, "List"), APIVersion: p.APIVersion}
}

// ofOne matches what asks for the metadata of one object. A watch asks for it, too. The API
// server answers a list with 406 then: the metadata of a list is a kind of its own.
var ofOne = regexp.MustCompile(`\bas="?PartialObjectMetadata\b`)

// list lists what a query asks for. The list is nil if the API server refuses it, for
// example because it no longer has that version.
func (s *stale) list(out *http.Request, query url.Values, next proxy.Next) (*past, *http.Response, error) {
	out = with(out, query)
	for n, accept := range out.Header["Accept"] {
		out.Header["Accept"][n] = ofOne.ReplaceAllString(accept, "${0}List")
	}
	response, err := next(out)
	if err != nil {
		return nil, nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, response, nil
	}
	defer response.Body.Close()
	var list past
	if err := json.NewDecoder(response.Body).Decode(&list); err != nil {
		return nil, nil, fmt.Errorf("reading a list: %w", err)
	}
	return &list, response, nil
}

// get answers a get of one object. Only a list can show an object at an older version.
func (s *stale) get(h *hit, next proxy.Next) (*http.Response, error) {
	out := h.Out.Clone(h.Out.Context())
	out.URL.Path, out.URL.RawPath = path.Dir(out.URL.Path), ""
	list, response, err := s.list(out, s.exactly(url.Values{
		"fieldSelector": {fields.OneTermEqualSelector(metav1.ObjectNameField, h.Request().Name).String()},
	}), next)
	switch {
	case err != nil:
		return nil, err
	case list == nil:
		return again(h, next, response)
	case len(list.Items) == 0:
		return notFound(h, next)
	}
	added, err := stream.Added(list.kind(), list.Items[0])
	if err != nil {
		return nil, err
	}
	var event struct {
		Object json.RawMessage `json:"object"`
	}
	if err := json.Unmarshal(added, &event); err != nil {
		return nil, fmt.Errorf("reading an object as of version %s: %w", s.version, err)
	}
	return answer(h, response.Header, event.Object), nil
}

// watch starts with the objects at the Fault's creation. A watch that names no version
// asks for the most recent objects, so it starts with the current ones.
func (s *stale) watch(h *hit, next proxy.Next) (*http.Response, error) {
	query := h.Out.URL.Query()
	question := url.Values{}
	for _, selector := range []string{"labelSelector", "fieldSelector"} {
		if value := query.Get(selector); value != "" {
			question.Set(selector, value)
		}
	}
	if !mostRecent(query) {
		question = s.exactly(question)
	}
	list, response, err := s.list(h.Out, question, next)
	if err != nil {
		return nil, err
	}
	if list == nil {
		return again(h, next, response)
	}
	var begin bytes.Buffer
	for _, item := range list.Items {
		event, err := stream.Added(list.kind(), item)
		if err != nil {
			return nil, err
		}
		begin.Write(append(event, '\n'))
	}
	if startsWithList(query) && proxy.IsTrue(query, "allowWatchBookmarks") {
		event, err := stream.EndOfInitialEvents(list.kind(), s.version)
		if err != nil {
			return nil, err
		}
		begin.Write(append(event, '\n'))
	}

	query.Del("sendInitialEvents")
	query.Del("resourceVersionMatch")
	query.Set("resourceVersion", list.Metadata.ResourceVersion)
	if response, err = next(with(h.Out, query)); err != nil || response.StatusCode != http.StatusOK {
		return response, err
	}
	response.Body = &pastBody{
		Reader: io.MultiReader(&begin, response.Body), Closer: response.Body, of: s, version: list.Metadata.ResourceVersion,
	}
	return response, nil
}

// pastBody is the body of a watch that starts with the listed objects.
type pastBody struct {
	io.Reader
	io.Closer
	of *stale
	// version at which the watch starts.
	version string
}

// notFound answers that the object did not exist then.
func notFound(h *hit, next proxy.Next) (*http.Response, error) {
	request := h.Request()
	resource := schema.GroupResource{Group: request.Group, Resource: request.Resource}
	r, err := newRespond(v1alpha1.Respond{
		Code: http.StatusNotFound, Message: apierrors.NewNotFound(resource, request.Name).Error(),
	})
	if err != nil {
		return nil, err
	}
	return r.act(h, next)
}

func answer(h *hit, header http.Header, body []byte) *http.Response {
	header = header.Clone()
	header.Set("Content-Length", strconv.Itoa(len(body)))
	return &http.Response{
		StatusCode: http.StatusOK, Header: header, Request: h.Out,
		Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)),
	}
}
