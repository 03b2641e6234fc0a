package play

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// events checks what a controller tells of the Service: requirements look at the Deployment.
func events() play {
	return play{apart: map[string]bool{"events/service-updated": true, "events/service-refused": true, "events/says-which": true, "events/service-done": true, "events/unanswered": true, "events/refused": true}, rules: []rule{
		{"events/service", "tells by an Event on the WebApp that its Service was created", ofService},
		{"events/service-updated", "tells by an Event on the WebApp that its Service was updated", ofServiceUpdated},
		{"events/service-refused", "tells by a Warning on the WebApp that the Service of that name is somebody else's", ofServiceRefused},
		{"events/says-which", "names in the message of its Warning the child that cannot be had, by its kind and its name", saysWhich},
		{"events/service-done", "tells by no Event that its Service was created, or updated, if that was refused", ofServiceDone},
		{"events/unanswered", "changes the Deployment though no Event is answered", unanswered},
		{"events/refused", "goes on with its work if the Events are refused", unheard},
	}}
}

func ofService(ctx context.Context, s *stage) error {
	if err := s.create(ctx, "demo"); err != nil {
		return err
	}
	return s.toldOfService(ctx, "demo", "it was created", nil, "")
}

func ofServiceUpdated(ctx context.Context, s *stage) error {
	before, err := s.eventsOn(ctx, "demo")
	if err != nil {
		return err
	}
	if err := s.patch(ctx, "demo", `{"spec":{"port":9090}}`); err != nil {
		return err
	}
	return s.toldOfService(ctx, "demo", "its port was changed", before, "")
}

func ofServiceRefused(ctx context.Context, s *stage) error {
	const name = "counter"
	if _, err := s.occupyService(ctx, name, nil); err != nil {
		return err
	}
	if err := s.create(ctx, name); err != nil {
		return err
	}
	return s.toldOfService(ctx, name, "its Service is somebody else's", nil, corev1.EventTypeWarning)
}

// saysWhich looks at the messages about children that cannot be had. Two children have the same
// name, so the kind must be in the message, too.
func saysWhich(ctx context.Context, s *stage) error {
	for _, child := range []struct {
		name, kind string
		occupy     func(name string) error
	}{
		{"kiosk", "Deployment", func(name string) error { return s.occupy(ctx, name, nil, nil) }},
		{"stall", "Deployment", func(name string) error { return s.occupy(ctx, name, nil, nil) }},
		{"booth", "Service", func(name string) error {
			_, err := s.occupyService(ctx, name, nil)
			return err
		}},
	} {
		if err := child.occupy(child.name); err != nil {
			return err
		}
		if err := s.create(ctx, child.name); err != nil {
			return err
		}
		if err := s.awaitEvent(ctx, child.name, fmt.Sprintf("its %s is somebody else's", child.kind),
			fmt.Sprintf("no Warning on it has %s and %s in its message", child.kind, child.name), func(e *corev1.Event) bool {
				message := strings.ToLower(e.Message)
				return e.Type == corev1.EventTypeWarning && strings.Contains(message, strings.ToLower(child.kind)) && strings.Contains(message, child.name)
			}); err != nil {
			return err
		}
	}
	return nil
}

// ofServiceDone refuses each create of a Service, and then each update of it. Meanwhile a Normal
// Event may say that it is tried, and not that it is done.
func ofServiceDone(ctx context.Context, s *stage) error {
	const name, attempts = "refused", 3
	before, done := map[string]*corev1.Event{}, regexp.MustCompile(`(?i)(created|updated).*service|service.*(created|updated)`)
	for _, each := range []struct {
		verb string
		act  func() error
	}{
		{"create", func() error { return s.create(ctx, name) }},
		{"update", func() error { return s.patch(ctx, name, `{"spec":{"port":9090}}`) }},
	} {
		fault := name + "-" + each.verb
		if err := s.bench(ctx, "faults", "Fault", fault, map[string]any{
			"match":  map[string]any{"verbs": []any{each.verb}, "resources": []any{"services"}, "names": []any{name}},
			"action": map[string]any{"respond": map[string]any{"code": int64(500)}},
		}); err != nil {
			return err
		}
		if err := each.act(); err != nil {
			return err
		}
		// An Event that is recorded before a write is sent by the time of the third attempt.
		if _, err := s.within(ctx, s.patience, func() (bool, error) {
			var now v1alpha1.Fault
			err := s.get(ctx, "faults", fault, &now)
			return now.Status.Hits >= attempts, err
		}); err != nil {
			return err
		}
		now, err := s.eventsOn(ctx, name)
		if err != nil {
			return err
		}
		for version, e := range now {
			if words := e.Reason + " " + e.Message; before[version] == nil && e.Type == corev1.EventTypeNormal && done.MatchString(words) {
				return &unmet{found: fmt.Sprintf("each %s of Service %s was answered with 500, and an Event on the WebApp says: %s (%s)", each.verb, name, e.Reason, e.Message)}
			}
		}
		if err := s.endFault(ctx, fault); err != nil {
			return err
		}
		// A controller that does not retry yet has had its last event of the Deployment, if the
		// machine is slow.
		if err := s.patch(ctx, name, fmt.Sprintf(`{"metadata":{"annotations":{"example.com/note":"look after the %s"}}}`, each.verb)); err != nil {
			return err
		}
		if err := s.hasBoth(ctx, name); err != nil {
			return err
		}
		if err := s.awaitEvent(ctx, name, "it was created", "no Event on it tells of its Service", func(e *corev1.Event) bool {
			return strings.Contains(strings.ToLower(e.Reason+" "+e.Message), "service")
		}); err != nil {
			return first(err)
		}
		if before, err = s.eventsOn(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// unanswered keeps the answers of all Events back. Who sends an Event in a reconcile waits for
// its answer, and nothing more is done for that WebApp.
func unanswered(ctx context.Context, s *stage) error {
	const fault, name = "unanswered", "patient"
	if err := s.bench(ctx, "faults", "Fault", fault, map[string]any{
		"match":  map[string]any{"verbs": []any{"create"}, "resources": []any{"events", "events.events.k8s.io"}},
		"action": map[string]any{"hold": map[string]any{}}, "times": int64(100),
	}); err != nil {
		return err
	}
	if err := s.createServed(ctx, name); err != nil {
		return err
	}
	err := s.await(ctx, s.patience, func() (bool, error) {
		var now v1alpha1.Fault
		err := s.get(ctx, "faults", fault, &now)
		return now.Status.Hits > 0, err
	})
	if wait.Interrupted(err) && ctx.Err() == nil {
		return &unmet{found: fmt.Sprintf("WebApp %s was created, and %s later no Event was sent; %s", name, s.patience, s.lastWords(6)), early: true}
	}
	if err != nil {
		return err
	}
	for _, replicas := range []int32{3, 4} { // After the first, the Event of an update is not answered either.
		if err := s.scale(ctx, name, int(replicas)); err != nil {
			return err
		}
		err := s.await(ctx, s.patience, func() (bool, error) { return s.hasReplicas(ctx, name, replicas) })
		if wait.Interrupted(err) && ctx.Err() == nil {
			return &unmet{found: fmt.Sprintf("no Event of WebApp %[1]s was answered; it was scaled to %[2]d, and %[3]s later its Deployment does not have %[2]d replicas; %[4]s",
				name, replicas, s.patience, s.lastWords(6))}
		}
		if err != nil {
			return err
		}
	}
	return s.endFault(ctx, fault)
}

// unheard refuses all Events. It comes last, as it may end the controller.
func unheard(ctx context.Context, s *stage) error {
	const fault = "unheard"
	if err := s.bench(ctx, "faults", "Fault", fault, map[string]any{
		"match":  map[string]any{"verbs": []any{"create", "update"}, "resources": []any{"events", "events.events.k8s.io"}},
		"action": map[string]any{"respond": map[string]any{"code": int64(403)}},
	}); err != nil {
		return err
	}
	if err := s.create(ctx, "speaker"); err != nil {
		return err
	}
	const done = "the Events were refused (403), and a WebApp was created"
	if err := told(s.served(ctx, "speaker", s.patience), done); err != nil {
		return err
	}
	if err := s.met(ctx, "faults", fault, s.patience); wait.Interrupted(err) && ctx.Err() == nil {
		return &unmet{found: fmt.Sprintf("WebApp speaker was created, and %s later no Event was sent; %s", s.patience, s.lastWords(6)), early: true}
	} else if err != nil {
		return err
	}
	if err := s.create(ctx, "listener"); err != nil {
		return err
	}
	err := told(s.served(ctx, "listener", s.patience), done+", and then another one")
	if err != nil {
		return err
	}
	gone, err := s.ended(ctx)
	if err != nil {
		return err
	}
	if gone {
		return &unmet{found: fmt.Sprintf("%s; then the controller has ended; %s", done, s.lastWords(6))}
	}
	return s.endFault(ctx, fault)
}

// toldOfService waits for an Event of a type, or of any, that tells of the Service of a
// WebApp. Those before do not count. What has happened to the WebApp is said by done.
func (s *stage) toldOfService(ctx context.Context, name, done string, before map[string]*corev1.Event, of string) error {
	return s.awaitEvent(ctx, name, done, fmt.Sprintf("no %s on it tells of its Service", cmp.Or(of, "Event")), func(e *corev1.Event) bool {
		return before[versionOf(e)] == nil && (of == "" || e.Type == of) && strings.Contains(strings.ToLower(e.Reason+" "+e.Message), "service")
	})
}

// awaitEvent waits for an Event on a WebApp, of its UID: kubectl describe shows no others. What has happened to the WebApp is said by done, and what
// is wrong without the Event by missing.
func (s *stage) awaitEvent(ctx context.Context, name, done, missing string, right func(*corev1.Event) bool) error {
	app, err := s.webApp(ctx, name)
	if err != nil {
		return err
	}
	var all []string
	err = s.await(ctx, s.patience, func() (bool, error) {
		now, err := s.eventsOn(ctx, name)
		if err != nil {
			return false, err
		}
		all = nil
		for _, e := range now {
			of := ""
			if e.InvolvedObject.UID != app.GetUID() {
				of = fmt.Sprintf(" of another object, as its involvedObject.uid is %q", e.InvolvedObject.UID)
			} else if right(e) {
				return true, nil
			}
			all = append(all, fmt.Sprintf("%s: %s (%s)%s", e.Type, e.Reason, e.Message, of))
		}
		return false, nil
	})
	if wait.Interrupted(err) && ctx.Err() == nil {
		slices.Sort(all)
		return &unmet{found: fmt.Sprintf("WebApp %s: %s, and %s later %s; Events on it: [%s]; %s",
			name, done, s.patience, missing, strings.Join(all, ", "), s.lastWords(6))}
	}
	return err
}

// eventsOn returns the Events on a WebApp. One that has come again is another.
func (s *stage) eventsOn(ctx context.Context, name string) (map[string]*corev1.Event, error) {
	all, err := s.kube.CoreV1().Events(s.namespace).List(ctx, metav1.ListOptions{FieldSelector: "involvedObject.name=" + name})
	if err != nil {
		return nil, fmt.Errorf("looking at the Events: %w", err)
	}
	on := map[string]*corev1.Event{}
	for n := range all.Items {
		if e := &all.Items[n]; e.InvolvedObject.Kind == "WebApp" {
			on[versionOf(e)] = e
		}
	}
	return on, nil
}

// versionOf tells an Event from one that has come again.
func versionOf(e *corev1.Event) string { return e.Name + " " + e.ResourceVersion }
