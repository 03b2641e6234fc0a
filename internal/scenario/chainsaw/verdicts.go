package chainsaw

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// The words between an object and its message, in the error of a read.
const (
	notMet  = " is not as expected: "
	invalid = " cannot be judged: "
)

// verdicts ends an assert on an object of the bench whose verdict is final and not Met: the
// read fails with the object's message. Without that, Chainsaw would wait until its
// timeout.
//
// It also keeps these messages, because Chainsaw reports an earlier difference, if it found
// one, instead of the failed read.
type verdicts struct {
	parent io.Writer // takes each verdict at once; may be nil

	mu   sync.Mutex
	told []told
}

// told is a verdict with which a read failed, or words about a Pod that has no Node.
type told struct {
	namespace string
	at        time.Time
	message   string
	proved    bool
	of        Measured
	// unscheduled has the scheduler's words about a Pod that has no Node. The message is
	// empty if no read failed because of it.
	unscheduled string
}

// wrap makes reads of the bench's objects fail according to their verdicts. It is only for
// asserts.
func (v *verdicts) wrap(next http.RoundTripper) http.RoundTripper {
	return &verdictTransport{next, v}
}

// add keeps a verdict, and tells the parent.
func (v *verdicts) add(t told) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.told = append(v.told, t)
	if v.parent != nil {
		printVerdict(v.parent, t)
	}
}

// between returns the last verdict on an object in a namespace with which a read failed
// between two times. Its message is empty if there is none. It also has the words about a
// Pod without a Node, if there was one.
func (v *verdicts) between(namespace string, from, to time.Time) told {
	v.mu.Lock()
	defer v.mu.Unlock()
	var found told
	for _, t := range slices.Backward(v.told) {
		if t.at.Before(from) || t.at.After(to) {
			continue
		}
		if isOf(t.namespace, namespace) && found.unscheduled == "" {
			found.unscheduled = t.unscheduled
		}
		if t.namespace == namespace && found.message == "" && t.message != "" {
			found.message, found.proved, found.of = t.message, t.proved, t.of
		}
	}
	return found
}

// isOf tells whether a namespace is that of a test, or another one that the test made, whose
// name begins like it.
func isOf(namespace, test string) bool {
	return namespace == test || strings.HasPrefix(namespace, test+"-")
}

type verdictTransport struct {
	next http.RoundTripper
	*verdicts
}

func (t *verdictTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	response, err := t.next.RoundTrip(req)
	if err != nil || req.Method != http.MethodGet || response.StatusCode != http.StatusOK || !isOfBench(req.URL) {
		return response, err
	}
	body, err := bodyOf(response)
	if err != nil {
		return nil, err
	}
	if found := verdictOf(body); found.message != "" {
		found.at = time.Now()
		t.add(found)
		return refusal(response, found.message)
	}
	return response, nil
}

// bodyOf reads the object in an answer. After that, it can still be read from the answer.
func bodyOf(response *http.Response) ([]byte, error) {
	body, err := io.ReadAll(response.Body)
	_ = response.Body.Close() // it has been read
	if err != nil {
		return nil, fmt.Errorf("reading the object in an answer: %w", err)
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	return body, nil
}

// isOfBench tells whether a URL reads objects of the bench. A watch does not count, because
// it has no end.
func isOfBench(url *url.URL) bool {
	return strings.HasPrefix(within(url.Path), "/apis/"+v1alpha1.GroupVersion.String()+"/namespaces/") && !url.Query().Has("watch")
}

// verdictOf returns what a read says if the verdict of an object is NotMet or Invalid. The
// message is empty for any other verdict.
func verdictOf(body []byte) told {
	var object measurement
	if json.Unmarshal(body, &object) != nil {
		return told{}
	}
	namespace, what := object.Metadata.Namespace, object.Kind+" "+object.Metadata.Name
	switch object.Status.Verdict {
	case v1alpha1.JudgementNotMet:
		return told{namespace: namespace, message: what + notMet + object.Status.Message, proved: object.Status.Proved, of: object.measured()}
	case v1alpha1.JudgementInvalid:
		return told{namespace: namespace, message: what + invalid + object.Status.Message}
	}
	return told{}
}

// refusal returns an answer with an error in place of the object.
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

// CannotBeJudged tells whether an operation failed because the bench could not judge one of
// its objects, or refused it. That says nothing about the subject.
func (f Failure) CannotBeJudged() bool {
	return strings.Contains(f.Message, invalid) || strings.Contains(f.Message, `webhook "`+v1alpha1.AdmissionName+`"`)
}
