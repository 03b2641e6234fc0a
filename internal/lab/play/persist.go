package play

import (
	"context"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

var (
	deployments = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	services    = schema.GroupVersionResource{Version: "v1", Resource: "services"}
)

// persist checks what happens to a WebApp when its trouble is over and no event says so.
func persist() play {
	return play{
		rules: []rule{
			{
				"persist/service", "makes a deleted Service again though creates were cut off without an answer for 2 s, and the Deployment is as it should be",
				func(ctx context.Context, s *stage) error {
					return s.outlive(ctx, services, "shop", noAnswer, 2*time.Second)
				},
			},
			{
				"persist/long", "makes the Deployment though creates have failed for 3.5 s",
				func(ctx context.Context, s *stage) error {
					return s.outlive(ctx, deployments, "demo", 500, 3500*time.Millisecond)
				},
			},
			{"persist/updates", "corrects the Deployment, and the Service, though updates have failed for 3.5 s", func(ctx context.Context, s *stage) error {
				const long = 3500 * time.Millisecond
				if err := s.outliveUpdates(ctx, ofReplicas(), "stand", 500, "500", long); err != nil {
					return err
				}
				return s.outliveUpdates(ctx, ofPort(), "booth", 500, "500", long)
			}},
			{
				"persist/many", fmt.Sprintf("still waits for the longest pause after %d failures, and still tries again after %s", manyFailures, lasting),
				many,
			},
		},
		apart: map[string]bool{"persist/service": true, "persist/long": true, "persist/updates": true, "persist/many": true},
	}
}

// conflicted checks the same for an update. It is a play of its own, so that nobody waits for one
// after the other.
func conflicted() play {
	return play{rules: []rule{{
		"conflict/outlived", "changes the Deployment though updates were answered with 409 for 3 s, and makes pauses between them; so it does with the Service and with the status", conflicts,
	}}}
}

// absent checks the same for trouble that looks as if the WebApp were gone.
func absent() play {
	return play{apart: map[string]bool{"absent/namespace": true, "absent/update": true}, rules: []rule{
		{
			"absent/namespace", "makes the Deployment, and the Service, though creates were answered with 404 for 2 s: the namespace, or the resource, is not found",
			func(ctx context.Context, s *stage) error {
				began := time.Now()
				if err := s.outlive(ctx, deployments, "demo", 404, 2*time.Second); err != nil {
					return err
				}
				if err := s.pausing("create", "demo", "404", began); err != nil {
					return err
				}
				return s.outlive(ctx, services, "shop", 404, 2*time.Second)
			},
		},
		{"absent/update", "corrects the Deployment, and the Service, though updates were answered with 404 for 2 s", func(ctx context.Context, s *stage) error {
			if err := s.outliveUpdates(ctx, ofReplicas(), "stand", 404, "404 (not found)", 2*time.Second); err != nil {
				return err
			}
			return s.outliveUpdates(ctx, ofPort(), "booth", 404, "404 (not found)", 2*time.Second)
		}},
		{"absent/webapp", "is done with a WebApp that is gone, and does not take it for a failure", goneIsDone},
	}}
}

// A WebApp that is gone may be failing when it goes, once or twice. Who takes that for a failure
// has failed goneFailures times in goneFor, if the pauses begin short.
const (
	goneFor      = 3 * time.Second
	goneFailures = 4
)

// goneIsDone deletes a WebApp that has both children, and counts the failures that are printed.
func goneIsDone(ctx context.Context, s *stage) error {
	const name = "brief"
	if err := s.withBoth(ctx, name); err != nil {
		return err
	}
	about := s.about("", name)
	failures := func() int {
		return len(slices.DeleteFunc(s.lines(), func(line string) bool { return !about.MatchString(line) || !failed.MatchString(line) }))
	}
	before, more := failures(), 0
	if err := s.remove(ctx, name); err != nil {
		return err
	}
	err := s.await(ctx, goneFor, func() (bool, error) {
		more = failures() - before
		return more >= goneFailures, nil
	})
	if err == nil {
		return &unmet{found: fmt.Sprintf(`WebApp %[1]s was deleted, and then %[2]d more lines had %[3]s/%[1]s and "failed"; %[4]s`, name, more, s.namespace, s.lastWords(6))}
	}
	if wait.Interrupted(err) && ctx.Err() == nil {
		return nil
	}
	return err
}

const (
	// conflicting is how long updates are answered with a conflict.
	conflicting = 3 * time.Second
	// noPause is shorter than the longest pause in that time, if the pauses grow.
	noPause = 250 * time.Millisecond
)

// conflicts has updates of each child, and then of the status, answered with 409 for a while, and
// looks at the pauses between those of the Deployment.
func conflicts(ctx context.Context, s *stage) error {
	const name = "rival"
	began := time.Now()
	if err := s.outliveUpdates(ctx, ofReplicas(), name, 409, "409 (conflict)", conflicting); err != nil {
		return err
	}
	if err := s.pausing("update", name, "409 (conflict)", began); err != nil {
		return err
	}
	if err := s.outliveUpdates(ctx, ofPort(), "peer", 409, "409 (conflict)", 2*time.Second); err != nil {
		return err
	}
	return s.outliveUpdates(ctx, ofPhase(), "scribe", 409, "409 (conflict)", 2*time.Second)
}

// pausing expects that there was a pause between requests for a Deployment that have failed
// since a time.
func (s *stage) pausing(verb, name, answered string, began time.Time) error {
	pauses := s.pauses(verb, name, began, time.Time{})
	if len(pauses) == 0 || slices.Max(pauses) >= noPause {
		return nil
	}
	return &unmet{found: fmt.Sprintf("requests to %s Deployment %s were answered with %s, and it tried %d times, without a pause: the longest was %s",
		verb, name, answered, len(pauses)+1, rounded(slices.Max(pauses)))}
}

// correction is an update of a child, or of the status, that becomes due.
type correction struct {
	kind, resource string
	subresource    string
	what           string                                              // has happened to it, after the name of the WebApp
	cause          func(*stage, context.Context, string) error         // makes it due
	done           func(*stage, context.Context, string) (bool, error) // tells whether it has come
}

// updates matches the updates of what belongs to the WebApp with a name, as a field of a Fault or
// a Traffic.
func (c correction) updates(name string) map[string]any {
	match := map[string]any{"verbs": []any{"update"}, "resources": []any{c.resource}, "names": []any{name}}
	if c.subresource != "" {
		match["subresource"] = c.subresource
	}
	return match
}

// refuse makes a Fault that has the name of the WebApp, and answers the updates that become due
// with a code.
func (s *stage) refuse(ctx context.Context, due correction, name string, code int64) error {
	return s.bench(ctx, "faults", "Fault", name, map[string]any{
		"match": due.updates(name), "action": map[string]any{"respond": map[string]any{"code": code}},
	})
}

// ofReplicas is due because the WebApp is scaled.
func ofReplicas() correction {
	const replicas = 3
	return correction{
		"Deployment", deployments.GroupResource().String(), "", "was scaled",
		func(s *stage, ctx context.Context, name string) error { return s.scale(ctx, name, replicas) },
		func(s *stage, ctx context.Context, name string) (bool, error) {
			return s.hasReplicas(ctx, name, replicas)
		},
	}
}

// ofPort is due because somebody else changes the port of the Service: no Pod starts, and no
// event leads to another attempt.
func ofPort() correction {
	var port int32 // what it was before
	return correction{
		"Service", services.GroupResource().String(), "", "had the port of its Service changed by somebody else",
		func(s *stage, ctx context.Context, name string) error {
			all := s.kube.CoreV1().Services(s.namespace)
			service, err := all.Get(ctx, name, metav1.GetOptions{})
			if err != nil {
				return fmt.Errorf("reading the port of a Service: %w", err)
			}
			port = service.Spec.Ports[0].Port
			other := fmt.Appendf(nil, `[{"op":"replace","path":"/spec/ports/0/port","value":%d}]`, port+1)
			if _, err := all.Patch(ctx, name, types.JSONPatchType, other, metav1.PatchOptions{}); err != nil {
				return fmt.Errorf("changing the port of a Service: %w", err)
			}
			return nil
		},
		func(s *stage, ctx context.Context, name string) (bool, error) {
			service, err := s.kube.CoreV1().Services(s.namespace).Get(ctx, name, metav1.GetOptions{})
			return err == nil && len(service.Spec.Ports) == 1 && service.Spec.Ports[0].Port == port, err
		},
	}
}

// ofPhase is due because somebody else changes the phase.
func ofPhase() correction {
	phase := "" // what it was before
	return correction{
		"status", webApps.GroupResource().String(), "status", "had its phase changed by somebody else",
		func(s *stage, ctx context.Context, name string) (err error) {
			if phase, err = s.phaseOf(ctx, name); err != nil {
				return err
			}
			return s.patch(ctx, name, `{"status":{"phase":"Degraded"}}`, "status")
		},
		func(s *stage, ctx context.Context, name string) (bool, error) {
			now, err := s.phaseOf(ctx, name)
			return now == phase, err
		},
	}
}

// outliveUpdates has updates of a child, or of the status, answered with a code for a
// while, and then succeed. No event of the child comes in that time. answered is the code
// in words.
func (s *stage) outliveUpdates(ctx context.Context, due correction, name string, code int64, answered string, while time.Duration) error {
	if err := s.create(ctx, name); err != nil {
		return err
	}
	if err := s.hasBoth(ctx, name); err != nil {
		return err
	}
	if err := s.rolledOut(ctx, name); err != nil {
		return err
	}
	if err := first(s.comesToRest(ctx)); err != nil {
		return err
	}
	updates := v1alpha1.RequestMatch{
		Verbs: []string{history.VerbUpdate}, Resources: []string{due.resource}, Names: []string{name}, Subresource: due.subresource,
	}
	if err := s.refuse(ctx, due, name, code); err != nil {
		return err
	}
	window := map[string]any{"match": due.updates(name), "start": "First", "windowMs": while.Milliseconds()}
	if err := s.bench(ctx, "traffics", "Traffic", name, window); err != nil {
		return err
	}
	began := time.Now()
	if err := due.cause(s, ctx, name); err != nil {
		return err
	}
	if err := s.met(ctx, "traffics", name, while+s.starting); wait.Interrupted(err) && ctx.Err() == nil {
		return &unmet{found: fmt.Sprintf("WebApp %s %s, and no update of its %s was sent; %s", name, due.what, due.kind, s.lastWords(6)), early: true}
	} else if err != nil {
		return err
	}
	tries := len(s.recorder.Requests(history.Query{Scenario: s.namespace, Since: began, Match: updates}))
	if err := s.endFault(ctx, name); err != nil {
		return err
	}
	long := s.untilNextTry(while, tries)
	err := s.await(ctx, long, func() (bool, error) { return due.done(s, ctx, name) })
	if wait.Interrupted(err) && ctx.Err() == nil {
		return &unmet{found: fmt.Sprintf("updates of %s %s were answered with %s for %s, %d times, and nobody has tried again in the %s after that",
			due.kind, name, answered, while, tries, long)}
	}
	return err
}

const (
	// manyFailures are more than anybody takes for a limit by mistake, and lasting is longer.
	manyFailures = 60
	lasting      = 32 * time.Second
	// grown is after how many failures the pauses are long, if they are doubled.
	grown = 10
	// between is how long nothing is changed after an attempt: a short pause ends in it.
	between = 250 * time.Millisecond
	// strayTries are how many attempts may come by themselves once the pauses are long: the end
	// of a pause that began before.
	strayTries = 2
)

// many has creates of a Deployment fail, often and for long, and then succeed.
func many(ctx context.Context, s *stage) error {
	const name = "tenacious"
	if err := s.createRefused(ctx, name, map[string]any{"code": int64(500)}); err != nil {
		return err
	}
	began := time.Now()
	tries, err := s.failOften(ctx, name)
	if err != nil {
		return err
	}
	// The first attempt may be the end of a pause that began before a limit of time.
	long := s.profile.Spec.Claims.Times.Retries().Longest.Duration + s.patience
	err = s.await(ctx, max(0, lasting-time.Since(began))+long, func() (bool, error) {
		all := s.tries("create", name, time.Time{})
		return len(all) > tries && all[len(all)-1].Sub(began) > lasting, nil
	})
	if err == nil {
		if err := s.endFault(ctx, name); err != nil {
			return err
		}
		err = s.await(ctx, long, func() (bool, error) { return s.there(ctx, name) })
	}
	if wait.Interrupted(err) && ctx.Err() == nil {
		all := s.tries("create", name, time.Time{})
		return &unmet{found: fmt.Sprintf("creating Deployment %s has failed %d times in %s, and nobody has tried again in the %s after that; %s",
			name, len(all), all[len(all)-1].Sub(began).Round(time.Second), long, s.lastWords(6))}
	}
	return err
}

// failOften waits until creates of a Deployment have failed often, and returns how often. A
// pause of 30 s after each failure would take half an hour, so the WebApp is changed after each
// attempt, which leads to the next one. If the count of failures is forgotten at some limit,
// the pauses are short again, and attempts come that no change has led to.
func (s *stage) failOften(ctx context.Context, name string) (tries int, err error) {
	changes, long := 0, 0 // long is how many attempts there were when the pauses had become long, and changes came after that
	var since time.Time   // they are long
	for {
		before := tries
		err := s.await(ctx, s.patience, func() (bool, error) {
			tries = s.creates(deployments, name)
			return tries > before, nil
		})
		if wait.Interrupted(err) && ctx.Err() == nil {
			return tries, &unmet{found: fmt.Sprintf("creating Deployment %s has failed %d times, WebApp %s was changed, and %s later there was no attempt; %s",
				name, tries, name, s.patience, s.lastWords(6))}
		}
		if err != nil {
			return tries, err
		}
		began := time.Now()
		if err := s.await(ctx, s.patience, func() (bool, error) { return time.Since(began) > between, nil }); err != nil {
			return tries, err
		}
		tries = s.creates(deployments, name)
		if long == 0 && tries >= grown {
			long, changes, since = tries, 0, time.Now()
		}
		due := strayTries + int(time.Since(since)/s.profile.Spec.Claims.Times.Retries().Longest.Duration)
		if stray := tries - long - changes; long > 0 && stray > due {
			return tries, &unmet{found: fmt.Sprintf("creating Deployment %s has failed %d times. After failure number %d WebApp %s was changed %d times, and it tried %d times more: "+
				"the pauses are short again, though nothing has succeeded; %s", name, tries, long, name, changes, tries-long, s.lastWords(6))}
		}
		if tries >= manyFailures {
			return tries, nil
		}
		if err := s.patch(ctx, name, fmt.Sprintf(`{"metadata":{"annotations":{"example.com/note":"change-%d"}}}`, tries)); err != nil {
			return tries, err
		}
		changes++
	}
}

// noAnswer stands for a request that is cut off before there is an answer.
const noAnswer = 0

// outlive makes the creates of a child of a WebApp fail for a while, and then succeed. They
// are answered with a code, or with nothing. A Service was there before, and is deleted: the
// events of a new Deployment would lead to many attempts, and so to long pauses.
func (s *stage) outlive(ctx context.Context, children schema.GroupVersionResource, name string, code int64, while time.Duration) error {
	action, how := map[string]any{"respond": map[string]any{"code": code}}, fmt.Sprintf("answered with %d", code)
	switch code {
	case noAnswer:
		action, how = map[string]any{"disconnect": map[string]any{}}, "cut off, without an answer,"
	case 404:
		message := fmt.Sprintf("namespaces %q not found", s.namespace)
		if children == services {
			message = "the server could not find the requested resource"
		}
		action = map[string]any{"respond": map[string]any{"code": code, "message": message}}
	}
	begin, before := s.create, 0
	if children == services {
		if err := s.withBoth(ctx, name); err != nil {
			return err
		}
		begin, before = func(ctx context.Context, name string, _ ...any) error { return s.loseService(ctx, name) }, s.creates(children, name)
	}
	match := map[string]any{"verbs": []any{"create"}, "resources": []any{children.GroupResource().String()}, "names": []any{name}}
	if err := s.bench(ctx, "faults", "Fault", name, map[string]any{"match": match, "action": action}); err != nil {
		return err
	}
	window := map[string]any{"match": match, "start": "First", "windowMs": while.Milliseconds()}
	if err := s.bench(ctx, "traffics", "Traffic", name, window); err != nil {
		return err
	}
	if err := begin(ctx, name); err != nil {
		return err
	}
	if err := s.met(ctx, "traffics", name, while+s.starting); wait.Interrupted(err) && ctx.Err() == nil {
		return &unmet{found: fmt.Sprintf("nobody has tried to create %s %s within %s; %s", children.Resource, name, s.starting, s.lastWords(6)), early: children == deployments}
	} else if err != nil {
		return err
	}
	tries := s.creates(children, name) - before
	if err := s.endFault(ctx, name); err != nil {
		return err
	}
	long := s.untilNextTry(while, tries)
	err := s.await(ctx, long, func() (bool, error) { return s.exists(ctx, children, name) })
	if wait.Interrupted(err) && ctx.Err() == nil {
		return &unmet{found: fmt.Sprintf("creates of %s %s were %s for %s, and nobody has tried again in the %s after that",
			children.Resource, name, how, while, long)}
	}
	return err
}

// withBoth creates a WebApp, and waits until it has both children, and nothing more happens.
func (s *stage) withBoth(ctx context.Context, name string) error {
	if err := s.create(ctx, name); err != nil {
		return err
	}
	if err := s.hasBoth(ctx, name); err != nil {
		return err
	}
	return s.noMoreEvents(ctx, name)
}

// hasBoth waits until a WebApp has both children: what a rule begins with.
func (s *stage) hasBoth(ctx context.Context, name string) error {
	if err := first(s.served(ctx, name, s.patience)); err != nil {
		return err
	}
	err := s.await(ctx, s.patience, func() (bool, error) { return s.exists(ctx, services, name) })
	if wait.Interrupted(err) && ctx.Err() == nil {
		return &unmet{found: fmt.Sprintf("WebApp %s has no Service %s after it was created; %s", name, s.patience, s.lastWords(6)), early: true}
	}
	return err
}

// noMoreEvents waits until the Deployment of a WebApp is rolled out, and the last event of it
// has been looked at.
func (s *stage) noMoreEvents(ctx context.Context, name string) error {
	if err := s.rolledOut(ctx, name); err != nil {
		return err
	}
	const looking = 500 * time.Millisecond
	since := time.Now()
	return s.await(ctx, s.patience, func() (bool, error) { return time.Since(since) > looking, nil })
}

// retrying is how many attempts there are at least in a few seconds if a failure is tried
// again. Fewer may be due to events, such as that of the status that says what has failed.
const retrying = 5

// untilNextTry is how long the next attempt may take after a number of failures in a while.
// With exponential backoff, the current pause is hardly longer than all before together. But a
// controller may go on with the longest pause after a few short ones, and each event makes the
// next pause longer. A controller that has not tried again by then takes the failure for one
// that does not pass.
func (s *stage) untilNextTry(while time.Duration, tries int) time.Duration {
	short := max(s.patience, while+time.Second)
	if tries < retrying {
		return short
	}
	return max(short, s.profile.Spec.Claims.Times.Retries().Longest.Duration+time.Second)
}

// creates counts the attempts to create a child.
func (s *stage) creates(children schema.GroupVersionResource, name string) int {
	match := v1alpha1.RequestMatch{Verbs: []string{history.VerbCreate}, Resources: []string{children.GroupResource().String()}, Names: []string{name}}
	return len(s.recorder.Requests(history.Query{Scenario: s.namespace, Match: match}))
}

// endFault ends a Fault.
func (s *stage) endFault(ctx context.Context, name string) error {
	if err := s.client.Resource(benchKind("faults")).Namespace(s.namespace).Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
		return fmt.Errorf("ending the fault: %w", err)
	}
	return nil
}

// met waits until the verdict of one of the bench's objects is Met.
func (s *stage) met(ctx context.Context, resource, name string, long time.Duration) error {
	err := s.await(ctx, long, func() (bool, error) {
		object, err := s.client.Resource(benchKind(resource)).Namespace(s.namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		verdict, _, err := unstructured.NestedString(object.Object, "status", "verdict")
		return verdict == "Met", err
	})
	if err != nil {
		return fmt.Errorf("waiting for %s %s: %w", resource, name, err)
	}
	return nil
}

// served waits until a WebApp has its Deployment.
func (s *stage) served(ctx context.Context, name string, long time.Duration) error {
	err := s.await(ctx, long, func() (bool, error) { return s.there(ctx, name) })
	if wait.Interrupted(err) && ctx.Err() == nil {
		return &unmet{found: fmt.Sprintf("WebApp %s has no Deployment %s after it was created; %s", name, long, s.lastWords(6))}
	}
	return err
}

// createServed creates a WebApp, and waits until it has its Deployment: what a rule begins with.
func (s *stage) createServed(ctx context.Context, name string) error {
	if err := s.create(ctx, name); err != nil {
		return err
	}
	return first(s.served(ctx, name, s.patience))
}

// there tells whether a Deployment exists.
func (s *stage) there(ctx context.Context, name string) (bool, error) {
	return s.exists(ctx, deployments, name)
}

// exists tells whether a child exists.
func (s *stage) exists(ctx context.Context, children schema.GroupVersionResource, name string) (bool, error) {
	_, err := s.client.Resource(children).Namespace(s.namespace).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	return err == nil, err
}
