package subject

import (
	"context"
	"net/http"
	"slices"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/invariant"
)

// surround makes bystanders as soon as the controller has made its first child, because the
// names and labels of its children are known by then. The returned function ends the wait
// for the child, and returns when the wait is over.
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
		defer unsubscribe()
		if child, found := i.awaitChild(ctx, news); found {
			i.keepSurrounded(ctx, child, news)
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// keepSurrounded makes bystanders around a child until they exist, and then more of them
// when the controller asks for other names. If some could not be made in the end, that is
// recorded.
func (i *instance) keepSurrounded(ctx context.Context, child history.Request, news <-chan struct{}) {
	var failed error
	var asked []history.Request
	stands := false
	for {
		if now := i.inVain(); !stands || len(now) > len(asked) {
			err := i.env.Surround(ctx, child, now)
			if ctx.Err() != nil {
				break
			}
			asked, failed, stands = now, err, err == nil
			i.tellNamesakes(asked)
		}
		if !i.pause(ctx, news, stands) {
			break
		}
	}
	if failed != nil {
		i.env.Recorder.Event(history.Event{
			Scenario: i.subject.Namespace, Subject: i.subject.Name, Reason: history.NoBystanders, Message: failed.Error(),
		})
	}
}

// tellNamesakes records which names bystanders may take.
func (i *instance) tellNamesakes(asked []history.Request) {
	for _, r := range asked {
		i.env.Recorder.Event(history.Event{
			Scenario: i.subject.Namespace, Subject: i.subject.Name, Reason: history.NamesakeMade, Object: r.GroupResource().String() + " " + r.Name,
		})
	}
}

// pause waits after an attempt. If all bystanders exist, it waits until there is something
// new. It returns false if ctx ends.
func (i *instance) pause(ctx context.Context, news <-chan struct{}, stands bool) bool {
	if stands {
		select {
		case <-news:
		case <-ctx.Done():
			return false
		}
	}
	select {
	case <-time.After(betweenAttempts):
		return true
	case <-ctx.Done():
		return false
	}
}

// mostVain is how often the controller must ask for a missing object until that counts as
// asking for it by name.
const mostVain = 2

// inVain returns requests to read or delete an object that does not exist, one for each
// object. The controller asks for the object again and again, but has never tried to create
// it. So it considers objects with this name its own.
func (i *instance) inVain() []history.Request {
	namespace := i.subject.Namespace
	match := v1alpha1.RequestMatch{Verbs: []string{history.VerbGet, history.VerbDelete, history.VerbCreate, history.VerbUpdate}}
	type object struct{ resource, name string }
	times := map[object]int{}
	var found []history.Request
	for _, r := range i.env.Recorder.Requests(history.Query{Scenario: namespace, After: i.after, Match: match}) {
		one := object{r.GroupResource().String(), r.Name}
		switch {
		case r.Namespace != namespace || r.Name == "" || r.Subresource != "":
		case r.Verb == history.VerbCreate || r.Verb == history.VerbUpdate:
			times[one] = -1
		case r.Code == http.StatusNotFound && times[one] >= 0:
			if times[one]++; times[one] == mostVain {
				found = append(found, r)
			}
		}
	}
	return slices.DeleteFunc(found, func(r history.Request) bool { return times[object{r.GroupResource().String(), r.Name}] < 0 })
}

// betweenAttempts is the shortest time until bystanders are made again.
const betweenAttempts = 500 * time.Millisecond

// betweenLooks is the pause between two looks at the record.
const betweenLooks = 20 * time.Millisecond

// awaitChild waits until the record has the creation of the first child in the namespace.
// It returns false if ctx ends first, or if the child was made before this Subject was.
func (i *instance) awaitChild(ctx context.Context, news <-chan struct{}) (history.Request, bool) {
	namespace := i.subject.Namespace
	var children []string // if none are known, whatever it makes is one
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
