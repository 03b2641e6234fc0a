package verdict

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/sanitize"
)

// writes returns the writes to the wrong object before the step failed, in order. ConfigMaps
// with which an election is held do not count.
func (c *Case) writes(w wrong) []history.Request {
	var found []history.Request
	failed := c.failedAt()
	for _, r := range c.Account.Requests {
		if failed != 0 && r.Seq > failed {
			break
		}
		if r.IsWrite() && !r.Lock && w.isOf(&r) {
			found = append(found, r)
		}
	}
	return found
}

// isOf says whether a request is about the wrong object, or about a collection that may have
// it.
func (w wrong) isOf(r *history.Request) bool {
	return r.IsOf(w.resource) && (w.name == "" || r.Name == w.name || r.Name == "") &&
		(w.namespace == "" || r.Namespace == w.namespace || r.Namespace == "")
}

// done says whether a write took place.
func done(r history.Request) bool { return r.Effect == history.EffectEffective }

// since returns the writes from a number on.
func since(seq int64, writes []history.Request) []history.Request {
	return slices.DeleteFunc(slices.Clone(writes), func(r history.Request) bool { return r.Seq < seq })
}

// sinceMade leaves out the writes of earlier objects that had the same name.
func sinceMade(writes []history.Request) []history.Request {
	for n := range slices.Backward(writes) {
		if writes[n].Verb == history.VerbCreate && writes[n].Subresource == "" && done(writes[n]) {
			return writes[n:]
		}
	}
	return writes
}

// lastAttempt returns the last write of an object if it failed, and how many writes have failed
// since one was accepted. It returns nil if the last write was accepted. A write that changes
// nothing counts as accepted: the controller has tried again, and nothing was left to write.
// So does a write that was refused while the object was already as the write wanted it.
func lastAttempt(writes []history.Request) (last *history.Request, attempts int) {
	for n := range writes {
		r := &writes[n]
		switch {
		case r.Verb == history.VerbDelete:
		case done(*r), last != nil && r.Effect == history.EffectNoop && r.Succeeded() && r.Subresource == last.Subresource:
			last, attempts = nil, 0
		case r.Moot:
			if last != nil && last.Subresource == r.Subresource {
				last, attempts = nil, 0
			}
		case r.Failed() || r.Code == 0:
			last = r
			attempts++
		}
	}
	return last, attempts
}

// oneOf says which of some attempts the last one is.
func oneOf(attempts int) string {
	if attempts == 1 {
		return "the only attempt"
	}
	return fmt.Sprintf("the last of %d attempts", attempts)
}

// attempted says that an attempt at a write failed, if there was one.
func attempted(last *history.Request, which string) string {
	if last == nil {
		return ""
	}
	answer := strconv.Itoa(last.Code)
	if invalid := last.Code == http.StatusBadRequest || last.Code == http.StatusUnprocessableEntity; invalid && last.Fault == "" && last.Message != "" {
		answer += ": " + sanitize.Cut(withoutValues(strings.Join(strings.Fields(last.Message), " ")), longestAnswer)
	}
	return fmt.Sprintf("; %s failed (%s: %s)", which, last.InWords(), answer)
}

// longestAnswer is how much is quoted of the API server's words about an object that it does
// not take, in bytes.
const longestAnswer = 240

// changes says whether a write changed a field, or something below or above it.
func changes(r *history.Request, path string) bool {
	return slices.ContainsFunc(r.Changed, func(changed string) bool {
		changed = plain(changed)
		return path == "" || changed != "" && (below(changed, path) || below(path, changed))
	})
}

// valuesAt returns the values of a field, or of those below it, before a write and after it:
// : from 5 to 2. What changed in the same way in several entries of a list is told once.
func valuesAt(r *history.Request, path string) string {
	var told []string
	type same struct{ path, was, is string }
	times := map[same]int{}
	for _, change := range r.Values {
		if change.Path == finalizers && path == finalizers {
			return " " + ofFinalizers(change, "it")
		}
		if at := plain(change.Path); path == "" || at == "" || !below(at, path) && !below(path, at) {
			continue
		}
		alike := same{plain(change.Path), change.Was, change.Is}
		if times[alike]++; times[alike] == 1 {
			told = append(told, change.InWords())
		}
	}
	if len(told) == 0 || len(told) > mostNamed {
		return ""
	}
	text := ": " + strings.Join(told, ", ")
	if most := slices.Max(slices.Collect(maps.Values(times))); most > 1 && len(told) == 1 {
		text += fmt.Sprintf(", and so in %d entries of the list", most)
	}
	return text
}

// lastValues returns the values of a field before and after the last write that changed it.
func lastValues(writes []history.Request, path string) string {
	for n := range slices.Backward(writes) {
		if r := &writes[n]; path != "" && r.Verb == history.VerbUpdate && done(*r) && changes(r, path) {
			return fmt.Sprintf("%s (#%d)", valuesAt(r, path), r.Seq)
		}
	}
	return ""
}

// mostChanged is how many changed fields are named.
const mostChanged = 2

// changedLast says which fields the last update changed. It returns "" if there was none, or
// if that is not known.
func changedLast(writes []history.Request) string {
	for _, r := range slices.Backward(writes) {
		if r.Verb != history.VerbUpdate || !done(r) || len(r.Changed) == 0 {
			continue
		}
		var told []string
		for _, change := range r.Values {
			told = append(told, change.InWords())
		}
		if len(told) == 0 {
			told = r.Changed
		}
		return fmt.Sprintf("; the last time it changed %s (#%d)", sanitize.CutList(told, mostChanged, ", "), r.Seq)
	}
	return ""
}
