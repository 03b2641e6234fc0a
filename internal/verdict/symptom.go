package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/scenario/chainsaw"
)

// wrong is something that a failed step found wrong: an object, or a field of an object.
// Together with what the controller did about it, it becomes a symptom.
type wrong struct {
	resource, name string
	// namespace is empty if that is not known.
	namespace string
	what      wrongness
	path      string
	// at is the resourceVersion at which it was seen. It is empty if that is not known.
	at string
	// wrote is true if what it did too often were writes that had an effect.
	wrote bool
	// once is true if it is one request among others that were sent more often, such as the
	// creation of a child among the writes of its status.
	once bool
	// asked is true if it only read what it must not: a list that nobody may send.
	asked bool
	// compared is true if it differs from what it was before, and the scenario has written
	// something in between.
	compared bool
}

// wrongness says in which way a thing is wrong.
type wrongness int

const (
	missing    wrongness = iota // it is not there
	present                     // it is there, but must not be
	differs                     // its field has a wrong value
	foreign                     // its field has the value that somebody else gave it
	written                     // the controller did something that it must not do
	repeated                    // the controller did it too often
	echoed                      // the controller wrote it, though only times in it changed
	trespassed                  // the controller wrote it, though it belongs to somebody else
)

// symptoms returns the symptoms of the first failure of a scenario, each once. It returns
// none if it is not known what the failure is about.
func (c *Case) symptoms(failure chainsaw.Failure) []v1alpha1.Symptom {
	var found []v1alpha1.Symptom
	var wrongs []wrong
	for _, w := range c.wrongs(failure) {
		wrongs = append(wrongs, c.raising(w)...)
	}
	for _, w := range wrongs {
		symptom := c.symptom(w)
		known := func(s v1alpha1.Symptom) bool {
			return s.Resource == symptom.Resource && s.State == symptom.State && s.Path == symptom.Path
		}
		if symptom.State != "" && !slices.ContainsFunc(found, known) {
			found = append(found, symptom)
		}
	}
	if stuck := c.stuck(failure); stuck != nil && len(found) > 0 {
		found = append(found, *stuck)
	}
	if loop := c.starving(failure); loop != nil {
		found = loop.starve(found)
	}
	found = append(found, c.loops(failure, found)...)
	// What it goes on writing says more than what was counted meanwhile.
	rank := func(s v1alpha1.Symptom) int {
		if s.State == v1alpha1.NeverQuiet {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(found, func(a, b v1alpha1.Symptom) int { return rank(a) - rank(b) })
	return causing(found)
}

// raising replaces a wrong generation by what raised it. The API server raises it when the spec
// changes, and for a Deployment when its annotations change, too. So what is wrong are the fields
// that the controller changed, if it wrote the version that has this generation.
func (c *Case) raising(w wrong) []wrong {
	if w.path != "metadata.generation" || w.at == "" {
		return []wrong{w}
	}
	var found []wrong
	for _, r := range c.writes(w) {
		if r.Verb != history.VerbUpdate || !done(r) || r.ResourceVersion != w.at {
			continue
		}
		for _, changed := range r.Changed {
			path := plain(changed)
			if parts := strings.SplitN(path, ".", 3); below(path, "metadata") && len(parts) > 1 {
				path = parts[0] + "." + parts[1]
			}
			w.path = path
			if path != "" && !below(path, "status") && !slices.Contains(found, w) {
				found = append(found, w)
			}
		}
	}
	if len(found) == 0 {
		return []wrong{w}
	}
	return found
}

// causing leaves out symptoms that are consequences of others. Other controllers write the status
// of a child: it does not count if something else is wrong. The status of the primary object is
// about its children: it does not count if a write of a child is missing.
func causing(found []v1alpha1.Symptom) []v1alpha1.Symptom {
	if !all(found, ofStatus(v1alpha1.RoleChild)) {
		found = slices.DeleteFunc(found, ofStatus(v1alpha1.RoleChild))
	}
	if slices.ContainsFunc(found, func(s v1alpha1.Symptom) bool {
		return s.Role == v1alpha1.RoleChild && lacks(s) && s.State != v1alpha1.Refused
	}) {
		found = slices.DeleteFunc(found, ofStatus(v1alpha1.RolePrimary))
	}
	return found
}

// symptom turns something wrong into a symptom, by what the controller did about it.
func (c *Case) symptom(w wrong) v1alpha1.Symptom {
	s := v1alpha1.Symptom{Resource: w.resource, Role: c.role(w.resource), Path: w.path}
	what := strings.TrimSpace(w.resource + " " + w.name)
	writes := c.writes(w)
	switch w.what {
	case missing:
		c.missing(&s, w, what, writes)
	case present:
		s.State, s.Seen = v1alpha1.Left, what+" is there, and must not be"+c.notDeleted(s.Role, w, writes)
	case differs:
		c.differing(&s, w, what, writes)
	case foreign:
		c.notWritten(&s, w, what, since(c.occasion(), writes))
	case written:
		s.State, s.Seen = v1alpha1.Written, fmt.Sprintf("the controller %s %s%s", c.verbOf(w, writes), field(w.path, what), lastValues(writes, w.path))
		switch {
		case w.asked:
			s.Seen = "the controller asked for " + what
		case w.path == "":
			if last := c.asItWas(writes); last != nil {
				s.Seen = fmt.Sprintf("the controller wrote %s as it was (#%d)", what, last.Seq)
			}
		}
	case trespassed:
		s.Role, s.State = v1alpha1.RoleOther, v1alpha1.Written
		s.Seen = fmt.Sprintf("the controller wrote %s, which looks like a child, but is not one", what)
	case echoed:
		s.State, s.Seen = v1alpha1.Restless, fmt.Sprintf("the controller wrote %s, though nothing in it changed but times%s", what, changedLast(writes))
	case repeated:
		s.State, s.Seen = v1alpha1.Repeated, fmt.Sprintf("the controller asked for %s too often%s", what, c.meanwhile(w, writes))
		switch {
		case w.once:
			s.Seen = fmt.Sprintf("one of the requests that were counted was for %s, and others were more", what)
		case w.wrote:
			s.Seen = fmt.Sprintf("the controller wrote %s too often%s", what, changedLast(writes))
		}
	}
	c.late(&s, w)
	return s
}

// verbOf says in a word what the controller did to an object that it must not write. The word is
// "deleted" or "created" if it did nothing else to the object since the scenario last did
// something, and "deleted" also if it never did anything else to it.
func (c *Case) verbOf(w wrong, writes []history.Request) string {
	only := func(verb string, requests []history.Request) bool {
		did := slices.DeleteFunc(slices.Clone(requests), func(r history.Request) bool { return !done(r) })
		return len(did) > 0 && !slices.ContainsFunc(did, func(r history.Request) bool { return r.Verb != verb })
	}
	recent := since(c.occasion(), writes)
	switch {
	case w.path != "":
	case only(history.VerbDelete, writes) || only(history.VerbDelete, recent):
		return "deleted"
	case only(history.VerbCreate, recent):
		return "created"
	}
	return "wrote"
}

// asItWas returns the last write of an object if that changed nothing, and the controller has
// changed nothing of the object since the scenario did something. Otherwise it returns nil.
func (c *Case) asItWas(writes []history.Request) *history.Request {
	var last *history.Request
	for _, r := range since(c.occasion(), writes) {
		switch {
		case r.Effect == history.EffectNoop:
			last = &r
		case done(r) && r.Verb != history.VerbCreate:
			return nil
		}
	}
	return last
}

// missing says why an object is not there.
func (c *Case) missing(s *v1alpha1.Symptom, w wrong, what string, writes []history.Request) {
	if w.isSomeEvent() {
		last := lastRefused(since(c.occasion(), writes))
		s.State, s.Seen = v1alpha1.NeverMade, "no such Event was recorded"
		s.AfterFailure = last != nil && !c.endedSince(last.Seq)
		s.Seen += cmp.Or(attempted(last, "the last attempt to record one"), c.silence(w)) + c.leaderless()
		return
	}
	made := slices.IndexFunc(writes, func(r history.Request) bool { return r.Verb == history.VerbCreate && done(r) })
	acted := c.lastAct()
	var last *history.Request // last attempt since it was there
	attempts := 0
	for n := range writes {
		r := &writes[n]
		switch {
		case r.Verb == history.VerbDelete && done(*r) && n > made && made >= 0:
			s.State, s.Seen = v1alpha1.Removed, fmt.Sprintf("%s is not there: the controller removed it (#%d)", what, r.Seq)
			return
		case r.Verb == history.VerbCreate && done(*r):
			made, last, attempts = n, nil, 0
		case made >= 0 && r.Reason == string(metav1.StatusReasonAlreadyExists) && r.Seq < acted: // it was there
		case r.Verb == history.VerbCreate:
			last = r
			attempts++
		}
	}
	if made >= 0 {
		s.State, s.Seen = v1alpha1.NotMadeAgain, fmt.Sprintf("%s is not there: it was made (#%d), and not made again", what, writes[made].Seq)
	} else {
		s.State, s.Seen = v1alpha1.NeverMade, fmt.Sprintf("%s is not there: it was never made", what)
	}
	s.AfterFailure = last != nil && !c.endedSince(last.Seq)
	s.Seen += cmp.Or(attempted(last, oneOf(attempts)+" to create it"), c.unasked(), c.silence(w)) + c.leaderless()
}

// lastRefused returns the last creation that failed, or nil.
func lastRefused(writes []history.Request) *history.Request {
	for n := range slices.Backward(writes) {
		if r := &writes[n]; r.Verb == history.VerbCreate && r.Failed() {
			return r
		}
	}
	return nil
}

// isSomeEvent says whether the wrong object is an Event of which only the content is known,
// and not the name. Events that were recorded are then others.
func (w wrong) isSomeEvent() bool { return w.name == "" && history.IsEvents(w.resource) }

// differing says why a field has a wrong value: the controller wrote that value, or it did not
// write the right one. If the controller tried to write the object again after it had changed the
// field, and that failed, the reason is the missing write.
func (c *Case) differing(s *v1alpha1.Symptom, w wrong, what string, writes []history.Request) {
	from := c.occasion()
	if below(w.path, "metadata") || w.at != "" {
		from = 0 // the controller may have removed it, or made that version, long before
	}
	if w.compared {
		from = max(from, c.lastWritten()) // before that, it was as it had to be then
	}
	writes = since(from, writes)
	if w.at == "" && w.name != "" {
		writes = sinceMade(writes)
	}
	last, _ := lastAttempt(writes)
	for n := range writes {
		r := &writes[n]
		whole := w.at != "" && w.path == "" // the version itself is wrong
		if r.Verb == history.VerbDelete || !done(*r) || w.at != "" && r.ResourceVersion != w.at || !whole && !changes(r, w.path) {
			continue
		}
		if w.at == "" && last != nil && last.Seq > r.Seq {
			continue
		}
		s.State, s.Seen = v1alpha1.Written, fmt.Sprintf("the controller changed %s itself (#%d%s)", field(w.path, what), r.Seq, valuesAt(r, w.path))
		if whole {
			s.Seen = c.inWords(deed{requests: []*history.Request{r}})
		}
		if w.at != "" && r.OnlyTimes {
			s.State, s.Seen = v1alpha1.Restless, s.Seen+", and nothing but times changed"
		}
		return
	}
	if w.at != "" {
		return // something else made that version, or it is not known what did
	}
	c.notWritten(s, w, what, writes)
}

// notWritten says that the controller did not write a field, and whether its last attempt at
// writing the object failed.
func (c *Case) notWritten(s *v1alpha1.Symptom, w wrong, what string, writes []history.Request) {
	last, attempts := lastAttempt(writes)
	s.State, s.Seen = v1alpha1.NotWritten, field(w.path, what)+" is not as it must be"
	s.AfterFailure = last != nil && !c.endedSince(last.Seq)
	which := oneOf(attempts)
	if attempts == 1 && slices.ContainsFunc(writes, done) {
		which = "the last attempt" // an earlier one succeeded
	}
	s.Seen += cmp.Or(attempted(last, which+" to write the object"), c.silence(w)) + c.leaderless()
}

// fewChanges is how many changes of its own object between repeated writes say nothing.
const fewChanges = 2

// meanwhile says that the controller changed its own object about as often as it repeated the
// writes of another one. Each such change is an event that leads to the next attempt.
func (c *Case) meanwhile(w wrong, writes []history.Request) string {
	own := c.Contract.Primary.String()
	if len(writes) < 2 || w.resource == own {
		return ""
	}
	changes := 0
	for n := range c.Account.Requests {
		r := &c.Account.Requests[n]
		if r.Seq > writes[0].Seq && r.Seq < writes[len(writes)-1].Seq && r.IsOf(own) && r.IsWrite() && done(*r) {
			changes++
		}
	}
	if changes <= fewChanges || changes < len(writes)/2 {
		return ""
	}
	return fmt.Sprintf("; meanwhile it changed %s %d times, and each such change may wake it again", own, changes)
}

// field names a field of an object in words.
func field(path, what string) string {
	if path == "" {
		return what
	}
	return path + " of " + what
}

// role returns the role of a resource in the contract.
func (c *Case) role(resource string) v1alpha1.SymptomRole {
	is := func(gr schema.GroupResource) bool { return gr.String() == resource }
	switch {
	case is(c.Contract.Primary):
		return v1alpha1.RolePrimary
	case slices.ContainsFunc(c.Contract.Children, is):
		return v1alpha1.RoleChild
	}
	return v1alpha1.RoleOther
}

// below says whether a path is equal to another path, or below it. Every path is below the
// empty path.
func below(path, of string) bool { return of == "" || path == of || strings.HasPrefix(path, of+".") }

// ofStatus says of a symptom whether it is about the status of an object with a role.
func ofStatus(role v1alpha1.SymptomRole) func(v1alpha1.Symptom) bool {
	return func(s v1alpha1.Symptom) bool { return s.Role == role && s.Path != "" && below(s.Path, "status") }
}

// lagging says whether symptoms are about nothing but the status of children.
func lagging(symptoms []v1alpha1.Symptom) bool {
	return len(symptoms) > 0 && all(symptoms, ofStatus(v1alpha1.RoleChild))
}
