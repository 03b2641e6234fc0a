package subject

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	neturl "net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/sanitize"
)

const (
	probeWhileStarting = 50 * time.Millisecond
	probeWhileReady    = 500 * time.Millisecond
	probeTimeout       = 2 * time.Second
)

// probe keeps the replica's readiness and the number of its watches current while its
// process runs, which was started after this record.
func (r *replica) probe(ctx context.Context, after int64) {
	client := r.pages(probeTimeout).client // without a token, as a kubelet asks
	r.looked = lookedFor{at: time.Now()}   // it has not had the time to listen yet
	for {
		answer := r.ask(ctx, client, after)
		watches := int32(len(r.env.Recorder.OpenWatches(r.subject.Namespace, r.name)))
		if ctx.Err() != nil {
			return
		}
		r.change(func(status *v1alpha1.ReplicaStatus) {
			status.Readyz = answer.ready
			if !answer.misplaced {
				r.misplacedSince = time.Time{}
			} else if r.misplacedSince.IsZero() {
				r.misplacedSince = time.Now()
			}
			r.unready = answer.words
			status.OpenWatches = watches
		})
		interval := probeWhileStarting
		if answer.ready {
			interval = probeWhileReady
		}
		timer := time.NewTimer(interval)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
	}
}

// answer is what a replica said when it was asked whether it is ready.
type answer struct {
	ready bool
	// words say what was asked, and what the answer was, if it is not ready.
	words string
	// misplaced is true if the profile seems to name a wrong place: time does not mend that.
	misplaced bool
}

// ask asks the replica itself, if the profile says how. A replica that cannot be asked
// is ready as soon as it watches its primary resource, or polls it.
func (r *replica) ask(ctx context.Context, client *http.Client, after int64) answer {
	p := r.env.Profile(r.subject.Namespace)
	get := p.Spec.Launch.Ready.HTTPGet
	if get == nil {
		resource := p.Spec.Contract.Resource
		primary := schema.GroupVersionResource{Group: resource.Group, Version: resource.Version, Resource: resource.Plural}
		if r.env.Recorder.Watches(r.subject.Namespace, r.name, primary) || r.env.Recorder.Polls(r.subject.Namespace, r.name, primary, after) {
			return answer{ready: true}
		}
		return answer{words: fmt.Sprintf("it does not watch %s.%s in version %s, and does not list it again and again "+
			"(the profile has no launch.ready.httpGet, so one of these shows that it is ready)", resource.Plural, resource.Group, resource.Version)}
	}
	url := fmt.Sprintf("%s://127.0.0.1:%d%s", cmp.Or(get.Scheme, "http"), r.ports[get.Port], get.Path)
	asked := fmt.Sprintf("GET %s (launch.ready.httpGet, its port %q)", url, get.Port)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return answer{words: fmt.Sprintf("%s: %v", asked, err), misplaced: true}
	}
	response, err := client.Do(request)
	if err != nil {
		return r.unanswered(asked, err)
	}
	defer response.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(response.Body, 64<<10))                             // as much as can be read
	if response.StatusCode >= http.StatusOK && response.StatusCode < http.StatusBadRequest { // as for a kubelet
		return answer{ready: true}
	}
	words := fmt.Sprintf("%s was answered with %d %s", asked, response.StatusCode, http.StatusText(response.StatusCode))
	switch first := sanitize.Text(sanitize.Cut(firstLine(string(body)), mostAnswer)); {
	case response.StatusCode == http.StatusNotFound:
		return answer{words: words + ": the controller does not serve this path; give launch.ready.httpGet.path, or another port, in the profile", misplaced: true}
	case response.StatusCode == http.StatusBadRequest && strings.Contains(first, "HTTPS"):
		return answer{words: words + ": it serves HTTPS there; give launch.ready.httpGet.scheme: https in the profile", misplaced: true}
	case first != "":
		words += ": " + first
	}
	return answer{words: words}
}

// mostAnswer is how much of an answer is quoted, in bytes.
const mostAnswer = 200

// unanswered says why a replica could not be asked. If nothing listens on its port, it says
// where the replica listens, if that can be known.
func (r *replica) unanswered(asked string, err error) answer {
	var timeout interface{ Timeout() bool }
	switch {
	case errors.As(err, &timeout) && timeout.Timeout():
		return answer{words: fmt.Sprintf("%s had no answer within %s", asked, probeTimeout)}
	case !errors.Is(err, syscall.ECONNREFUSED):
		if cause := (*neturl.Error)(nil); errors.As(err, &cause) {
			err = cause.Err // the rest is in asked
		}
		return answer{words: fmt.Sprintf("%s: %v", asked, err)}
	}
	words := asked + ": nothing listens there"
	if !r.env.ownNetwork() {
		return answer{words: words}
	}
	ports := r.lookForPorts()
	if len(ports) == 0 {
		return answer{words: words}
	}
	var others []string
	for _, port := range ports {
		others = append(others, strconv.Itoa(port))
	}
	return answer{
		words: fmt.Sprintf("%s; the controller listens on %s (give it the numbers of launch.ports in launch.command, or name the port in launch.fixedPorts)",
			words, strings.Join(others, ", ")),
		misplaced: true,
	}
}

// lookedFor has the ports on which a replica listened when that was last looked for.
type lookedFor struct {
	at    time.Time
	ports []int
}

// lookForPorts returns the ports on which the replica listens. It looks twice a second, because
// that costs more than a probe. Only the probe may call it.
func (r *replica) lookForPorts() []int {
	if time.Since(r.looked.at) >= probeWhileReady {
		ports, _ := r.listening() // none if that cannot be known
		r.looked = lookedFor{time.Now(), ports}
	}
	return r.looked.ports
}

// firstLine returns the first line of a text that is not empty.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
