package infer

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// parts are fields of the spec that are each a part of a longer text in a child.
type parts []part

// part is a field of the spec, and the text around its value: docker.io/{{ .value }}.
type part struct{ path, around string }

// wholeValue is the text around a value that is the whole text.
const wholeValue = "{{ .value }}"

// around returns a text with a placeholder for a value, if another text differs from it only in
// that it has another value there. Otherwise it returns "".
func around(text string, value any, other string, otherValue any) string {
	was, is := fmt.Sprint(value), fmt.Sprint(otherValue)
	if value == nil || otherValue == nil || was == is || was == "" {
		return ""
	}
	for at := 0; ; at++ {
		n := strings.Index(text[at:], was)
		if n < 0 {
			return ""
		}
		at += n
		before, after := text[:at], text[at+len(was):]
		if other == before+is+after {
			return before + wholeValue + after
		}
	}
}

// parts returns the fields whose change changed a part of the image of the main child.
func (f *finder) parts(role Role) (found parts) {
	if role != RoleImage {
		return nil // the others are numbers
	}
	path := containersAt(f.workload) + "[" + f.container + "].image"
	for _, act := range f.acts(Change) {
		if text := f.partOf(act, f.main, path); text != "" && !slices.ContainsFunc(found, func(p part) bool { return p.path == act.Path }) {
			found = append(found, part{act.Path, text})
		}
	}
	return found
}

// partOf returns the text around the value of a field of the first object in a text of its main
// child, if a change of the field changed that part of it, or "".
func (r *Record) partOf(act Act, main Ref, path string) string {
	before, after := r.Film.At(act.After), r.Film.At(act.Until)
	primary, was, is := before[Ref{r.Kind, act.Object}], before[main], after[main]
	if first, ok := r.act(Create); !ok || act.Object != first.Object || primary == nil || was == nil || is == nil {
		return ""
	}
	text := around(fmt.Sprint(At(was.Object, path)), At(primary.Object, act.Path), fmt.Sprint(At(is.Object, path)), act.To)
	if text == wholeValue {
		return ""
	}
	return text
}

func (p parts) inWords() string {
	var words []string
	for _, one := range p {
		words = append(words, fmt.Sprintf("%s is a part of it (%s)", one.path, one.around))
	}
	return strings.Join(words, ", and ")
}

// askParts says which fields decide about a part of the image.
func (f *finder) askParts() {
	found := f.parts(RoleImage)
	if _, mapped := f.fields[RoleImage]; mapped || len(found) == 0 {
		return
	}
	f.offer("contract.spec.image", nil, "%s, and a profile can only name a field that has the whole image. Does another field take it? "+
		"Otherwise, requirements that change the image are skipped", found.inWords())
}

// keptPart names a text of a child of the first object that is made from the value of a field,
// and did not follow a change of it. An object that was created with the other value shows what
// it is made from. text is empty if there is no such text.
func (f *finder) keptPart(act Act, value any) (text string, child Ref) {
	born, ok := f.act(Born)
	if !ok || f.followed(act.Path) {
		return "", Ref{}
	}
	theirs := f.Film.At(born.Until)[Ref{f.Kind, born.Object}]
	if theirs == nil || !same(At(theirs.Object, act.Path), act.To) {
		return "", Ref{}
	}
	for _, mine := range f.madeDuring(f.first) {
		ref := refOf(mine)
		now, other := f.Film.At(act.Until)[ref], f.counterpart(ref, f.first, born)
		if now == nil || now.GetUID() != mine.GetUID() || other == nil {
			continue
		}
		for _, leaf := range append(Leaves(mine.Object["spec"], "spec"), Leaves(mine.Object["data"], "data")...) {
			words, isText := leaf.Value.(string)
			if !isText || At(now.Object, leaf.Path) != leaf.Value || !f.canChange(ref.Kind, leaf.Path) || f.roleOf(leaf, Act{To: value}, mine) != "" {
				continue
			}
			named := strings.ReplaceAll(fmt.Sprint(At(other.Object, leaf.Path)), born.Object, f.first.Object)
			if around(words, value, named, act.To) != "" {
				return f.placeOf(mine, leaf), ref
			}
		}
	}
	return "", Ref{}
}

// placeOf names a text of a child.
func (f *finder) placeOf(child *unstructured.Unstructured, leaf Leaf) string {
	if w, ok := f.Record.workload(child.GetKind()); ok {
		if _, place, inside := inContainer(w, leaf.Path); inside && ofWord.MatchString(place) {
			what, _, _ := wordOf(child, leaf)
			return what
		}
	}
	return leaf.Path
}
