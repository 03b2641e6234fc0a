package infer

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// mostEdits limits the edits that a profile gets. It offers all others.
const mostEdits = 4

// editsAt is the place of questions about edits: the end of their list.
const editsAt = "serves.edits"

// offerEdits offers the edits that the profile does not get.
func (f *finder) offerEdits(more []v1alpha1.Edit) error {
	if len(more) == 0 {
		return nil
	}
	var names, lines []string
	for _, edit := range more {
		line, err := json.Marshal(edit)
		if err != nil {
			return fmt.Errorf("writing an edit: %w", err)
		}
		names, lines = append(names, edit.Name), append(lines, "- "+string(line))
	}
	f.offer(editsAt, lines, "left out, though the controller acted on each: %s. Which of them matter? Scenarios need only a few edits, but explore tries each one that is here",
		strings.Join(names, ", "))
	return nil
}

// askUnchanged names the fields that were not changed.
func (f *finder) askUnchanged(hasEdits bool) {
	if len(f.Unchanged) == 0 {
		return
	}
	at := "serves"
	if hasEdits {
		at = editsAt
	}
	f.ask(at, "not tried, because there are too many fields, the time was over, or a key has a dot or a bracket: %s. Does the controller act on one of them?", strings.Join(f.Unchanged, ", "))
}

// edits returns the changes that led to an effective write, and to another one when they
// were undone; and those that the main child followed, as it follows the undoing, too.
// Those that led to a write of another object than the one that was changed come first. Of
// these, and of the others, the fields that the sample sets come first, because they are
// what users edit; switches, which are true or false, come last. Each field has one edit,
// and each edit a name of its own.
func (f *finder) edits() ([]v1alpha1.Edit, error) {
	type tried struct {
		path     string
		edit     v1alpha1.Edit
		children int
	}
	var found []tried
	acts := f.acts(Change)
	for i := 0; i < len(acts); i++ {
		change := acts[i]
		if change.Refused != "" || change.Anew {
			continue
		}
		all, children := f.effective(change)
		if undone := i+1 < len(acts) && acts[i+1].Path == change.Path && acts[i+1].Refused == ""; undone {
			i++ // the next one undoes this one
			if wrote, _ := f.effective(acts[i]); all == 0 || wrote == 0 {
				continue
			}
		} else if all == 0 || len(f.Effects(change)) == 0 {
			continue
		}
		raw, err := json.Marshal(f.written(f.patchOf(change)))
		if err != nil {
			return nil, fmt.Errorf("writing an edit: %w", err)
		}
		found = append(found, tried{change.Path, v1alpha1.Edit{Patch: apiextensionsv1.JSON{Raw: raw}}, children})
	}
	sample := map[string]any{"spec": f.first.To}
	slices.SortStableFunc(found, func(a, b tried) int {
		return cmp.Or(cmp.Compare(min(b.children, 1), min(a.children, 1)), cmp.Compare(usual(sample, a.path), usual(sample, b.path)))
	})
	var edits []v1alpha1.Edit
	names, paths := map[string]bool{}, map[string]bool{}
	for _, t := range found {
		if paths[t.path] {
			continue
		}
		paths[t.path] = true
		t.edit.Name = editName(t.path)
		for n := 2; names[t.edit.Name]; n++ {
			t.edit.Name = fmt.Sprintf("%s-%d", editName(t.path), n)
		}
		names[t.edit.Name] = true
		edits = append(edits, t.edit)
	}
	return edits, nil
}

// usual ranks a field by how likely it is that users edit it, the likeliest first: the sample
// sets it, the sample does not, and it is a switch.
func usual(sample map[string]any, path string) int {
	switch At(sample, path).(type) {
	case nil:
		return 1
	case bool:
		return 2
	}
	return 0
}

// patchOf returns the merge patch that makes a change. Such a patch replaces a list as a
// whole, so it has all elements of the sample's list.
func (f *finder) patchOf(change Act) map[string]any {
	list, _, inList := strings.Cut(change.Path, "[")
	if !inList {
		return With(map[string]any{}, change.Path, change.To)
	}
	sample := map[string]any{}
	if f.first.To != nil {
		sample["spec"] = f.first.To
	}
	return With(map[string]any{}, list, At(With(sample, change.Path, change.To), list))
}

// askEdits asks for the changes that the controller acts on, as none was seen. A change that
// it acted on, but not on its undoing, is no edit: scenarios undo it, and wait for a write.
func (f *finder) askEdits() {
	const skipped = "Without one, requirements that change an object are skipped"
	if oneWay := f.oneWay(); oneWay != "" {
		f.ask("serves", "a change of %s led to a write, and undoing it did not: so it is no edit (serves[0].edits), as scenarios undo each edit, and wait for a write then, too. "+
			"Which change leads to a write both ways? %s", oneWay, skipped)
		return
	}
	none := "seen to lead to a write"
	if _, tried := f.act(Change); !tried {
		none = "tried"
	}
	f.ask("serves", "no change of a field was %s: which does the controller act on (serves[0].edits)? %s", none, skipped)
}

// oneWay returns the first field whose change led to an effective write, and whose undoing
// led to none, or "".
func (f *finder) oneWay() string {
	acts := f.acts(Change)
	for i := 0; i+1 < len(acts); i++ {
		change, back := acts[i], acts[i+1]
		if change.Refused != "" || back.Refused != "" || change.Path != back.Path {
			continue
		}
		led, _ := f.effective(change)
		if undone, _ := f.effective(back); led > 0 && undone == 0 {
			return change.Path
		}
		i++
	}
	return ""
}

// editName makes a name of a path: spec.store[0].maxSize becomes store-0-max-size.
func editName(path string) string {
	var b strings.Builder
	for _, r := range strings.TrimPrefix(path, "spec.") {
		switch {
		case r >= 'A' && r <= 'Z':
			b.WriteString("-" + strings.ToLower(string(r)))
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case r == ']':
		default:
			b.WriteRune('-')
		}
	}
	return cmp.Or(strings.Trim(b.String(), "-"), "edit")
}
