package proxy

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

// lookUpTimeout limits each request that the proxy itself makes.
const lookUpTimeout = 10 * time.Second

// cluster asks the API server, as an administrator, what the proxy itself needs to know.
type cluster struct {
	client *http.Client
	base   *url.URL
}

func newCluster(config *rest.Config, base *url.URL) (*cluster, error) {
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("making the proxy's own client: %w", err)
	}
	return &cluster{client: client, base: base}, nil
}

// get returns the object at a path, or nil if there is none.
func (c *cluster) get(ctx context.Context, path string) (object, error) {
	var found object
	err := c.do(ctx, http.MethodGet, path, nil, &found)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return found, err
}

// do sends a request and decodes the answer. If the answer is an error, the returned error
// has the code of its HTTP status.
func (c *cluster) do(ctx context.Context, method, path string, question, answer any) error {
	ctx, cancel := context.WithTimeout(ctx, lookUpTimeout)
	defer cancel()
	var body io.Reader
	if question != nil {
		encoded, err := json.Marshal(question)
		if err != nil {
			return fmt.Errorf("encoding the body of %s %s: %w", method, path, err)
		}
		body = bytes.NewReader(encoded)
	}
	request, err := http.NewRequestWithContext(ctx, method, at(c.base, path).String(), body)
	if err != nil {
		return fmt.Errorf("asking for %s: %w", path, err)
	}
	request.Header.Set("Accept", runtime.ContentTypeJSON)
	request.Header.Set("Content-Type", runtime.ContentTypeJSON)
	response, err := c.client.Do(request)
	if err != nil {
		return fmt.Errorf("asking for %s: %w", path, err)
	}
	defer response.Body.Close()
	if response.StatusCode >= http.StatusBadRequest {
		// Only the code matters here.
		_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, bodyLimit))
		return apierrors.NewGenericServerResponse(response.StatusCode, method, schema.GroupResource{}, "", path, 0, false)
	}
	decoder := json.NewDecoder(io.LimitReader(response.Body, bodyLimit))
	decoder.UseNumber()
	if err := decoder.Decode(answer); err != nil {
		return fmt.Errorf("reading the answer for %s: %w", path, err)
	}
	return nil
}

// at returns the URL of a path of the API below a base URL, which may have a path itself.
func at(base *url.URL, path string) *url.URL {
	joined := *base
	joined.Path = strings.TrimSuffix(base.Path, "/") + path
	joined.RawPath = ""
	return &joined
}
