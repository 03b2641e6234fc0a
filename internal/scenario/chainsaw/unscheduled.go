package chainsaw

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/kyverno/chainsaw/pkg/apis/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
)

// waitingCluster is Chainsaw's name for the cluster as asserts read it that wait for Pods:
// if the scheduler has no Node for a Pod, the read fails.
const waitingCluster = "waiting"

const (
	// lookAgain is the shortest time between two looks at the Pods of a namespace.
	lookAgain = 2 * time.Second
	// asserting is the longest time between two reads of one assert. A read after it belongs
	// to another assert.
	asserting = 2 * time.Second
	// bindingTakes is how many times as long as others a Pod may have no Node if it waits for
	// volumes that can be made. Kubernetes binds one claim after the other: on a busy machine,
	// a hundred of them take a minute.
	bindingTakes = 8
)

// waitsForPods tells whether an assert is about Pods that run, or are ready.
func waitsForPods(assert *v1alpha1.Assert) bool {
	text, err := json.Marshal(assert)
	return err == nil && aboutPods.Match(text)
}

var aboutPods = regexp.MustCompile(`readyReplicas|availableReplicas|EndpointSlice|"kind":"Pod"|'Pod'`)

// scheduling looks for Pods that have no Node, in namespaces in which an assert has waited
// for some time. If there is one, an assert that waits for Pods can end, and if any assert
// fails, that Pod may be why.
type scheduling struct {
	told *verdicts
	// patience is how long a Pod may have no Node, and binding how long if it waits for
	// volumes that can be made.
	patience, binding time.Duration
	// final is true if a Pod that has had no Node for so long gets none later.
	final bool

	mu    sync.Mutex
	reads map[string]reading // by URL
}

// reading says how long an object has been read again and again.
type reading struct{ since, last, looked time.Time }

// noting makes the reads of asserts look for such Pods, and note what they find.
func (s *scheduling) noting(next http.RoundTripper) http.RoundTripper {
	return &schedulingTransport{scheduling: s, next: next}
}

// ending does the same, and a read fails if there is a Pod that gets no Node later, either.
func (s *scheduling) ending(next http.RoundTripper) http.RoundTripper {
	return &schedulingTransport{scheduling: s, next: next, ends: s.final}
}

type schedulingTransport struct {
	*scheduling
	next http.RoundTripper
	ends bool
}

func (t *schedulingTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	response, err := t.next.RoundTrip(req)
	namespace := namespaceOf(req.URL.Path)
	if err != nil || req.Method != http.MethodGet || namespace == "" || !t.due(req.URL.String(), time.Now()) {
		return response, err
	}
	words := t.look(req)
	if words == "" {
		return response, nil
	}
	found := told{namespace: namespace, at: time.Now(), unscheduled: words}
	if t.ends {
		found.message = words
	}
	t.told.add(found)
	if !t.ends {
		return response, nil
	}
	_ = response.Body.Close() // nobody needs it
	return refusal(response, words)
}

// due tells whether to look at Pods now, when an assert reads a URL.
func (s *scheduling) due(url string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.reads[url]
	if now.Sub(r.last) > asserting {
		r = reading{since: now}
	}
	r.last = now
	due := now.Sub(r.since) >= s.patience && now.Sub(r.looked) >= lookAgain
	if due {
		r.looked = now
	}
	if s.reads == nil {
		s.reads = map[string]reading{}
	}
	s.reads[url] = r
	return due
}

// look returns the scheduler's words about a Pod, in the namespace of a request, for which
// it has had no Node for too long. It returns "" if there is none, or if the Pods cannot be
// read.
func (t *schedulingTransport) look(of *http.Request) string {
	var pods corev1.PodList
	if !t.read(of, "/api/v1/namespaces/"+namespaceOf(of.URL.Path)+"/pods?"+url.Values{"fieldSelector": {"spec.nodeName="}}.Encode(), &pods) {
		return ""
	}
	now := time.Now()
	for n := range pods.Items {
		pod := &pods.Items[n]
		words := unschedulable(pod, now.Add(-t.patience))
		if words != "" && (unschedulable(pod, now.Add(-t.binding)) != "" || !t.willBind(of, pod, words)) {
			return words
		}
	}
	return ""
}

// unbound is what the scheduler says of a Pod whose claims are not bound.
const unbound = "unbound immediate PersistentVolumeClaims"

// willBind tells whether a Pod waits for claims that are not bound yet, all of them of
// classes that exist. It also waits if the scheduler has not looked again since the last of
// them was bound: words are the scheduler's.
func (t *schedulingTransport) willBind(of *http.Request, pod *corev1.Pod, words string) bool {
	waits := strings.Contains(words, unbound)
	for _, volume := range pod.Spec.Volumes {
		var name string
		switch {
		case volume.PersistentVolumeClaim != nil:
			name = volume.PersistentVolumeClaim.ClaimName
		case volume.Ephemeral != nil:
			name = pod.Name + "-" + volume.Name
		default:
			continue
		}
		var claim corev1.PersistentVolumeClaim
		if !t.read(of, "/api/v1/namespaces/"+pod.Namespace+"/persistentvolumeclaims/"+name, &claim) {
			return false
		}
		if claim.Status.Phase == corev1.ClaimBound {
			continue
		}
		class := claim.Spec.StorageClassName
		if class == nil || *class == "" || !t.read(of, "/apis/storage.k8s.io/v1/storageclasses/"+*class, &storagev1.StorageClass{}) {
			return false
		}
		waits = true
	}
	return waits
}

// read reads what is at a path of the server that a request goes to, and returns false if
// it cannot be read.
func (t *schedulingTransport) read(of *http.Request, path string, into any) bool {
	req := of.Clone(of.Context())
	req.URL.RawPath = ""
	req.URL.Path, req.URL.RawQuery, _ = strings.Cut(before(of.URL.Path)+path, "?")
	req.Header.Set("Accept", "application/json")
	response, err := t.next.RoundTrip(req)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	return response.StatusCode == http.StatusOK && json.NewDecoder(response.Body).Decode(into) == nil
}

// unschedulable returns the scheduler's words about a Pod for which it has had no Node
// since a time, or "".
func unschedulable(pod *corev1.Pod, since time.Time) string {
	if pod.DeletionTimestamp != nil {
		return ""
	}
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse && c.Reason == corev1.PodReasonUnschedulable &&
			c.LastTransitionTime.Time.Before(since) {
			return fmt.Sprintf("Pod %s cannot be scheduled: %s", pod.Name, c.Message)
		}
	}
	return ""
}

// namespaceOf returns the namespace of the objects that a path reads, or "".
func namespaceOf(path string) string {
	_, rest, _ := strings.Cut(within(path), "/namespaces/")
	namespace, below, _ := strings.Cut(rest, "/")
	if below == "" {
		return ""
	}
	return namespace
}

// within returns a path without the path of the server.
func within(path string) string { return path[len(before(path)):] }

// before returns what stands before /api or /apis in a path: the path of the server.
func before(path string) string {
	if at := strings.Index(path, "/api"); at > 0 {
		return path[:at]
	}
	return ""
}
