package play

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// terminating holds a WebApp that is being deleted by a finalizer, takes its children away,
// and lets the controller look at the WebApp.
func terminating(ctx context.Context, s *stage) (err error) {
	if err := s.create(ctx, "demo", "scenarios.reconform.dev/hold"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.patch(ctx, "demo", `{"metadata":{"finalizers":null}}`)) }()
	if err := first(s.served(ctx, "demo", s.patience)); err != nil {
		return err
	}
	// A controller may ignore the events of a WebApp that is being deleted. Then only a start
	// shows what it does with the WebApp.
	unseen := false
	looked := func(act func() error) error {
		if err := s.finished(ctx, "demo"); err != nil {
			return err
		}
		before := count(s.lines(), s.about("Finished", "demo"))
		if err := act(); err != nil || unseen {
			return err
		}
		err := s.expect(ctx, "Finished", "demo", before)
		var not *unmet
		if errors.As(err, &not) {
			unseen, err = true, nil
		}
		return err
	}
	told := len(s.lines())
	if err := looked(func() error { return s.remove(ctx, "demo") }); err != nil {
		return err
	}
	if err := s.loseChild(ctx, "demo"); err != nil {
		return err
	}
	if err := s.loseService(ctx, "demo"); err != nil {
		return err
	}
	for n := range strayFailures + 1 {
		err := looked(func() error { return s.note(ctx, fmt.Sprintf("look %d", n)) })
		if err != nil {
			return err
		}
	}
	started := ""
	if unseen {
		if _, err := s.disrupt(ctx, v1alpha1.ActionRestart); err != nil {
			return err
		}
		if err := s.ready(ctx); err != nil {
			return err
		}
		started = " it was started again,"
		if err := s.await(ctx, s.patience, func() (bool, error) { return s.there(ctx, "demo") }); err != nil && (!wait.Interrupted(err) || ctx.Err() != nil) {
			return err
		}
	}
	for kind, children := range map[string]schema.GroupVersionResource{"Deployment": deployments, "Service": services} {
		if again, err := s.exists(ctx, children, "demo"); err != nil {
			return err
		} else if again {
			return &unmet{found: fmt.Sprintf("WebApp demo is being deleted (a finalizer holds it),%s and a new %s was made for it", started, kind)}
		}
	}
	if failures := s.failures("demo", told); len(failures) > strayFailures {
		return &unmet{found: fmt.Sprintf("WebApp demo is being deleted (a finalizer holds it), and since then %d lines say that its reconcile has failed; the last one: %s",
			len(failures), failures[len(failures)-1])}
	}
	return nil
}

// strayFailures are how many lines may tell of a failure while a WebApp is being deleted: a
// request that was sent meanwhile may fail.
const strayFailures = 2

// stale matches the words of the API server for a write that began from an old cache: the object
// was changed meanwhile, or made. Any controller meets one now and then.
var stale = regexp.MustCompile(`has been modified|\b409\b|(deployments\.apps|services) \\*"[^"]+" already exists`)

// failures returns the lines that tell of a failure of a WebApp, beginning with the line of
// this number. Those that tell of an old cache are left out: a dropped error does not look told
// because another request has failed.
func (s *stage) failures(name string, from int) (told []string) {
	about, lines := s.about("", name), s.lines()
	for _, line := range lines[min(from, len(lines)):] {
		if about.MatchString(line) && failed.MatchString(line) && !stale.MatchString(line) {
			told = append(told, line)
		}
	}
	return told
}

// noDelete looks at the requests that the controller has sent until the WebApp was gone. It
// comes after terminating, which deletes the WebApp.
func noDelete(ctx context.Context, s *stage) error {
	if err := s.expectGone(ctx, "demo"); err != nil {
		return first(err)
	}
	if err := s.finished(ctx, "demo"); err != nil {
		return err
	}
	deletes := s.recorder.Requests(history.Query{Scenario: s.namespace, Match: v1alpha1.RequestMatch{
		Verbs: []string{history.VerbDelete}, Resources: []string{"deployments.apps", "services"},
	}})
	if len(deletes) > 0 {
		return &unmet{found: fmt.Sprintf("WebApp demo was deleted, and the controller has sent a request to delete a child of it: %s", deletes[0].InWords())}
	}
	return nil
}
