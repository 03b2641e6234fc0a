package history

import (
	"encoding/json"
	"fmt"
	"mime"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"
)

// Decode decodes the body of a write, and the object just before it. before is nil for a
// create or an apply, because these contain everything that the controller wants. The body
// of a JSON patch is not decoded: both are nil. It returns an error if the body is not what
// its content type says.
func (w Write) Decode() (body, before map[string]any, err error) {
	mediaType, _, _ := mime.ParseMediaType(w.ContentType)
	switch {
	case mediaType == runtime.ContentTypeProtobuf:
		body, err = fromProtobuf(w.Body)
	case strings.HasPrefix(mediaType, "application/json-patch"):
		return nil, nil, nil // It names indexes in a list, not entries.
	default: // JSON is YAML.
		err = yaml.Unmarshal(w.Body, &body)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("reading the body of %s: %w", w.Request.InWords(), err)
	}
	if len(w.Before) == 0 {
		return body, nil, nil
	}
	if err := json.Unmarshal(w.Before, &before); err != nil {
		return nil, nil, fmt.Errorf("reading the object before %s: %w", w.Request.InWords(), err)
	}
	return body, before, nil
}

// fromProtobuf decodes an object of one of Kubernetes' own kinds. Other kinds have no
// protobuf.
func fromProtobuf(body []byte) (map[string]any, error) {
	object, _, err := protobuf.NewSerializer(scheme.Scheme, scheme.Scheme).Decode(body, nil, nil)
	if err != nil {
		return nil, fmt.Errorf("decoding protobuf: %w", err)
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return nil, fmt.Errorf("converting a %T: %w", object, err)
	}
	return content, nil
}
