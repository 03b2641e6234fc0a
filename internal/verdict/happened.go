package verdict

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/sanitize"
	"reconform.dev/reconform/internal/scenario/chainsaw"
)

// happened says in words what made a step fail, if an Observation has seen it: by which
// request it came about. It also returns the number of that request. It returns "" if that is
// not known.
func (c *Case) happened(failure chainsaw.Failure) (words string, at int64) {
	switch of := failure.Of; {
	case of.Order != nil:
		return c.inWrongOrder(*of.Order)
	case of.Violation != nil && of.Resource != "":
		return c.broken(of.Resource, *of.Violation)
	}
	return "", 0
}

// inWrongOrder says what came first and had to come last, and what came last.
func (c *Case) inWrongOrder(order v1alpha1.ObservedOrder) (words string, at int64) {
	early, at, byIt := c.came(order.Early)
	late, _, byItToo := c.came(order.Late)
	if early == "" || late == "" || order.Early.ResourceVersion == order.Late.ResourceVersion {
		return "", 0
	}
	if byIt && byItToo && len(c.replicas()) == 1 {
		late = strings.Replace(late, controller, "it", 1)
	}
	return fmt.Sprintf("%s before %s", early, late), at
}

// came says how a version came about. It returns "" if that is not known. byIt is true if it
// was a request of the controller.
func (c *Case) came(v v1alpha1.ObservedVersion) (words string, at int64, byIt bool) {
	made, what := c.made(v), short(v.Resource, v.Name)
	switch {
	case len(made) > 0:
		return c.inWords(deed{requests: made, gone: v.Deleted}), made[0].Seq, true
	case v.Deleted:
		return what + " was deleted by somebody else", 0, false
	}
	return "", 0, false
}

// broken says how a version came about that must never have been.
func (c *Case) broken(resource string, violation v1alpha1.ObservedViolation) (words string, at int64) {
	v := v1alpha1.ObservedVersion{
		Resource: resource, Name: violation.Name, ResourceVersion: violation.ResourceVersion, UID: violation.UID, Deleted: violation.Deleted,
	}
	made, what := c.made(v), short(resource, violation.Name)
	changed := strings.Join(violation.Changed[:min(mostNamed, len(violation.Changed))], ", ")
	switch {
	case len(made) > 0 && made[0].Verb == history.VerbCreate && changed != "":
		words = fmt.Sprintf("%s, with %s", c.inWords(deed{requests: made}), changed)
		if n := slices.IndexFunc(c.Account.Requests, func(r history.Request) bool { return deletes(&r, made[0], v.Resource) }); n >= 0 {
			words += fmt.Sprintf("; it had deleted the one before (#%d)", c.Account.Requests[n].Seq)
		}
		return words, made[0].Seq
	case len(made) > 0:
		return c.inWords(deed{requests: made, meant: violation.Changed, gone: v.Deleted}), made[0].Seq
	case v.Deleted:
		return what + " was deleted, and not by a request of the controller", 0
	case changed != "" && ofTheBench(resource):
		return fmt.Sprintf("the bench saw this of %s: %s", what, changed), 0
	case changed != "":
		return fmt.Sprintf("somebody else changed %s: %s", what, changed), 0
	}
	return "", 0
}

// ofTheBench says whether a resource is one of the bench's own, such as that of Subjects. Its status
// says what the bench has seen, and no controller writes it.
func ofTheBench(resource string) bool {
	return schema.ParseGroupResource(resource).Group == v1alpha1.GroupVersion.Group
}

// deletes says whether a request deleted the object whose name a later one has.
func deletes(r, later *history.Request, resource string) bool {
	return r.Verb == history.VerbDelete && done(*r) && r.IsOf(resource) && r.Name == later.Name && r.Seq < later.Seq && r.UID != later.UID
}

// made returns the requests of the controller that made a version, or that deleted the
// object. A deletion may be asked for several times.
func (c *Case) made(v v1alpha1.ObservedVersion) []*history.Request {
	var found []*history.Request
	for n := range c.Account.Requests {
		r := &c.Account.Requests[n]
		if !done(*r) || !r.IsOf(v.Resource) || v.UID != "" && r.UID != "" && r.UID != v.UID || r.Name != v.Name {
			continue
		}
		switch {
		case v.Deleted && v.UID == "": // it is not certain which of the objects of this name it was
		case v.Deleted && (r.Verb == history.VerbDelete || r.Freed):
			found = append(found, r)
		case !v.Deleted && r.Verb != history.VerbDelete && r.ResourceVersion == v.ResourceVersion && r.Effect == history.EffectEffective:
			return []*history.Request{r}
		case !v.Deleted && r.Verb == history.VerbDelete && r.ResourceVersion == v.ResourceVersion:
			return []*history.Request{r} // it waits for its finalizers
		}
	}
	return found
}

// finalizers is the field that keeps an object that is being deleted.
const finalizers = "metadata.finalizers"

// finalizersIn returns how a request changed the finalizers of an object, or nil.
func finalizersIn(r *history.Request) *history.Change {
	n := slices.IndexFunc(r.Values, func(c history.Change) bool { return c.Path == finalizers })
	if n < 0 {
		return nil
	}
	return &r.Values[n]
}

// controller is what sentences call the subject.
const controller = "the controller"

// replicas returns the names of the processes that wrote anything.
func (c *Case) replicas() []string {
	var names []string
	for n := range c.Account.Requests {
		if r := &c.Account.Requests[n]; r.IsWrite() && !slices.Contains(names, r.Replica) {
			names = append(names, r.Replica)
		}
	}
	return names
}

// who names the process that sent a request, if there are several.
func (c *Case) who(r *history.Request) string {
	if len(c.replicas()) > 1 && r.Replica != "" {
		return r.Replica
	}
	return controller
}

// deed is what requests did to one object.
type deed struct {
	requests []*history.Request // at least one
	// meant are the changed fields that a sentence names. If an update changed none of them, it
	// names the others.
	meant []string
	gone  bool // the object has been gone since then
}

// inWords says what requests did to one object.
func (c *Case) inWords(d deed) string {
	last := d.requests[len(d.requests)-1]
	who, what := c.who(last), short(last.Resource, last.Name)
	if last.EventReason != "" {
		what = "an Event with the reason " + last.EventReason
	}
	var numbers []string
	for _, r := range d.requests[:min(mostNamed, len(d.requests))] {
		if r.Verb == last.Verb {
			numbers = append(numbers, fmt.Sprintf("#%d", r.Seq))
		}
	}
	number := strings.Join(numbers, ", ")
	switch last.Verb {
	case history.VerbCreate:
		return fmt.Sprintf("%s created %s (%s)", who, what, number)
	case history.VerbDelete:
		return fmt.Sprintf("%s deleted %s (%s)", who, what, number)
	}
	if taken := finalizersIn(last); d.gone && taken != nil {
		return fmt.Sprintf("%s took %s off %s, which was being deleted: it is gone (%s)", who, finalizerNames(textsOf(taken.Was)), what, number)
	}
	return fmt.Sprintf("%s %s (%s)", who, changeInWords(last, d.meant, what), number)
}

// short names an object by the plural of its kind, without the group.
func short(resource, name string) string {
	plural, _, _ := strings.Cut(resource, ".")
	return strings.TrimSpace(plural + " " + name)
}

// mostNamed is how many fields, or requests, a sentence names.
const mostNamed = 3

// changeInWords says what an update changed in an object.
func changeInWords(r *history.Request, meant []string, what string) string {
	if change := finalizersIn(r); change != nil && len(r.Changed) == 1 {
		return ofFinalizers(*change, what)
	}
	var named, others []string
	for _, path := range r.Changed {
		words := path
		if n := slices.IndexFunc(r.Values, func(c history.Change) bool { return c.Path == path }); n >= 0 {
			words = r.Values[n].InWords()
		}
		if slices.ContainsFunc(meant, func(text string) bool {
			return strings.HasPrefix(text, path+" ") || below(plain(path), text) && text != ""
		}) {
			named = append(named, words)
		} else {
			others = append(others, words)
		}
	}
	if len(named) == 0 {
		named, others = others, nil
	}
	if len(named) == 0 {
		return "wrote " + what
	}
	return fmt.Sprintf("changed %s: %s", what, sanitize.CutList(named, mostNamed, ", "))
}

// ofFinalizers says which finalizers were added to an object, or taken off it.
func ofFinalizers(change history.Change, what string) string {
	was, is := textsOf(change.Was), textsOf(change.Is)
	without := func(from, other []string) []string {
		return slices.DeleteFunc(slices.Clone(from), func(one string) bool { return slices.Contains(other, one) })
	}
	var words []string
	if more := without(is, was); len(more) > 0 {
		words = append(words, fmt.Sprintf("added %s to %s", finalizerNames(more), what))
	}
	if less := without(was, is); len(less) > 0 {
		words = append(words, fmt.Sprintf("took %s off %s", finalizerNames(less), what))
	}
	if len(words) == 0 {
		return "changed the order of the finalizers of " + what
	}
	return strings.Join(words, ", and ")
}

// textsOf returns the texts of a list in JSON.
func textsOf(list string) []string {
	var all []string
	_ = json.Unmarshal([]byte(list), &all) // of an empty text none
	return all
}

// finalizerNames names finalizers.
func finalizerNames(names []string) string {
	if len(names) == 1 {
		return "the finalizer " + names[0]
	}
	return "the finalizers " + strings.Join(names, " and ")
}

// before says what may explain why a step failed: what the controller was refused since the
// scenario last did something, or its last write of the object. at is the number of the
// request that made the step fail, or 0. known are symptoms that say what they need
// themselves.
func (c *Case) before(failure chainsaw.Failure, violations []v1alpha1.Violation, at int64, known []v1alpha1.Symptom) []string {
	object := c.concerned(failure, violations)
	if object.resource == "" {
		return nil
	}
	until := at
	if until == 0 && len(violations) > 0 && len(violations[0].Requests) > 0 {
		until = violations[0].Requests[0]
	}
	told := len(known) > 0
	if until == 0 {
		until = c.failedAt()
	}
	var lines []string
	if !slices.ContainsFunc(known, func(s v1alpha1.Symptom) bool { return s.AfterFailure || s.State == v1alpha1.Refused }) {
		if line := c.refusedBefore(object, until); line != "" {
			lines = append(lines, line)
		}
	}
	if at == 0 && !told && len(violations) == 0 && !ofTheBench(object.resource) {
		lines = append(lines, c.lastWrite(object))
	}
	return lines
}

// concerned returns the object that a failure is about. It is empty if that is not known.
func (c *Case) concerned(failure chainsaw.Failure, violations []v1alpha1.Violation) wrong {
	if len(violations) > 0 && len(violations[0].Requests) > 0 {
		for n := range c.Account.Requests {
			if r := &c.Account.Requests[n]; r.Seq == violations[0].Requests[0] && r.IsWrite() {
				return wrong{resource: r.GroupResource().String(), namespace: r.Namespace, name: r.Name}
			}
		}
		return wrong{}
	}
	bench, _ := c.objectOf(failure.Object) // its namespace is that of what it looks at
	switch of := failure.Of; {
	case of.Violation != nil && of.Resource != "":
		return wrong{resource: of.Resource, namespace: bench.namespace, name: of.Violation.Name}
	case of.Order != nil:
		return wrong{resource: of.Order.Early.Resource, namespace: bench.namespace, name: of.Order.Early.Name}
	case of.Resource != "":
		return wrong{resource: of.Resource, namespace: bench.namespace, name: of.Name}
	case of.Kind == "":
		if object, known := c.objectOf(failure.Object); known && !ofBench(failure) {
			return object
		}
	}
	return wrong{}
}

// refusedBefore names the last request that failed before a number, of those since the
// scenario last did something: for the object, or for another one that the controller
// serves. What fails in every controller now and then is left out: reads of what is not
// there, conflicts of other objects, and what was tried again with success.
func (c *Case) refusedBefore(object wrong, until int64) string {
	var failed []*history.Request
	from := c.occasionOf(until)
	for n := range c.Account.Requests {
		r := &c.Account.Requests[n]
		if r.Seq >= until || r.Seq < from {
			continue
		}
		if r.Succeeded() {
			failed = slices.DeleteFunc(failed, func(before *history.Request) bool { return sameAs(before, r) })
		}
		if !r.Failed() || r.Code == http.StatusNotFound {
			continue
		}
		same := object.isOf(r) && r.Subresource == ""
		if !same && (c.role(r.GroupResource().String()) == v1alpha1.RoleOther || r.Code == http.StatusConflict && r.Fault == "") {
			continue
		}
		failed = append(failed, r)
	}
	if len(failed) == 0 {
		return ""
	}
	last := failed[len(failed)-1]
	text := fmt.Sprintf("before that, %s was answered with %d", last.InWords(), last.Code)
	switch {
	case last.Fault != "":
		text += ", by the Fault " + last.Fault
	case last.Reason != "" && last.Reason != string(metav1.StatusReasonUnknown):
		text += " " + last.Reason
	}
	if more := len(failed) - 1; more > 0 {
		text += fmt.Sprintf("; %d more had failed", more)
	}
	return text
}

// sameAs says whether two requests ask for the same.
func sameAs(a, b *history.Request) bool {
	return a.Verb == b.Verb && a.GroupResource() == b.GroupResource() && a.Namespace == b.Namespace && a.Name == b.Name && a.Subresource == b.Subresource
}

// lastWrite says when the controller last wrote an object before the step failed.
func (c *Case) lastWrite(object wrong) string {
	what := short(object.resource, object.name)
	var last *history.Request
	for _, r := range c.writes(object) {
		if done(r) && (object.name == "" || r.Name == object.name) {
			last = &r
		}
	}
	if last == nil {
		return fmt.Sprintf("%s has not written %s", controller, what)
	}
	ago := ""
	if failed := c.failure(); failed != nil {
		ago = fmt.Sprintf(", %s before the failure", failed.Time.Sub(last.Time).Round(100*time.Millisecond))
	}
	if last.Seq < c.occasion() {
		return fmt.Sprintf("%s has not written %s after the last change of the scenario; its last write was #%d%s", controller, what, last.Seq, ago)
	}
	return fmt.Sprintf("its last write of that object: %s%s", c.inWords(deed{requests: []*history.Request{last}}), ago)
}
