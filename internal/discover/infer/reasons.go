package infer

import (
	"slices"
	"strings"
	"unicode"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/internal/record/history"
)

// told is an Event that the controller recorded about a primary object.
type told struct{ kind, reason, object, message string }

// eventsDuring returns the Events during an act, about the act's object.
func (r *Record) eventsDuring(a Act) []told {
	var events []told
	for _, frame := range r.Film.Between(a.After, a.Until) {
		if frame.Gone || frame.Object.GetKind() != "Event" || At(frame.Object.Object, "involvedObject.kind") != r.Kind {
			continue
		}
		object, _ := At(frame.Object.Object, "involvedObject.name").(string)
		kind, _ := At(frame.Object.Object, "type").(string)
		reason, _ := At(frame.Object.Object, "reason").(string)
		if object == a.Object && r.wroteEvent(frame.Object) {
			message, _ := At(frame.Object.Object, "message").(string)
			events = append(events, told{kind, reason, object, message})
		}
	}
	return events
}

func (r *Record) wroteEvent(event *unstructured.Unstructured) bool {
	return slices.ContainsFunc(r.Account.Requests, func(q history.Request) bool { return q.UID == event.GetUID() && q.Resource == "events" })
}

// reasons returns the reasons of the Events for a child that the controller makes, and for
// one that it changes; each is empty if no reason told of that each time. If Events name the
// main child, only those count: the controller may use one reason for several children, and
// another reason for something else. rarely is a reason that told of some changes only.
func (r *Record) reasons() (created, updated, rarely string) {
	kind := r.MainWorkload().Kind
	ofMain := r.aboutMainOf(kind)
	creating := r.acts(Create)
	if slices.ContainsFunc(creating, func(a Act) bool { return !slices.ContainsFunc(r.eventsDuring(a), ofMain) }) {
		ofMain = func(told) bool { return true } // not all Events name it
	}
	creations, first := r.countReasons(creating, ofMain)
	changing := slices.DeleteFunc(r.acts(Change), func(a Act) bool { return a.Anew }) // that was not a change
	changes, _ := r.countReasons(changing, ofMain)
	for _, reason := range first { // who makes a child, and changes it at once, tells first that it made it
		if creations[reason] == len(creating) && changes[reason] == 0 && (created == "" || aboutMain(reason, kind) > aboutMain(created, kind)) {
			created = reason
		}
	}
	followed := slices.DeleteFunc(changing, func(a Act) bool { return !r.followedByMain(a, kind) || r.toldTooMuch(a) })
	told, _ := r.countReasons(followed, ofMain)
	for _, reason := range sorted(changes) {
		switch {
		case creations[reason] > 0:
		case told[reason] < len(followed):
			rarely = reason
		case updated == "" || aboutMain(reason, kind) >= aboutMain(updated, kind):
			updated = reason
		}
	}
	return created, updated, rarely
}

// countReasons counts in how many acts a Normal Event of a reason came. The order is that in
// which the reasons came.
func (r *Record) countReasons(acts []Act, counts func(told) bool) (count map[string]int, order []string) {
	count = map[string]int{}
	for _, act := range acts {
		seen := map[string]bool{}
		for _, e := range r.eventsDuring(act) {
			if e.kind != "Normal" || seen[e.reason] || !counts(e) {
				continue
			}
			seen[e.reason] = true
			if count[e.reason]++; !slices.Contains(order, e.reason) {
				order = append(order, e.reason)
			}
		}
	}
	return count, order
}

// followedByMain tells whether a change changed a main child.
func (r *Record) followedByMain(act Act, kind string) bool {
	return r.templateChanged(act) || slices.ContainsFunc(r.Effects(act), func(e Effect) bool { return e.Child.Kind == kind })
}

// toldTooMuch tells whether so much had been told about an object before an act that the
// filter of client-go may have dropped what came then. It drops Events about an object
// after the first 25.
func (r *Record) toldTooMuch(act Act) bool {
	const most = 20
	before := act
	before.After, before.Until = 0, act.After
	return len(r.eventsDuring(before)) >= most
}

// aboutMainOf tells whether the message of an Event names a workload of this kind that was
// made for the Event's object.
func (r *Record) aboutMainOf(kind string) func(told) bool {
	names := map[string]map[string]bool{} // of the workloads, by object
	return func(e told) bool {
		if e.kind != "Normal" || !strings.Contains(strings.ToLower(e.message), strings.ToLower(kind)) {
			return false
		}
		if names[e.object] == nil {
			names[e.object] = r.namesMadeFor(e.object, kind)
		}
		return slices.ContainsFunc(words(e.message), func(word string) bool { return names[e.object][word] })
	}
}

// namesMadeFor returns the names of the objects of a kind that were made for an object.
func (r *Record) namesMadeFor(object, kind string) map[string]bool {
	made, names := r.madeFor(object), map[string]bool{}
	for _, frame := range r.Film {
		if frame.Object.GetKind() == kind && slices.Contains(made, frame.Object.GetUID()) {
			names[frame.Object.GetName()] = true
		}
	}
	return names
}

// words splits a text into words, and keeps names of objects whole.
func words(text string) []string {
	return strings.FieldsFunc(text, func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '-' && c != '.'
	})
}

// aboutMain says how likely a reason is about the main child of this kind. A reason that
// names the kind is likeliest, one that names a Service least likely.
func aboutMain(reason, kind string) int {
	reason = strings.ToLower(reason)
	switch {
	case strings.Contains(reason, strings.ToLower(kind)):
		return 2
	case strings.Contains(reason, "service"):
		return 0
	}
	return 1
}
