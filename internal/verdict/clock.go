package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/scenario/chainsaw"
	"reconform.dev/reconform/internal/verdict/seen"
)

const (
	// shortestSchedule is the shortest interval that counts as a schedule. A controller that
	// writes more often is never at rest, even if its user asked for that.
	shortestSchedule = 20 * time.Second
	// oneTurn is how long the writes of one turn of a schedule may take together.
	oneTurn = shortestSchedule / 4
	// untilOpen is how long it may take until the window of a measurement opens.
	untilOpen = 10 * time.Second
)

// turn is what a schedule writes each time: objects of a resource, or the same fields of one.
type turn struct{ verb, resource, subresource, fields string }

// scheduled says what a controller did by the clock, if a step failed because it counted writes
// at rest, and all of them look like the work of a schedule: they come back at a regular
// interval, and each time new objects are made, old ones deleted, or the same fields changed. The
// user may have asked for such a schedule; the requests do not tell. It returns "" if the writes
// look otherwise: a controller that only stamps the metadata of a child, or sets the same values
// again and again, has no schedule.
func (c *Case) scheduled(failure chainsaw.Failure, failed string) string {
	end := c.failure()
	counted := c.countedIn(failure.Message)
	if end == nil || failure.Of.Kind != "Traffic" || !strings.Contains(failure.Message, " effective writes") || len(counted) == 0 {
		return ""
	}
	begin := counted[0].Time
	for _, e := range c.Account.Events {
		if e.Seq == c.occasion() {
			begin = e.Time.Add(untilOpen)
		}
	}
	turns, made := c.turns(counted[0].Seq, end)
	if end.Time.Sub(begin) < 2*shortestSchedule && c.once(turns) {
		return fmt.Sprintf("one turn in so short a look may be that of a schedule, which SS-016 can see, as it looks for two minutes: #%d %s; the scenario failed %s",
			counted[0].Seq, counted[0].InWords(), failed)
	}
	first, interval := c.schedule(turns, made, begin, end.Time)
	if interval == 0 {
		return ""
	}
	return fmt.Sprintf("it looks like a schedule of %s: %s comes back at that interval. If it is one, declare it in claims.exempt of the profile: {%s, why: a schedule}; "+
		"or give a sample whose schedule comes due more rarely. The scenario failed %s", interval.Round(time.Second), first.inWords(turns[first][0]), first.exemption(), failed)
}

// schedule returns the common interval of turns between a begin and an end, and the turn that
// shows it best. The interval is 0 if one of the turns does not come back regularly, if one only
// repeats itself, or if their intervals differ.
func (c *Case) schedule(turns map[turn][]history.Request, made []string, begin, end time.Time) (first turn, interval time.Duration) {
	for one, writes := range turns {
		if len(made) > 0 && c.goesWith(one, made) {
			continue
		}
		pause, regular := pace(writes, begin, end)
		if !regular || repeats(writes) || interval != 0 && (pause-interval).Abs() > interval/5 {
			return turn{}, 0
		}
		if interval == 0 || compareTurns(one, first) < 0 {
			first, interval = one, pause
		}
	}
	return first, interval
}

// turns groups the writes from a number on until a step failed, by what a schedule does each
// time, and returns the resources of the objects that were made. It returns nothing if one of
// the writes cannot be the work of a schedule.
func (c *Case) turns(from int64, end *history.Event) (turns map[turn][]history.Request, made []string) {
	turns = map[turn][]history.Request{}
	objects := map[string]bool{} // that were made
	for _, r := range c.Account.Requests {
		if r.Seq < from || r.Time.After(end.Time) || !done(r) || !c.isJudged(r) {
			continue
		}
		one := turn{r.Verb, r.GroupResource().String(), r.Subresource, ""}
		object := one.resource + " " + r.Namespace + "/" + r.Name
		if r.Verb == history.VerbUpdate {
			if objects[object] {
				continue // it belongs to the turn that made the object
			}
			if !c.mayBeTimed(r) {
				return nil, nil
			}
			one.fields = strings.Join(r.Changed, ", ")
		}
		if r.Verb == history.VerbCreate && !objects[object] {
			objects[object] = true
			made = append(made, one.resource)
		}
		turns[one] = append(turns[one], r)
	}
	return turns, made
}

// once says whether the writes at rest may be a single turn of a schedule. The requirement must
// be about rest, so that nothing in the scenario is a reason for them. All must come together:
// new objects, or changes of the controller's own object, and nothing like them shortly before.
func (c *Case) once(turns map[turn][]history.Request) bool {
	if !slices.Contains(c.Requirement.Judges, v1alpha1.RuleRestless) {
		return false
	}
	var first, last time.Time
	for one, writes := range turns {
		if one.verb == history.VerbUpdate && c.role(one.resource) != v1alpha1.RolePrimary || repeats(writes) || c.wrote(one, writes[0]) {
			return false
		}
		for _, w := range writes {
			if first.IsZero() || w.Time.Before(first) {
				first = w.Time
			}
			if w.Time.After(last) {
				last = w.Time
			}
		}
	}
	return len(turns) > 0 && last.Sub(first) <= oneTurn
}

// wrote says whether a turn also came a short time before a write of it.
func (c *Case) wrote(one turn, w history.Request) bool {
	return slices.ContainsFunc(c.Account.Requests, func(r history.Request) bool {
		return r.Seq < w.Seq && w.Time.Sub(r.Time) < shortestSchedule && done(r) && one.is(r)
	})
}

// is says whether a write does what the turn does.
func (t turn) is(r history.Request) bool {
	return t.verb == r.Verb && t.resource == r.GroupResource().String() && t.subresource == r.Subresource &&
		(t.fields == "" || t.fields == strings.Join(r.Changed, ", "))
}

// goesWith says whether a turn only accompanies creations: it reports them in the status, or
// deletes what was made in earlier turns.
func (c *Case) goesWith(one turn, made []string) bool {
	switch one.verb {
	case history.VerbUpdate:
		return c.role(one.resource) == v1alpha1.RolePrimary
	case history.VerbDelete:
		return slices.Contains(made, one.resource)
	}
	return false
}

// mayBeTimed says whether an update may be the work of a schedule: it changes the status of an
// object of the contract, or its annotations, or the content of another object.
func (c *Case) mayBeTimed(r history.Request) bool {
	if len(r.Changed) == 0 {
		return false
	}
	own := c.role(r.GroupResource().String()) == v1alpha1.RolePrimary
	content := false
	for _, path := range r.Changed {
		metadata := below(path, "metadata")
		if own && !below(path, "status") && !below(path, "metadata.annotations") {
			return false
		}
		content = content || !metadata
	}
	return own || content && !r.OnlyTimes
}

// pace returns the interval at which writes come. They are regular if they come at least twice,
// all intervals are alike, and none is missing between a begin and an end.
func pace(writes []history.Request, begin, end time.Time) (interval time.Duration, regular bool) {
	var starts []time.Time
	for _, w := range writes {
		if len(starts) == 0 || w.Time.Sub(starts[len(starts)-1]) > oneTurn {
			starts = append(starts, w.Time)
		}
	}
	if len(starts) < 2 {
		return 0, false
	}
	shortest, longest, alike := seen.Pauses(starts)
	most := longest + longest/5
	return longest, shortest >= shortestSchedule && alike &&
		starts[0].Sub(begin) <= most && end.Sub(starts[len(starts)-1]) <= most
}

// repeats says whether writes repeat what was written before: an object is made again under the
// same name, or a field goes back to a value that it had before.
func repeats(writes []history.Request) bool {
	known := map[string]map[history.Change]bool{} // by the object
	for _, w := range writes {
		object := w.Namespace + "/" + w.Name
		if known[object] == nil {
			known[object] = map[history.Change]bool{}
		} else if w.Verb != history.VerbUpdate {
			return true
		}
		for _, change := range w.Values {
			if known[object][history.Change{Path: change.Path, Was: change.Is}] {
				return true
			}
			known[object][history.Change{Path: change.Path, Was: change.Was}] = true
		}
	}
	return false
}

// compareTurns sorts turns by their verbs, so that a creation, which shows a schedule best, is
// the first.
func compareTurns(a, b turn) int {
	return cmp.Or(strings.Compare(a.verb, b.verb), strings.Compare(a.resource, b.resource), strings.Compare(a.fields, b.fields))
}

// inWords says what a turn does, by the first of its writes.
func (t turn) inWords(first history.Request) string {
	switch t.verb {
	case history.VerbUpdate:
		return fmt.Sprintf("an update of %s of %s %s", t.fields, t.resource, first.Name)
	default:
		return fmt.Sprintf("a %s of %s, such as %s,", t.verb, t.resource, first.Name)
	}
}

// exemption returns what a profile says to declare a turn. An exemption cannot name the fields of
// an entry of a list.
func (t turn) exemption() string {
	text := fmt.Sprintf("verbs: [%s], resources: [%s]", t.verb, t.resource)
	if t.fields != "" && !strings.ContainsAny(t.fields, "[]'") {
		text += fmt.Sprintf(", fields: ['%s']", strings.ReplaceAll(t.fields, ", ", "', '"))
	}
	return text
}
