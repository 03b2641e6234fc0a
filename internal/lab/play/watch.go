package play

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/util/wait"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// watch checks the lines that a controller prints with --watch-only.
func watch() play {
	return play{arguments: []string{"--watch-only"}, rules: []rule{
		{"watch/added", `prints "Added NAMESPACE/NAME" when a WebApp is created`, added},
		{"watch/updated", `prints "Updated NAMESPACE/NAME" when a WebApp changes, one line for each change`, updated},
		{"watch/resync", "prints nothing when the informer lists again and nothing has changed", resync},
		{"watch/deleted", `prints "Deleted NAMESPACE/NAME" when a WebApp is deleted, and "Added" when it is created again`, deleted},
		{"watch/tombstone", `prints "Deleted NAMESPACE/NAME" when a WebApp was deleted while the watch was broken`, tombstone},
		{"watch/start", `prints "Added NAMESPACE/NAME" for a WebApp that is there when it starts`, thereAtTheStart},
	}}
}

func added(ctx context.Context, s *stage) error {
	if err := s.create(ctx, "first"); err != nil {
		return err
	}
	return s.expect(ctx, "Added", "first", 0)
}

func updated(ctx context.Context, s *stage) error {
	changes := []struct {
		what, patch  string
		subresources []string
	}{
		{"the replicas", `{"spec":{"replicas":3}}`, nil},
		{"the image", `{"spec":{"image":"registry.example/demo:v2"}}`, nil},
		{"a label", `{"metadata":{"labels":{"example.com/team":"a"}}}`, nil},
		{"an annotation", `{"metadata":{"annotations":{"example.com/note":"a"}}}`, nil},
		{"the status", `{"status":{"readyReplicas":1}}`, []string{"status"}},
	}
	for _, change := range changes {
		before := count(s.lines(), s.about("Updated", "first"))
		if err := s.patch(ctx, "first", change.patch, change.subresources...); err != nil {
			return err
		}
		if err := told(s.expect(ctx, "Updated", "first", before), change.what+" of WebApp first was changed"); err != nil {
			return err
		}
	}
	// The second line about the last change may still come. Those about the others are there.
	lines := s.lines()
	added, updated := count(lines, s.about("Added", "first")), count(lines, s.about("Updated", "first"))
	if added > 1 || updated > len(changes) {
		return &unmet{found: fmt.Sprintf("WebApp first was created once and changed %d times, and \"Added\" was printed %d ×, and \"Updated\" %d ×; %s",
			len(changes), added, updated, s.lastWords(6))}
	}
	return nil
}

// resync makes every watch expire. The list that follows has the first WebApp, which is
// unchanged, and then the second one, which is new. After the line about the second, no
// other line may come.
func resync(ctx context.Context, s *stage) error {
	lines := s.lines()
	added, updated := count(lines, s.about("Added", "first")), count(lines, s.about("Updated", "first"))
	if err := s.watchFault(ctx, "expired", map[string]any{"expire": map[string]any{"as": "Event"}}); err != nil {
		return err
	}
	if err := s.endFault(ctx, "expired"); err != nil {
		return err
	}
	if err := s.create(ctx, "second"); err != nil {
		return err
	}
	if err := s.expect(ctx, "Added", "second", 0); err != nil {
		return err
	}
	lines = s.lines()
	if n := count(lines, s.about("Added", "first")) - added; n > 0 {
		return s.printedAgain("Added", n)
	}
	if n := count(lines, s.about("Updated", "first")) - updated; n > 0 {
		return s.printedAgain("Updated", n)
	}
	return nil
}

// printedAgain says that a new list was printed as a change of the first WebApp.
func (s *stage) printedAgain(word string, times int) error {
	return &unmet{found: fmt.Sprintf(`the watch expired, so the informer listed again; WebApp first had not changed, and "%s %s/first" was printed once more (%d ×); %s`,
		word, s.namespace, times, s.lastWords(6))}
}

func deleted(ctx context.Context, s *stage) error {
	if err := s.remove(ctx, "first"); err != nil {
		return err
	}
	if err := s.expect(ctx, "Deleted", "first", 0); err != nil {
		return err
	}
	before := count(s.lines(), s.about("Added", "first"))
	if err := s.create(ctx, "first"); err != nil {
		return err
	}
	return told(s.expect(ctx, "Added", "first", before), "WebApp first was deleted and created again")
}

func tombstone(ctx context.Context, s *stage) error {
	if err := s.loseDeletion(ctx, func() error { return s.remove(ctx, "second") }); err != nil {
		return err
	}
	return told(s.expect(ctx, "Deleted", "second", 0), "WebApp second was deleted while the watch was broken")
}

// thereAtTheStart starts the controller again: its first list has a WebApp.
func thereAtTheStart(ctx context.Context, s *stage) error {
	if err := s.create(ctx, "third"); err != nil {
		return err
	}
	if err := s.expect(ctx, "Added", "third", 0); err != nil {
		return err
	}
	before := count(s.lines(), s.about("Added", "third"))
	if _, err := s.disrupt(ctx, v1alpha1.ActionRestart); err != nil {
		return err
	}
	return told(s.expect(ctx, "Added", "third", before), "WebApp third was there, and the controller was started again")
}

// told says what was done before that which is unmet.
func told(err error, done string) error {
	if not := (*unmet)(nil); errors.As(err, &not) {
		not.found = done + ": " + not.found
	}
	return err
}

// loseDeletion has the watches of some resources, or all, stand still while something is
// deleted, and then expire. Only the list that follows says that it is gone.
func (s *stage) loseDeletion(ctx context.Context, remove func() error, resources ...any) error {
	if err := s.watchFault(ctx, "still", map[string]any{"freeze": map[string]any{"ends": "Expired"}}, resources...); err != nil {
		return err
	}
	if err := remove(); err != nil {
		return err
	}
	return s.endFault(ctx, "still")
}

// watchFault does something to the watches of some resources, or to all, and waits until
// it was done.
func (s *stage) watchFault(ctx context.Context, name string, action map[string]any, resources ...any) error {
	match := map[string]any{"verbs": []any{"watch"}}
	if len(resources) > 0 {
		match["resources"] = resources
	}
	fault := map[string]any{"match": match, "action": map[string]any{"watch": action}}
	if err := s.bench(ctx, "faults", "Fault", name, fault); err != nil {
		return err
	}
	err := s.met(ctx, "faults", name, s.patience)
	if wait.Interrupted(err) && ctx.Err() == nil {
		what := "no watch"
		for n, resource := range resources {
			what += []string{" of ", " and "}[min(n, 1)] + fmt.Sprint(resource)
		}
		return &unmet{found: fmt.Sprintf("it has %s that could be broken; %s", what, s.lastWords(6)), early: true}
	}
	return err
}
