package infer

import (
	"slices"
	"strings"
	"unicode"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/internal/profile"
)

// beforeRollout returns the moments of each object before its Pods were ready for the first
// time. What the status says about readiness in these moments cannot be left over from
// earlier.
func beforeRollout(moments []moment) []moment {
	rolledOut := map[types.UID]bool{}
	var before []moment
	for _, m := range moments {
		uid := m.primary.GetUID()
		if rolledOut[uid] = rolledOut[uid] || m.rolledOut(); !rolledOut[uid] {
			before = append(before, m)
		}
	}
	return before
}

// phaseAt tells whether a text is a phase: it has one value when all is rolled out (a
// controller may be late at times), and another before. A text that contains the object's
// name is not a phase. The phases are returned by the reference's names.
func (r *Record) phaseAt(moments []moment, path string) (string, map[string]string) {
	var all, rolledOut, followed []string
	for _, m := range moments {
		value := At(m.primary.Object, path)
		text, isText := value.(string)
		switch {
		case strings.Contains(text, m.primary.GetName()): // the name of something that belongs to the object
			return "", nil
		case value != nil && !isText || strings.ContainsAny(text, " /.") || text != "" && !strings.ContainsFunc(text, unicode.IsLetter):
			return "", nil
		case m.settled && m.rolledOut():
			rolledOut = append(rolledOut, text)
			if !m.ineffective {
				followed = append(followed, text)
			}
		}
		if text != "" && !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	running := mostOf(rolledOut)
	if running == "" {
		running = mostOf(followed) // changes that changed nothing may have failed
	}
	if countsUp(all) {
		return "", nil
	}
	early := slices.ContainsFunc(beforeRollout(moments), func(m moment) bool { return At(m.primary.Object, path) == running })
	pending, before := wordsOfRollouts(moments, path, running)
	if before == "" {
		before = r.wordOfWaiting(moments, path, running)
	}
	if running == "" || before == "" || early {
		return "", nil
	}
	phases := map[string]string{}
	for reference, own := range map[string]string{"Running": running, "Deploying": before, "Pending": pending} {
		if own != "" && own != reference && own != running || reference == "Running" && own != reference {
			phases[reference] = own
		}
	}
	return path, phases
}

// wordsOfRollouts returns the words that an object had while its Pods were rolled out: the
// first of all, and the one that was last before running most often. A rollout is an act
// that changed the children, and ended with ready Pods and the word for running. A word that
// is seen elsewhere only may tell of trouble: of a change that the controller cannot carry
// out, for example. The first word is empty if it is the last one, too.
func wordsOfRollouts(moments []moment, path, running string) (first, last string) {
	var words []string // in the order in which they came
	votes := map[string]int{}
	for len(moments) > 0 {
		n := slices.IndexFunc(moments, func(m moment) bool { return m.settled }) + 1
		if n == 0 {
			break
		}
		var act []moment
		act, moments = moments[:n], moments[n:]
		if end := act[n-1]; end.ineffective || end.withheld || !end.rolledOut() || At(end.primary.Object, path) != running {
			continue
		}
		latest := ""
		for _, m := range act {
			if text, _ := At(m.primary.Object, path).(string); text != "" && text != running {
				latest = text
				if !slices.Contains(words, text) {
					words = append(words, text)
				}
			}
		}
		if latest != "" {
			votes[latest]++
		}
	}
	for _, word := range words {
		if votes[word] >= votes[last] {
			last = word
		}
	}
	if len(words) > 1 && words[0] != last {
		first = words[0]
	}
	return first, last
}

// wordOfWaiting returns the last word of an object whose Pods never became ready. It returns "" if
// that word was also seen in trouble, because it may then tell of trouble.
func (r *Record) wordOfWaiting(moments []moment, path, running string) string {
	for _, m := range moments {
		word, _ := At(m.primary.Object, path).(string)
		if m.withheld && m.settled && word != running && !slices.Contains(r.wordsOfTrouble(path), word) {
			return word
		}
	}
	return ""
}

// wordsOfTrouble returns the words that objects had at the end of each act in which
// something failed.
func (r *Record) wordsOfTrouble(path string) []string {
	var words []string
	for _, act := range r.acts(Hinder, Occupy, Foreign) {
		object := r.Film.At(act.Until)[Ref{r.Kind, act.Object}]
		if act.Deed == Occupy && !r.LeavesStrangers() || object == nil {
			continue
		}
		if word, _ := At(object.Object, path).(string); word != "" {
			words = append(words, word)
		}
	}
	return words
}

// countsUp tells whether texts differ only in their digits: they are numbers, or names with
// a number, that count up.
func countsUp(texts []string) bool {
	known := map[string]bool{}
	for _, text := range texts {
		bare := strings.Map(func(r rune) rune {
			if unicode.IsDigit(r) {
				return -1
			}
			return r
		}, text)
		if known[bare] {
			return true
		}
		known[bare] = true
	}
	return false
}

// mostOf returns the text that makes up more than half of a list, or "".
func mostOf(list []string) string {
	count := map[string]int{}
	for _, text := range list {
		if count[text]++; 2*count[text] > len(list) {
			return text
		}
	}
	return ""
}

// conditionsPath returns the path of the object's list of conditions, or "". If there are
// several, it is the one with the shortest way, and the usual name comes first.
func conditionsPath(settled []moment) string {
	last := settled[len(settled)-1].primary.Object
	status, _ := last["status"].(map[string]any)
	return conditionsIn(status, "status")
}

func conditionsIn(value map[string]any, at string) string {
	for _, key := range append([]string{"conditions"}, sorted(value)...) {
		if areConditions(value[key]) && profile.CanName(at+"."+key) {
			return at + "." + key
		}
	}
	for _, key := range sorted(value) {
		below, _ := value[key].(map[string]any)
		if found := conditionsIn(below, at+"."+key); found != "" {
			return found
		}
	}
	return ""
}

// areConditions tells whether a value is a list whose first entry has a type and a status.
func areConditions(value any) bool {
	list, _ := value.([]any)
	if len(list) == 0 {
		return false
	}
	first, _ := list[0].(map[string]any)
	return first["type"] != nil && first["status"] != nil
}

// conditionsOf returns the statuses of the conditions of an object, by type.
func conditionsOf(object *unstructured.Unstructured, path string) map[string]string {
	found := map[string]string{}
	list, _ := At(object.Object, path).([]any)
	for _, item := range list {
		condition, _ := item.(map[string]any)
		kind, _ := condition["type"].(string)
		status, _ := condition["status"].(string)
		if kind != "" {
			found[kind] = status
		}
	}
	return found
}

// readyCondition finds a condition that is true when all is rolled out, and was not true
// before. A condition that is true from the beginning says something else: that the
// children are made, for example. A condition copied from the main child does not count
// either, because a Deployment is Available before all its Pods are.
func readyCondition(moments []moment, path string) string {
	candidates := map[string]bool{}
	for _, m := range moments {
		for kind := range conditionsOf(m.primary, path) {
			candidates[kind] = false
		}
	}
	for kind := range candidates {
		var rolledOut []string
		changed := false
		for _, m := range moments {
			status := conditionsOf(m.primary, path)[kind]
			if m.settled && m.rolledOut() {
				rolledOut = append(rolledOut, status)
			}
			changed = changed || status != "True"
		}
		early := slices.ContainsFunc(beforeRollout(moments), func(m moment) bool { return conditionsOf(m.primary, path)[kind] == "True" })
		candidates[kind] = changed && !early && mostOf(rolledOut) == "True" && !passedOn(moments, path, kind)
	}
	for _, kind := range []string{"Ready", "Available"} {
		if candidates[kind] {
			return kind
		}
	}
	return ""
}

// passedOn tells whether a condition always had the reason and the message of the main
// child's condition of the same type, in all settled moments.
func passedOn(moments []moment, path, kind string) bool {
	seen := false
	for _, m := range moments {
		own, childs := conditionOf(m.primary.Object, path, kind), conditionOf(m.deploymentObject(), "status.conditions", kind)
		if !m.settled || own == nil {
			continue
		}
		if childs == nil || own["reason"] != childs["reason"] || own["message"] != childs["message"] {
			return false
		}
		seen = true
	}
	return seen
}

// conditionOf returns the condition of an object with a type, or nil.
func conditionOf(object map[string]any, path, kind string) map[string]any {
	list, _ := At(object, path).([]any)
	for _, item := range list {
		if condition, _ := item.(map[string]any); condition["type"] == kind {
			return condition
		}
	}
	return nil
}
