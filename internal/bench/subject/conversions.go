package subject

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// ConversionPath is the path at which the bench answers the API server when it needs
// primary objects in another version.
const ConversionPath = "/conversions"

// ServeConversion lets the replicas of each Subject convert the objects of its namespaces.
// If none of them answers, it only changes the version of an object, as the API server does
// without a webhook. It cannot fail instead, because the API server asks about the objects
// of all scenarios, and some have no controller.
func (s *Controller) ServeConversion(w http.ResponseWriter, request *http.Request) {
	review := apiextensionsv1.ConversionReview{}
	err := json.NewDecoder(http.MaxBytesReader(w, request.Body, largestReview)).Decode(&review)
	if err != nil || review.Request == nil {
		http.Error(w, "not a ConversionReview", http.StatusBadRequest)
		return
	}
	answer := &apiextensionsv1.ConversionResponse{UID: review.Request.UID, Result: metav1.Status{Status: metav1.StatusSuccess}}
	if answer.ConvertedObjects, err = s.convert(request.Context(), review.Request); err != nil {
		answer.ConvertedObjects = nil
		answer.Result = metav1.Status{Status: metav1.StatusFailure, Message: err.Error()}
	}
	review.Request, review.Response = nil, answer
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(review)
}

// convert converts the objects of a request, and keeps their order.
func (s *Controller) convert(ctx context.Context, want *apiextensionsv1.ConversionRequest) ([]runtime.RawExtension, error) {
	byNamespace := map[string][]int{}
	for i, object := range want.Objects {
		named := metav1.PartialObjectMetadata{}
		if err := json.Unmarshal(object.Raw, &named); err != nil {
			return nil, fmt.Errorf("reading objects[%d]: %w", i, err)
		}
		byNamespace[named.Namespace] = append(byNamespace[named.Namespace], i)
	}
	converted := make([]runtime.RawExtension, len(want.Objects))
	for namespace, places := range byNamespace {
		part := *want
		part.Objects = make([]runtime.RawExtension, len(places))
		for i, place := range places {
			part.Objects[i] = want.Objects[place]
		}
		objects, err := s.convertIn(ctx, namespace, &part)
		if err != nil {
			return nil, err
		}
		for i, place := range places {
			converted[place] = objects[i]
		}
	}
	return converted, nil
}

// convertIn converts objects of one namespace.
func (s *Controller) convertIn(ctx context.Context, namespace string, want *apiextensionsv1.ConversionRequest) ([]runtime.RawExtension, error) {
	for _, r := range s.converters(namespace) {
		objects, err := r.convert(ctx, want)
		if err == nil {
			return objects, nil
		}
		if !errors.Is(err, errNotAsked) {
			return nil, fmt.Errorf("replica %s: %w", r.name, err)
		}
	}
	return relabel(want)
}

// converters returns the replicas that convert the objects of a namespace: those of the Subject
// that serves it.
func (s *Controller) converters(namespace string) []*replica {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []*replica
	for _, i := range s.instances {
		if slices.Contains(served(i.subject), namespace) {
			found = append(found, i.list()...)
		}
	}
	return found
}

// errNotAsked is the error of a replica that does not convert, or not now.
var errNotAsked = errors.New("it does not answer")

// convert asks the replica to convert. It asks even a webhook that is cut off from the API
// server, because the API server also asks for other scenarios that run at the same time.
func (r *replica) convert(ctx context.Context, want *apiextensionsv1.ConversionRequest) ([]runtime.RawExtension, error) {
	p := r.env.Profile(r.subject.Namespace)
	if !p.Converts() || r.webhookState() == webhookClosed {
		return nil, errNotAsked
	}
	path := p.Spec.Launch.Webhook.Conversion
	body, err := json.Marshal(&apiextensionsv1.ConversionReview{
		TypeMeta: metav1.TypeMeta{APIVersion: apiextensionsv1.SchemeGroupVersion.String(), Kind: "ConversionReview"}, Request: want,
	})
	if err != nil {
		return nil, fmt.Errorf("writing a ConversionReview: %w", err)
	}
	asked := r.life()
	response, err := r.askWebhook(ctx, path, "", body)
	switch {
	case err != nil && r.brokeOff(asked, err):
		return nil, fmt.Errorf("it gave no answer at %s: %w", path, err)
	case err != nil:
		return nil, errNotAsked
	}
	defer response.Body.Close()
	review := apiextensionsv1.ConversionReview{}
	if err := json.NewDecoder(http.MaxBytesReader(nil, response.Body, largestReview)).Decode(&review); err != nil {
		return nil, fmt.Errorf("reading its answer at %s, HTTP status %s: %w", path, response.Status, err)
	}
	switch answer := review.Response; {
	case answer == nil:
		return nil, fmt.Errorf("its answer at %s, HTTP status %s, has no response", path, response.Status)
	case answer.Result.Status != metav1.StatusSuccess:
		return nil, fmt.Errorf("it converts nothing: %s", answer.Result.Message)
	case len(answer.ConvertedObjects) != len(want.Objects):
		return nil, fmt.Errorf("it was given %d objects and gave back %d", len(want.Objects), len(answer.ConvertedObjects))
	default:
		return answer.ConvertedObjects, nil
	}
}

// relabel changes the version of objects, and nothing else.
func relabel(want *apiextensionsv1.ConversionRequest) ([]runtime.RawExtension, error) {
	relabelled := make([]runtime.RawExtension, len(want.Objects))
	for i, object := range want.Objects {
		content := &unstructured.Unstructured{}
		if err := content.UnmarshalJSON(bytes.Clone(object.Raw)); err != nil {
			return nil, fmt.Errorf("reading an object: %w", err)
		}
		content.SetAPIVersion(want.DesiredAPIVersion)
		raw, err := content.MarshalJSON()
		if err != nil {
			return nil, fmt.Errorf("writing an object: %w", err)
		}
		relabelled[i].Raw = raw
	}
	return relabelled, nil
}
