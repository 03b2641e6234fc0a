package play

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/ptr"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// rest checks what a controller sends when there is nothing to do. Requests that change
// nothing, and those that are refused, count too.
func rest() play {
	return play{apart: map[string]bool{
		"rest/in-vain": true, "rest/tells": true, "rest/tells-updates": true, "rest/missing": true, "rest/restarts": true, "rest/reads": true, "rest/reads-later": true,
	}, rules: []rule{
		{"rest/looks", "looks at a WebApp whose children are as they should be, and sends no write; each WebApp has one Deployment, with its image, replicas and port", looks},
		{"rest/in-vain", `sends no write if it cannot find out whether the Deployment is there, and prints "NAMESPACE/NAME", with "failed"`, inVain},
		{"rest/tells", `prints "NAMESPACE/NAME", with "failed", if the Deployment cannot be created`, tells},
		{"rest/tells-updates", `prints "NAMESPACE/NAME", with "failed", if the Deployment or the Service cannot be updated`, tellsUpdates},
		{"rest/missing", "makes the Deployment again if it is missing at the next look, whatever was before", missing},
		{"rest/restarts", "sends no write when it is started again", restarts},
		{"rest/reads", "looks at a WebApp whose children are as they should be, also after a start, and reads no child from the API server", reads},
		{"rest/reads-later", fmt.Sprintf("reads nothing from the API server for %s in which nothing happens", unread), readsLater},
	}}
}

// neighbour is another WebApp in the same namespace. The name of the first begins with its name.
const neighbour = "dem"

// looks makes the controller look at a WebApp when it is at rest.
func looks(ctx context.Context, s *stage) error {
	if err := s.create(ctx, "demo"); err != nil {
		return err
	}
	if err := first(s.served(ctx, "demo", s.patience)); err != nil {
		return err
	}
	if err := s.createWith(ctx, neighbour, map[string]any{"image": "registry.example/other:v2", "replicas": int64(1), "port": int64(9090)}); err != nil {
		return err
	}
	if err := told(s.served(ctx, neighbour, s.patience), "WebApp demo has its Deployment, and another WebApp was created in the same namespace"); err != nil {
		return err
	}
	if err := s.has(ctx, neighbour, "image registry.example/other:v2, 1 replicas, port 9090"); err != nil {
		return err
	}
	if err := s.comesToRest(ctx); err != nil {
		return err
	}
	if err := s.silent(ctx, "looked", writes(), nil, func() error { return s.note(ctx, "look") }); err != nil {
		return err
	}
	return s.single(ctx)
}

// comesToRest expects that the controller sends nothing any more.
func (s *stage) comesToRest(ctx context.Context) error {
	err := s.settle(ctx)
	if wait.Interrupted(err) && ctx.Err() == nil {
		return &unmet{found: fmt.Sprintf("it has not come to rest within %s: it changes something again and again%s; %s",
			s.patience, s.lastWrite(), s.lastWords(6))}
	}
	return err
}

// has expects that the Deployment of a WebApp has what that asks for.
func (s *stage) has(ctx context.Context, name, asked string) error {
	deployment, err := s.kube.AppsV1().Deployments(s.namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("reading Deployment %s: %w", name, err)
	}
	var there []string
	for _, container := range deployment.Spec.Template.Spec.Containers {
		words := fmt.Sprintf("image %s, %d replicas", container.Image, ptr.Deref(deployment.Spec.Replicas, 1))
		for _, port := range container.Ports {
			words += fmt.Sprintf(", port %d", port.ContainerPort)
		}
		there = append(there, words)
	}
	if !slices.Contains(there, asked) {
		return &unmet{found: fmt.Sprintf("WebApp %s asks for %s, and its Deployment has %s", name, asked, strings.Join(there, "; "))}
	}
	return nil
}

// single expects that there is one Deployment for WebApp demo, and not one more. Those of the
// other WebApp are not counted.
func (s *stage) single(ctx context.Context) error {
	all, err := s.kube.AppsV1().Deployments(s.namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("listing the Deployments: %w", err)
	}
	var names []string
	for n := range all.Items {
		if name := all.Items[n].Name; name != neighbour && !strings.HasPrefix(name, neighbour+"-") {
			names = append(names, name)
		}
	}
	if len(names) > 1 {
		return &unmet{found: fmt.Sprintf("there are %d Deployments for one WebApp: %s", len(names), strings.Join(names, ", "))}
	}
	return nil
}

// lastWrite says which write the controller has sent last.
func (s *stage) lastWrite() string {
	requests := s.recorder.Requests(history.Query{Scenario: s.namespace, Match: v1alpha1.RequestMatch{Verbs: []string{history.VerbCreate, history.VerbUpdate, history.VerbDelete}}})
	if len(requests) == 0 {
		return ""
	}
	return "; its last write: " + requests[len(requests)-1].InWords()
}

func writes() []any { return []any{"create", "update", "delete"} }

// note changes an annotation of the WebApp that means nothing to anybody.
func (s *stage) note(ctx context.Context, text string) error {
	return s.patch(ctx, "demo", fmt.Sprintf(`{"metadata":{"annotations":{"example.com/note":%q}}}`, text))
}

// inVain makes reads of the Deployment fail, each time for another reason, and at last without an
// answer. A controller with a cache sends no such reads, so nothing fails for it.
func inVain(ctx context.Context, s *stage) error {
	const answered, unanswered = "unreadable", "unanswered"
	from := len(s.lines())
	reads := map[string]any{"verbs": []any{"get", "list"}, "resources": []any{"deployments.apps"}}
	if err := s.bench(ctx, "faults", "Fault", answered, map[string]any{
		"match":  reads,
		"action": map[string]any{"respond": map[string]any{"code": int64(500), "then": []any{int64(503), int64(403)}}},
		"times":  int64(100),
	}); err != nil {
		return err
	}
	read := false
	// failed makes the controller look, and waits for the read that a Fault hits.
	failed := func(fault string, hits int64) error {
		if err := s.note(ctx, fmt.Sprintf("look in vain: %s %d", fault, hits)); err != nil {
			return err
		}
		err := s.await(ctx, 300*time.Millisecond, func() (bool, error) {
			var now v1alpha1.Fault
			err := s.get(ctx, "faults", fault, &now)
			read = read || now.Status.Hits > 0
			return now.Status.Hits > hits, err
		})
		if wait.Interrupted(err) && ctx.Err() == nil {
			return nil
		}
		return err
	}
	if err := s.silent(ctx, "looked-in-vain", writes(), map[string]any{"windowMs": inVainFor.Milliseconds()}, func() error {
		for hits := range int64(3) {
			if err := failed(answered, hits); err != nil {
				return err
			}
		}
		if err := s.endFault(ctx, answered); err != nil {
			return err
		}
		if err := s.bench(ctx, "faults", "Fault", unanswered, map[string]any{
			"match": reads, "action": map[string]any{"disconnect": map[string]any{}}, "times": int64(100),
		}); err != nil {
			return err
		}
		return failed(unanswered, 0)
	}); err != nil {
		return err
	}
	if read {
		done := "reading Deployment demo was answered with 500, 503 and 403, and then with nothing"
		if err := s.expectFailureSince(ctx, "demo", from, done); err != nil {
			return err
		}
	}
	return s.endFault(ctx, unanswered)
}

// inVainFor is how long writes are counted while reads fail.
const inVainFor = 2500 * time.Millisecond

// tells lets the create of a Deployment fail.
func tells(ctx context.Context, s *stage) error {
	const name = "troubled"
	if err := s.createRefused(ctx, name, map[string]any{"code": int64(500)}); err != nil {
		return err
	}
	if err := s.expectFailure(ctx, name, "creating Deployment "+name+" was answered with 500"); err != nil {
		return err
	}
	if err := s.remove(ctx, name); err != nil {
		return err
	}
	return s.endFault(ctx, name)
}

// tellsUpdates lets the updates of one child fail, and then those of the other. No other update is
// due: one that meets a conflict would be told of, too.
func tellsUpdates(ctx context.Context, s *stage) error {
	for _, each := range []struct {
		name string
		due  correction
	}{{"unscaled", ofReplicas()}, {"unmoved", ofPort()}} {
		name, due := each.name, each.due
		if err := s.withBoth(ctx, name); err != nil {
			return err
		}
		from := len(s.lines())
		if err := s.refuse(ctx, due, name, 500); err != nil {
			return err
		}
		if err := due.cause(s, ctx, name); err != nil {
			return err
		}
		sent, err := s.within(ctx, s.patience, func() (bool, error) {
			var updates v1alpha1.Fault
			err := s.get(ctx, "faults", name, &updates)
			return updates.Status.Hits > 0, err
		})
		if !sent || err != nil {
			return err // If no update is sent, requirements say so.
		}
		done := fmt.Sprintf("WebApp %s %s, and updates of its %s were answered with 500", name, due.what, due.kind)
		if err := s.expectFailureSince(ctx, name, from, done); err != nil {
			return err
		}
		if err := s.endFault(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// missing deletes the Deployment of a WebApp, and then changes the WebApp, so that the controller
// looks at it. The WebApp is not new, and its generation is not the first.
func missing(ctx context.Context, s *stage) error {
	if err := s.loseChild(ctx, "demo"); err != nil {
		return err
	}
	if err := s.scale(ctx, "demo", 3); err != nil {
		return err
	}
	err := s.await(ctx, s.patience, func() (bool, error) { return s.there(ctx, "demo") })
	if wait.Interrupted(err) && ctx.Err() == nil {
		return &unmet{found: fmt.Sprintf("the Deployment of WebApp demo was deleted, and then the WebApp was changed; %s later the Deployment is not there; %s",
			s.patience, s.lastWords(6))}
	}
	if err != nil {
		return err
	}
	// Its Pods become ready, and a status that follows them is written.
	if err := s.noMoreEvents(ctx, "demo"); err != nil {
		return err
	}
	if err := s.settle(ctx); err != nil && !wait.Interrupted(err) {
		return err
	}
	return nil
}

func restarts(ctx context.Context, s *stage) error {
	if _, err := s.disrupt(ctx, v1alpha1.ActionRestart); err != nil {
		return err
	}
	if err := s.ready(ctx); err != nil {
		return err
	}
	since := map[string]any{"since": fmt.Sprintf("disruption-%d", s.disruptions)}
	return s.silent(ctx, "restarted", writes(), since, func() error { return nil })
}

// reads makes the controller look once more, and then look at everything after a start. It need
// not ask for objects of which it has a cache. The lists that fill the caches are sent after a
// start, too, and reads of a single object are not. The lists come late: a controller that
// has not waited for them reads single objects.
func reads(ctx context.Context, s *stage) error {
	if err := s.silent(ctx, "read", []any{"get", "list"}, nil, func() error { return s.note(ctx, "look again") }); err != nil {
		return err
	}
	const late = "late-lists"
	if err := s.bench(ctx, "faults", "Fault", late, map[string]any{
		"match":  map[string]any{"verbs": []any{"list"}, "resources": []any{"deployments.apps", "services"}},
		"action": map[string]any{"delayMs": int64(1000)},
	}); err != nil {
		return err
	}
	started := time.Now()
	if _, err := s.disrupt(ctx, v1alpha1.ActionRestart); err != nil {
		return err
	}
	if err := s.ready(ctx); err != nil {
		return err
	}
	if err := s.endFault(ctx, late); err != nil {
		return err
	}
	if err := s.note(ctx, "look after the start"); err != nil {
		return err
	}
	if err := s.comesToRest(ctx); err != nil {
		return err
	}
	single := s.recorder.Requests(history.Query{Scenario: s.namespace, Since: started, Match: v1alpha1.RequestMatch{
		Verbs: []string{history.VerbGet}, Resources: []string{"deployments.apps", "services"},
	}})
	if len(single) > 0 {
		return &unmet{found: fmt.Sprintf("it was started again, all children were as they should be, their lists came 1 s late, and it sent: %s", single[0].InWords())}
	}
	return nil
}

// unread is how long a controller is looked at that may read nothing.
const unread = 25 * time.Second

// readsLater leaves the controller alone. A read at intervals that are no longer is seen.
func readsLater(ctx context.Context, s *stage) error {
	if err := s.comesToRest(ctx); err != nil {
		return err
	}
	return s.silent(ctx, "read-later", []any{"get", "list"}, map[string]any{"windowMs": unread.Milliseconds()}, func() error { return nil })
}

// silent does something, and expects no request with these verbs after it. measured has further
// fields of the Traffic that counts them.
func (s *stage) silent(ctx context.Context, name string, verbs []any, measured map[string]any, act func() error) error {
	spec := map[string]any{
		"match": map[string]any{"verbs": verbs}, "windowMs": int64(1500), "expect": map[string]any{"requests": map[string]any{"max": int64(0)}},
	}
	maps.Copy(spec, measured)
	if err := s.bench(ctx, "traffics", "Traffic", name, spec); err != nil {
		return err
	}
	if err := act(); err != nil {
		return err
	}
	var counted v1alpha1.Traffic
	window, _ := spec["windowMs"].(int64)
	err := s.await(ctx, s.patience+time.Duration(window)*time.Millisecond, func() (bool, error) {
		err := s.get(ctx, "traffics", name, &counted)
		return !counted.Status.Verdict.IsPending(), err
	})
	if err != nil {
		return fmt.Errorf("counting the writes: %w", err)
	}
	if counted.Status.Verdict != v1alpha1.JudgementMet {
		return &unmet{found: counted.Status.Message}
	}
	return nil
}
