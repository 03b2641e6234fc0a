package chainsaw

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// The words between an object and its message in the error that a read of it gives.
const (
	notMet  = " is not as expected: "
	invalid = " cannot be judged: "
)

// verdicts ends the wait for an object of the bench's whose verdict is final and not
// Met: the read fails with the object's message. Chainsaw would go on to wait until
// its time is over, and then tell of the one field that differs.
func verdicts(next http.RoundTripper) http.RoundTripper { return &verdictTransport{next} }

type verdictTransport struct{ next http.RoundTripper }

func (t *verdictTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	response, err := t.next.RoundTrip(req)
	if err != nil || req.Method != http.MethodGet || response.StatusCode != http.StatusOK || !isOfBench(req.URL.Path) {
		return response, err
	}
	body, err := io.ReadAll(response.Body)
	_ = response.Body.Close() // it was read
	if err != nil {
		return nil, fmt.Errorf("reading an object of the bench: %w", err)
	}
	if message := verdictOf(body); message != "" {
		return refusal(response, message)
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	return response, nil
}

// isOfBench tells whether a path is that of objects of the bench.
func isOfBench(path string) bool {
	return strings.HasPrefix(path, "/apis/"+v1alpha1.GroupVersion.String()+"/namespaces/")
}

// verdictOf is the message of an object whose verdict is final and not Met; empty for
// any other.
func verdictOf(body []byte) string {
	var object struct {
		Kind     string            `json:"kind"`
		Metadata metav1.ObjectMeta `json:"metadata"`
		Status   struct {
			Verdict v1alpha1.Judgement `json:"verdict"`
			Message string             `json:"message"`
		} `json:"status"`
	}
	if json.Unmarshal(body, &object) != nil {
		return ""
	}
	what := object.Kind + " " + object.Metadata.Name
	switch object.Status.Verdict {
	case v1alpha1.JudgementNotMet:
		return what + notMet + object.Status.Message
	case v1alpha1.JudgementInvalid:
		return what + invalid + object.Status.Message
	}
	return ""
}

// refusal is an answer with an error in place of the object.
func refusal(response *http.Response, message string) (*http.Response, error) {
	status := metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
		Status:   metav1.StatusFailure, Code: http.StatusFailedDependency, Message: message,
	}
	body, err := json.Marshal(status)
	if err != nil {
		return nil, fmt.Errorf("encoding a verdict: %w", err)
	}
	response.StatusCode, response.Status = http.StatusFailedDependency, "424 Failed Dependency"
	response.Header.Set("Content-Type", "application/json")
	response.ContentLength = int64(len(body))
	response.Header.Del("Content-Length")
	response.Body = io.NopCloser(bytes.NewReader(body))
	return response, nil
}

// CannotBeJudged tells whether an operation failed because an object of the bench's
// could not be judged, which says nothing of the subject.
func (f Failure) CannotBeJudged() bool { return strings.Contains(f.Message, invalid) }
