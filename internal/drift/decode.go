package drift

import (
	"encoding/json"
	"fmt"
	"mime"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"

	"reconform.dev/reconform/internal/history"
)

// decode decodes the body of a write, and the object just before it. before is nil for a
// create or an apply, because these contain everything that the controller wants.
func decode(write history.Write) (body, before map[string]any, err error) {
	mediaType, _, _ := mime.ParseMediaType(write.ContentType)
	switch {
	case mediaType == runtime.ContentTypeProtobuf:
		body, err = fromProtobuf(write.Body)
	case strings.HasPrefix(mediaType, "application/json-patch"):
		return nil, nil, nil // It names indexes in a list, not entries.
	default: // JSON is YAML.
		err = yaml.Unmarshal(write.Body, &body)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("reading the body of %s: %w", write.Request.InWords(), err)
	}
	if len(write.Before) == 0 {
		return body, nil, nil
	}
	if err := json.Unmarshal(write.Before, &before); err != nil {
		return nil, nil, fmt.Errorf("reading the object before %s: %w", write.Request.InWords(), err)
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
