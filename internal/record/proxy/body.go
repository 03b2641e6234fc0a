package proxy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"slices"
	"strings"

	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"reconform.dev/reconform/internal/record/history"
)

const (
	// bodyLimit limits how many bytes of an answer are kept for reading. Lists are the
	// largest answers.
	bodyLimit = 256 << 20
	// requestLimit limits how many bytes of the body of a write are kept. It is a little
	// more than the API server accepts.
	requestLimit = 4 << 20
	// errorLimit limits how many bytes of an error answer are kept.
	errorLimit = 1 << 20
)

// read reads a body up to a limit. rest is what comes after the limit, or nil if there is
// no more.
func read(body io.Reader, limit int64) (head []byte, rest io.Reader, err error) {
	head, err = io.ReadAll(io.LimitReader(body, limit+1))
	if err != nil {
		return nil, nil, fmt.Errorf("reading a body: %w", err)
	}
	if int64(len(head)) > limit {
		return head, body, nil
	}
	return head, nil, nil
}

// content is the body of a request, and what is known about it.
type content struct {
	body io.ReadCloser
	// name of the object in a create. The path does not have it. It is empty if the API
	// server will generate the name, or if the name cannot be read.
	name string
	// generateName is what it will generate the name from, if name is empty.
	generateName string
	// base is the version that the object must have for the write to be carried out. It is
	// empty if any version will do.
	base string
	// known is the content of the body, if it was read and is not a status.
	known []byte
	// status is the content of the body if it replaces the status, and was read.
	status []byte
	// dryRun says whether the options of a deletion ask for a dry run. All other writes ask
	// for it in their query.
	dryRun bool
}

// content reads the body of a write of an object. The returned body can be read again from
// the start.
func (in incoming) content() (content, error) {
	body := in.request.Body
	if !in.carriesObject() && !in.carriesOptions() {
		return content{body: body}, nil
	}
	head, rest, err := read(body, requestLimit)
	if err != nil {
		return content{}, err
	}
	if rest != nil {
		return content{body: readCloser{io.MultiReader(bytes.NewReader(head), rest), body}}, nil
	}
	found := content{body: readCloser{bytes.NewReader(head), body}}
	if in.carriesOptions() {
		found.dryRun = len(in.optionsIn(head).DryRun) > 0
		return found, nil
	}
	metadata := metadataIn(in.request.Header.Get("Content-Type"), head)
	switch {
	case in.info.Verb != "create":
		found.base = metadata.ResourceVersion
	case metadata.Name != "":
		found.name = metadata.Name
	default:
		found.generateName = metadata.GenerateName
	}
	switch {
	case in.info.Subresource == "":
		found.known = head
	case in.info.Verb == "update":
		found.status = head
	}
	return found, nil
}

// carriesObject says whether the body of a request is an object, or a change of an object.
func (in incoming) carriesObject() bool {
	switch in.info.Verb {
	case "create":
		return in.info.Name == ""
	case "update", "patch":
		return in.writes() && (in.info.Subresource == "" || in.info.Subresource == "status") && in.info.Name != ""
	}
	return false
}

// carriesOptions says whether the body of a request has the options of a deletion.
func (in incoming) carriesOptions() bool {
	return in.info.IsResourceRequest && (in.info.Verb == "delete" || in.info.Verb == "deletecollection") || in.evicts()
}

// evicts says whether a request is for the eviction of a Pod.
func (in incoming) evicts() bool {
	return in.info.Verb == "create" && in.info.APIGroup == "" && in.info.Resource == "pods" && in.info.Subresource == "eviction"
}

// done returns what a request has done to the Pod that it names, if it was accepted: an eviction
// deletes it, and a binding puts it on a Node. For other requests it is empty.
func (in incoming) done() string {
	switch {
	case in.evicts():
		return history.VerbDelete
	case in.info.Verb == "create" && in.info.APIGroup == "" && in.info.Resource == "pods" && in.info.Subresource == "binding":
		return history.VerbUpdate
	}
	return ""
}

// optionsIn returns the options in the body of a deletion, or of an eviction. They are empty
// if they cannot be read.
func (in incoming) optionsIn(body []byte) metav1.DeleteOptions {
	var eviction policyv1.Eviction
	var options metav1.DeleteOptions
	if in.evicts() {
		if decode(in.request.Header.Get("Content-Type"), body, &eviction) && eviction.DeleteOptions != nil {
			return *eviction.DeleteOptions
		}
		return metav1.DeleteOptions{}
	}
	if !decode(in.request.Header.Get("Content-Type"), body, &options) {
		return metav1.DeleteOptions{}
	}
	return options
}

// onlyMetadata says whether the body of a patch contains nothing but metadata of the
// object. It is false for an apply, because an apply also removes fields that it leaves
// out.
func (in incoming) onlyMetadata(body []byte) bool {
	if in.info.Verb != "patch" || in.isApply() || len(body) == 0 {
		return false
	}
	mediaType, _, _ := mime.ParseMediaType(in.request.Header.Get("Content-Type"))
	if mediaType == string(types.JSONPatchType) {
		var operations []struct{ Op, Path string }
		if json.Unmarshal(body, &operations) != nil {
			return false
		}
		return !slices.ContainsFunc(operations, func(o struct{ Op, Path string }) bool {
			return o.Op == "move" || o.Op != "test" && !strings.HasPrefix(o.Path, "/metadata/")
		})
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil || fields == nil {
		return false
	}
	for name := range fields {
		if name != "metadata" && name != "apiVersion" && name != "kind" {
			return false
		}
	}
	return true
}

// keep stores the body of a write, so that it can be found out later which fields the
// replica has set. If the body may be made from the object as it was before, it stores
// that object too. It skips Leases and Events, because nobody asks about them, and dry runs.
func (x exchange) keep(sent content, before prior) {
	resource := x.resource()
	if sent.known == nil || x.dryRun || !x.info.IsResourceRequest || resource.Resource == "leases" || resource.Resource == "events" || isReview(resource) {
		return
	}
	var was []byte
	if before.object != nil && !x.isApply() {
		was, _ = json.Marshal(before.object) // it was decoded from JSON, so this cannot fail
	}
	x.record.Sent(x.request.Header.Get("Content-Type"), sent.known, was)
}

type readCloser struct {
	io.Reader
	io.Closer
}

// protobufMagic begins every object that is encoded as the API server's protobuf.
var protobufMagic = []byte("k8s\x00")

// metadataIn returns the metadata in an encoded object, or in a change of one. It is empty if
// it cannot be read.
func metadataIn(contentType string, body []byte) metav1.ObjectMeta {
	var partial metav1.PartialObjectMetadata
	// In the protobuf of every object of the API, field 1 is the metadata. The other fields
	// are ignored.
	if !decode(contentType, body, &partial) {
		return metav1.ObjectMeta{}
	}
	return partial.ObjectMeta
}

// decode decodes a body, and says whether it could.
func decode(contentType string, body []byte, into interface{ Unmarshal([]byte) error }) bool {
	mediaType, _, _ := mime.ParseMediaType(contentType)
	switch mediaType {
	case runtime.ContentTypeProtobuf:
		var unknown runtime.Unknown
		encoded, ok := bytes.CutPrefix(body, protobufMagic)
		return ok && unknown.Unmarshal(encoded) == nil && into.Unmarshal(unknown.Raw) == nil
	case runtime.ContentTypeYAML, string(types.ApplyYAMLPatchType):
		// Clients write JSON, which is YAML, too. As JSON it is read more quickly.
		return json.Unmarshal(body, into) == nil || yaml.Unmarshal(body, into) == nil
	default:
		return json.Unmarshal(body, into) == nil
	}
}
