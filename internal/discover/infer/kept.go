package infer

import (
	"fmt"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// ofWord matches a value of a container that a controller often fills with a field of the spec.
var ofWord = regexp.MustCompile(`^(env\[\d+\]\.value|(args|command)\[\d+\])$`)

// leastWord is the shortest length of a text that two places hardly have by chance.
const leastWord = 4

// doubtKept adds a doubt for each field of the spec whose value a variable or an argument of
// the Pods had, and whose change it did not follow. The contract has no place for such a
// field, so no requirement changes it.
func (f *finder) doubtKept() {
	primary, made := f.Film.At(f.first.Until)[Ref{f.Kind, f.first.Object}], f.deployment
	if primary == nil || made == nil {
		return
	}
	told := map[string]bool{}
	for _, act := range f.acts(Change) {
		was := At(primary.Object, act.Path)
		if act.Object != f.first.Object || told[act.Path] || was == nil || act.To == nil || same(was, act.To) {
			continue
		}
		told[act.Path] = true // a later change only puts the old value back
		now := f.Film.At(act.Until)[f.main]
		if now == nil || now.GetUID() != made.GetUID() {
			continue
		}
		if word := f.keptWord(made, now, act.Path, was); word != "" {
			f.doubt("contract.spec", "%s was changed, and %s of %s, which had its value, did not follow. No requirement changes this field: "+
				"reconform explore judges it, by edited-as-new", act.Path, word, f.main)
		} else if text, child := f.keptPart(act, was); text != "" {
			f.doubt("contract.spec", "%s was changed, and %s of %s, which is made from its value, did not follow; it is another one in an object that was "+
				"created with another value. No requirement changes this field: reconform explore judges it, by edited-as-new", act.Path, text, child)
		}
	}
}

// keptWord names what of the containers was made from the value of a field, and still has it.
func (f *finder) keptWord(made, now *unstructured.Unstructured, path string, value any) string {
	_, field := parent(path)
	for _, leaf := range Leaves(made.Object["spec"], "spec") {
		_, place, inside := inContainer(f.workload, leaf.Path)
		if !inside || !ofWord.MatchString(place) || At(now.Object, leaf.Path) != leaf.Value || !f.canChange(made.GetKind(), leaf.Path) {
			continue
		}
		what, name, text := wordOf(made, leaf)
		word, isText := value.(string)
		unlikely := isText && len(word) >= leastWord
		if text == fmt.Sprint(value) && (unlikely || strings.Contains(plain(name), plain(field))) {
			return what
		}
	}
	return ""
}

// wordOf names a variable or an argument of the Pods. name is that of the variable or of the
// flag, and text is its value.
func wordOf(child *unstructured.Unstructured, leaf Leaf) (what, name, text string) {
	text = fmt.Sprint(leaf.Value)
	what = "the argument " + text
	if above, isVariable := strings.CutSuffix(leaf.Path, ".value"); isVariable {
		name = fmt.Sprint(At(child.Object, above+".name"))
		what = "the variable " + name
	} else if flag, after, found := strings.Cut(text, "="); found {
		name, text, what = flag, after, "the argument "+flag
	}
	return what, name, text
}

// plain returns a name without what differs between a field, a variable and a flag.
func plain(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", ".", "").Replace(name))
}
