package subject

import (
	"context"
	"slices"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/history"
	"reconform.dev/reconform/internal/invariant"
)

// surround makes bystanders as soon as the controller has made its first child. By then
// the names and labels of its children are known. The function that it returns ends the
// wait for the child, and returns when the wait is over.
func (i *instance) surround(ctx context.Context) (end func()) {
	if i.env.Surround == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	news, done := make(chan struct{}, 1), make(chan struct{})
	unsubscribe := i.env.Recorder.Subscribe(func(changed string) {
		if changed != i.subject.Namespace {
			return
		}
		select {
		case news <- struct{}{}:
		default:
		}
	})
	go func() {
		defer close(done)
		child, found := i.awaitChild(ctx, news)
		unsubscribe()
		if !found {
			return
		}
		if err := i.env.Surround(ctx, child); err != nil && ctx.Err() == nil {
			i.env.Recorder.Event(history.Event{
				Scenario: i.subject.Namespace, Subject: i.subject.Name, Reason: EventNoBystanders, Message: err.Error(),
			})
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// betweenLooks is how long the record is left alone after a look at it.
const betweenLooks = 20 * time.Millisecond

// awaitChild waits until the record has the creation of the first child in the
// namespace. It returns false if ctx ends first, or if the child was made before this
// Subject.
func (i *instance) awaitChild(ctx context.Context, news <-chan struct{}) (history.Request, bool) {
	namespace := i.subject.Namespace
	var children []string
	for _, kind := range invariant.ContractOf(i.env.Profile(namespace)).Children {
		children = append(children, kind.String())
	}
	match := v1alpha1.RequestMatch{Verbs: []string{history.VerbCreate}, Resources: children}
	for {
		created := i.env.Recorder.Requests(history.Query{Scenario: namespace, Match: match})
		at := slices.IndexFunc(created, func(r history.Request) bool {
			return r.Effect == history.EffectEffective && r.Namespace == namespace
		})
		if at >= 0 {
			return created[at], created[at].Seq > i.after
		}
		select {
		case <-news:
		case <-ctx.Done():
			return history.Request{}, false
		}
		select {
		case <-time.After(betweenLooks):
		case <-ctx.Done():
			return history.Request{}, false
		}
	}
}
