package chainsaw

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
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
	plural, _ := meta.UnsafeGuessKindToResource(schema.GroupVersionKind{Group: m[1], Version: m[2], Kind: m[3]})
	path := "/api/" + m[2]
	if m[1] != "" {
		path = "/apis/" + m[1] + "/" + m[2]
	}
	if m[4] != "" {
		path += "/namespaces/" + m[4]
	}
	c.mu.Lock()
	body := c.last[path+"/"+plural.Resource+"/"+m[5]]
	c.mu.Unlock()
	var object map[string]any
	if json.Unmarshal(body, &object) != nil {
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
