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
	"sync"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/endpoints/handlers/responsewriters"
	"k8s.io/client-go/rest"
)

// How long an answer is used. A new permission must work soon. A withdrawn permission may
// still work for a short time, as it does in the API server itself.
const (
	allowedFor = 2 * time.Second
	deniedFor  = time.Second
)

// reviews asks whether a replica, or a user whom it impersonates, may do something, and
// remembers the answers for a short time.
type reviews struct {
	cluster *cluster
	user    string // of the replica

	mu    sync.Mutex
	known map[question]review
}

// question is what was asked, and for whom.
type question struct {
	user, groups string
	attributes   authorizationv1.ResourceAttributes
}

type review struct {
	allowed bool
	reason  string
	until   time.Time
}

func newReviews(cluster *cluster, username string) *reviews {
	return &reviews{cluster: cluster, user: username, known: map[question]review{}}
}

// actor returns whose rights count for a request, and the groups of that user. It may be one
// whom the replica impersonates; whether it may do that is asked by the API server.
func (r *reviews) actor(header http.Header) (username string, groups []string) {
	username, groups = r.user, []string{user.AllAuthenticated}
	if impersonated := header.Get(authenticationv1.ImpersonateUserHeader); impersonated != "" {
		username = impersonated
		if username == user.Anonymous {
			groups = []string{user.AllUnauthenticated}
		}
		if given := header.Values(authenticationv1.ImpersonateGroupHeader); len(given) > 0 {
			return username, append(groups, given...)
		}
	}
	if namespace, _, err := serviceaccount.SplitUsername(username); err == nil {
		groups = append(groups, serviceaccount.MakeGroupNames(namespace)...)
	}
	return username, groups
}

// authorize authorises a request as it was sent. If the request is forbidden, it returns
// the API server's answer, else nil.
func (r *reviews) authorize(ctx context.Context, in incoming) (*metav1.Status, error) {
	info := in.info
	username, groups := r.actor(in.request.Header)
	answer, err := r.ask(ctx, username, groups, authorizationv1.ResourceAttributes{
		Namespace:   info.Namespace,
		Verb:        info.Verb,
		Group:       info.APIGroup,
		Version:     info.APIVersion,
		Resource:    info.Resource,
		Subresource: info.Subresource,
		Name:        info.Name,
	})
	if err != nil || answer.allowed {
		return nil, err
	}
	forbidden := responsewriters.ForbiddenStatusError(authorizer.AttributesRecord{
		User:            &user.DefaultInfo{Name: username},
		Verb:            info.Verb,
		Namespace:       info.Namespace,
		APIGroup:        info.APIGroup,
		APIVersion:      info.APIVersion,
		Resource:        info.Resource,
		Subresource:     info.Subresource,
		Name:            info.Name,
		ResourceRequest: true,
	}, answer.reason).Status()
	return &forbidden, nil
}

func (r *reviews) ask(ctx context.Context, username string, groups []string, attributes authorizationv1.ResourceAttributes) (review, error) {
	asked := question{username, strings.Join(groups, "\n"), attributes}
	if answer, ok := r.remembered(asked); ok {
		return answer, nil
	}
	access := authorizationv1.SubjectAccessReview{
		TypeMeta: metav1.TypeMeta{APIVersion: "authorization.k8s.io/v1", Kind: "SubjectAccessReview"},
		Spec: authorizationv1.SubjectAccessReviewSpec{
			User: username, Groups: groups, ResourceAttributes: &attributes,
		},
	}
	var result authorizationv1.SubjectAccessReview
	const path = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
	if err := r.cluster.do(ctx, http.MethodPost, path, access, &result); err != nil {
		return review{}, err
	}
	answer := review{allowed: result.Status.Allowed, reason: result.Status.Reason}
	r.remember(asked, answer)
	return answer, nil
}

func (r *reviews) remembered(asked question) (review, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	answer, ok := r.known[asked]
	return answer, ok && time.Now().Before(answer.until)
}

func (r *reviews) remember(asked question, answer review) {
	lifetime := deniedFor
	if answer.allowed {
		lifetime = allowedFor
	}
	now := time.Now()
	answer.until = now.Add(lifetime)
	r.mu.Lock()
	defer r.mu.Unlock()
	for old, stale := range r.known {
		if now.After(stale.until) {
			delete(r.known, old)
		}
	}
	r.known[asked] = answer
}

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
