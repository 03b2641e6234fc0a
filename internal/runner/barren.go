package runner

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/objects"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/scenario/chainsaw"
)

const (
	// barrenEnough is how many scenarios must have waited for a child of some kind, to the end
	// of their waits and in vain, until a controller counts as one that makes none.
	barrenEnough = 3
	// barrenAfter is how long each further scenario then waits for such a child, at a time
	// scale of 1.
	barrenAfter = 10 * time.Second
)

// barren tells which kinds of children a controller has never made, though several scenarios
// have waited for one. It has no lock of its own.
type barren struct {
	recorder   *history.Recorder
	children   []schema.GroupResource
	namespaces []string                     // of all its scenarios that have begun
	vain       map[schema.GroupResource]int // scenarios that have waited to the end
	made       map[schema.GroupResource]bool
	told       map[schema.GroupResource]bool // whether the console has shown it
}

func newBarren(recorder *history.Recorder, i *Implementation) *barren {
	return &barren{
		recorder: recorder, children: i.contract.Children, vain: map[schema.GroupResource]int{},
		made: map[schema.GroupResource]bool{}, told: map[schema.GroupResource]bool{},
	}
}

// waited notes that a scenario has waited for a child to the end, and did not find it.
func (b *barren) waited(namespace string, child schema.GroupResource) {
	if slices.Contains(b.children, child) && !b.madeIn(namespace, child) {
		b.vain[child]++
	}
}

// of tells whether the controller has made no child of this kind in any scenario.
func (b *barren) of(child schema.GroupResource) bool {
	if b.vain[child] < barrenEnough {
		return false
	}
	if !b.made[child] {
		b.made[child] = slices.ContainsFunc(b.namespaces, func(namespace string) bool { return b.madeIn(namespace, child) })
	}
	return !b.made[child]
}

// madeIn tells whether the controller has made a child of this kind in a scenario.
func (b *barren) madeIn(namespace string, child schema.GroupResource) bool {
	match := v1alpha1.RequestMatch{Resources: []string{child.String()}}
	return slices.ContainsFunc(b.recorder.Requests(history.Query{Scenario: namespace, Match: match}), func(r history.Request) bool {
		return r.Code == http.StatusCreated && r.Effect == history.EffectEffective
	})
}

// resourceOf returns the resource of an object in an event of Chainsaw's. It is empty if the event
// names none, or an object of the bench.
func (i *Implementation) resourceOf(object string) schema.GroupResource {
	named, ok := chainsaw.ParseObject(object)
	if !ok || named.Resource.Group == v1alpha1.GroupVersion.Group {
		return schema.GroupResource{}
	}
	return i.contract.ResourceOf(named.Kind, named.Resource)
}

// inVain notes how long an assert has waited for a child that did not come. The lock is held.
func (w *waits) inVain(p *progress, failed chainsaw.Event, now time.Time) {
	if p.event.Operation != "assert" || failed.Object != p.event.Object || now.Sub(p.since) < w.after {
		return
	}
	w.barren(p.scenario.implementation).waited(p.scenario.namespace, p.scenario.implementation.resourceOf(failed.Object))
}

// barren returns what is known of the children of an implementation. The lock is held.
func (w *waits) barren(i *Implementation) *barren {
	if w.children[i] == nil {
		w.children[i] = newBarren(w.run.recorder, i)
	}
	return w.children[i]
}

// hopelessAsserts returns what to end: asserts that wait for children which the controller
// makes in no scenario. Here it is not known what an assert reads. The program that runs
// Chainsaw knows it: it ends only asserts that read such a child, and sends an event for each.
func (w *waits) hopelessAsserts(now time.Time) (endings []chainsaw.Ending) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range w.running {
		if p.event.Operation != "assert" {
			continue
		}
		for _, child := range w.barren(p.scenario.implementation).children {
			if w.hopeless(p, child, now) {
				endings = append(endings, chainsaw.Ending{
					Test: p.scenario.name(), Namespace: p.objectNamespace(), Resource: child.String(), Waited: w.afterBarren() / 2,
				})
			}
		}
	}
	return endings
}

// hopelessly tells whether an object of the bench waits for such a child, and has waited long
// enough. Then its wait counts as given up.
func (w *waits) hopelessly(waiting objects.Waiting, now time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.running[waiting.Namespace]
	child := schema.ParseGroupResource(waiting.Resource)
	if p == nil || waiting.Left < minLeft || !p.awaits(waiting) || !w.hopeless(p, child, now) {
		return false
	}
	w.givenUp[waiting.Namespace] = givenUp{child: child}
	return true
}

// hopeless tells whether a scenario has waited so long that it need not wait any longer for a
// child which the controller makes in no scenario. The lock is held.
func (w *waits) hopeless(p *progress, child schema.GroupResource, now time.Time) bool {
	b := w.barren(p.scenario.implementation)
	if now.Sub(p.since) < w.afterBarren() || p.event.Failed != "" || w.isGivenUp(p.scenario.namespace) || !b.of(child) {
		return false
	}
	if !b.told[child] {
		b.told[child] = true
		w.run.options.Console.Printf("the controller has made no %s in any scenario: from now on, each waits %s for one", child, w.afterBarren())
	}
	return true
}

func (w *waits) afterBarren() time.Duration {
	return time.Duration(float64(barrenAfter) * w.run.options.TimeoutScale)
}

// objectNamespace returns the namespace that the current assert reads.
func (p *progress) objectNamespace() string {
	named, _ := chainsaw.ParseObject(p.event.Object)
	return cmp.Or(named.Namespace, p.scenario.namespace)
}
