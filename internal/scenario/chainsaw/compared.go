package chainsaw

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// compared knows which values the fields had that asserts compared with each other. Chainsaw
// says only that the comparison is false.
type compared struct {
	mu   sync.Mutex
	last map[string][]byte // each object as it was last read, by its path
}

// wrap keeps the objects that are read one by one. It is only for asserts.
func (c *compared) wrap(next http.RoundTripper) http.RoundTripper { return comparedTransport{next, c} }

type comparedTransport struct {
	next http.RoundTripper
	*compared
}

func (t comparedTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	response, err := t.next.RoundTrip(req)
	if err != nil || req.Method != http.MethodGet || response.StatusCode != http.StatusOK || isList(req.URL.Path) || isOfBench(req.URL) {
		return response, err
	}
	body, err := bodyOf(response)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.last == nil {
		t.last = map[string][]byte{}
	}
	t.last[within(req.URL.Path)] = body
	return response, nil
}

var (
	// aboutObject matches the name of the object in a message of Chainsaw's, between two lines:
	// apps/v1/Deployment/namespace/name.
	aboutObject = regexp.MustCompile(`(?m)^-{3,}\n(?:([^/\s]+)/)?(v\d[^/\s]*)/(\w+)/(?:([^/\s]+)/)?([^/\s]+)\n-{3,}$`)
	// comparison matches a comparison of two fields that is not as expected.
	comparison = regexp.MustCompile(`(?m)^\* (?:([\w.]+)\.)?\(([a-zA-Z][\w.]*) (?:[=!<>]=|[<>]) ([a-zA-Z][\w.]*)\): Invalid value: (?:true|false): Expected value: (?:true|false)$`)
)

// explain adds to each comparison of two fields in a message of Chainsaw's which values they
// had when the object was last read.
func (c *compared) explain(message string) string {
	m := aboutObject.FindStringSubmatch(message)
	if m == nil {
		return message
	}
	object := c.lastOf(schema.GroupVersion{Group: m[1], Version: m[2]}.WithKind(m[3]), m[4], m[5])
	if object == nil {
		return message
	}
	return comparison.ReplaceAllStringFunc(message, func(line string) string {
		m := comparison.FindStringSubmatch(line)
		one, other := valueAt(object, m[1], m[2]), valueAt(object, m[1], m[3])
		if m[3] == "null" {
			return fmt.Sprintf("%s; where %s is %s", line, m[2], one)
		}
		return fmt.Sprintf("%s; where %s is %s and %s is %s", line, m[2], one, m[3], other)
	})
}

// lastOf returns an object as it was last read, or nil. What the resource of its kind is called
// is not known here.
func (c *compared) lastOf(kind schema.GroupVersionKind, namespace, name string) map[string]any {
	c.mu.Lock()
	defer c.mu.Unlock()
	for path, body := range c.last {
		var object unstructured.Unstructured
		if strings.HasSuffix(path, "/"+name) && json.Unmarshal(body, &object.Object) == nil &&
			object.GroupVersionKind() == kind && object.GetNamespace() == namespace {
			return object.Object
		}
	}
	return nil
}

// valueAt returns the value of a field as JSON, or "not there". The path of the field begins at
// the field at base, or at the object if that is "".
func valueAt(object map[string]any, base, field string) string {
	var value any = object
	for key := range strings.SplitSeq(strings.TrimPrefix(base+"."+field, "."), ".") {
		within, _ := value.(map[string]any)
		value = within[key]
	}
	data, err := json.Marshal(value)
	if err != nil || value == nil {
		return "not there"
	}
	return string(data)
}
