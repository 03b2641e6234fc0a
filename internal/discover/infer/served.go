package infer

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/verdict/seen"
)

// mostEdits limits the edits that a profile gets. It offers all others.
const mostEdits = 4

// editsAt is the place of questions about edits: the end of their list.
const editsAt = "serves.edits"

// findServed tells what a record shows of a controller that makes nothing with a Pod
// template: a profile without a contract.
func findServed(r *Record) (*Findings, error) {
	f := &finder{Record: r}
	f.Notes, f.Asked = map[string]Note{}, map[string][]Question{}
	first, ok := r.act(Create)
	if !ok {
		return nil, fmt.Errorf("no %s was created", r.Kind)
	}
	f.first = first
	f.Elections = seen.Elections(r.Account, r.Home)
	if err := f.findServes(); err != nil {
		return nil, err
	}
	f.findTimesOfServed()
	f.findLaunch()
	f.findFeaturesOfServed()
	f.dropLacking()
	f.askLeftOut()
	f.askBarredWrites()
	f.askBarredNamespaces()
	return &f.Findings, nil
}

// findServes describes the resource, the sample, and the edits that the controller acted on.
func (f *finder) findServes() error {
	names := f.CRD.Spec.Names
	served := v1alpha1.Served{Resource: v1alpha1.ServedResource{
		Group: f.CRD.Spec.Group, Version: f.Version.Name, Kind: names.Kind, Plural: names.Plural, Scope: string(f.CRD.Spec.Scope),
	}}
	sample := map[string]any{}
	for key, value := range f.Around {
		sample[key] = profile.EscapeAll(value)
	}
	if f.first.To != nil {
		sample["spec"] = f.written(f.first.To)
	}
	raw, err := json.Marshal(sample)
	if err != nil {
		return fmt.Errorf("writing the sample: %w", err)
	}
	served.Sample = &apiextensionsv1.JSON{Raw: raw}
	edits, err := f.edits()
	if err != nil {
		return err
	}
	served.Edits = edits[:min(len(edits), mostEdits)]
	f.Spec.Serves = []v1alpha1.Served{served}
	f.note("serves", Seen, "there is no contract, because %s: so what it serves is described, and what needs no more than that is judged. "+
		"If something in the sample must be different for each object, write {{ .name }} there", f.Workless)
	if f.CRD.Spec.Scope == apiextensionsv1.ClusterScoped {
		f.ask("serves", "its objects have no namespace. {{ .namespace }} in the sample is the namespace of a scenario, and the controller sees no other one: "+
			"does each field that names a namespace have it? Scenarios run one after the other")
	}
	if len(served.Edits) == 0 {
		f.askEdits()
	}
	if err := f.offerEdits(edits[len(served.Edits):]); err != nil {
		return err
	}
	f.askUnchanged(len(served.Edits) > 0)
	f.findOwnershipOfServed()
	return nil
}

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

// findOwnershipOfServed says how the controller knows what it has created. It cannot
// know it by owner references if nothing that it created has one.
func (f *finder) findOwnershipOfServed() {
	created, owned := "", false
	for _, q := range f.Account.Requests {
		if q.Verb == history.VerbCreate && q.Effect == history.EffectEffective && history.Matches(v1alpha1.RequestMatch{}, q) {
			created, owned = q.GroupResource().String()+" "+q.Name, owned || len(q.Owners) > 0
		}
	}
	if created == "" || owned {
		f.ask("claims.ownership", "does it know its children by their labels? Then write ownership: labels. By default, by owner references")
		return
	}
	f.Spec.Claims.Ownership = v1alpha1.OwnershipByLabels
	f.note("claims.ownership", Seen, "%s has no owner reference, and nothing else that it created has one", created)
}

// written returns a value as the profile has it. A cluster-scoped object may name the
// namespace of the visit. The profile has a template there, for the namespace of a
// scenario.
func (f *finder) written(value any) any {
	escaped := profile.EscapeAll(value)
	if f.CRD.Spec.Scope != apiextensionsv1.ClusterScoped {
		return escaped
	}
	return profile.EachText(escaped, func(text string) string {
		return strings.ReplaceAll(text, f.Account.Scenario, v1alpha1.TrialNamespace)
	})
}

// edits returns the changes that led to an effective write, and to another one when
// they were undone. Those that led to a write of another object than the one that was
// changed come first. Of these, and of the others, the fields that the sample sets come first,
// because they are what users edit; switches, which are true or false, come last. Each field
// has one edit, and each edit a name of its own.
func (f *finder) edits() ([]v1alpha1.Edit, error) {
	type tried struct {
		path     string
		edit     v1alpha1.Edit
		children int
	}
	var found []tried
	acts := f.acts(Change)
	for i := 0; i+1 < len(acts); i++ {
		change, back := acts[i], acts[i+1]
		if change.Refused != "" || back.Refused != "" || change.Path != back.Path {
			continue
		}
		i++ // the next one undoes this one
		all, children := f.effective(change)
		if undone, _ := f.effective(back); all == 0 || undone == 0 {
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
	f.ask("serves", "no change of a field was seen to lead to a write: which does (serves[0].edits)? %s", skipped)
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

// effective counts the effective writes during an act, and those of them that are not of the
// primary object.
func (f *finder) effective(a Act) (all, children int) {
	for _, q := range f.during(a) {
		if q.Effect != history.EffectEffective || !history.Matches(v1alpha1.RequestMatch{}, q) {
			continue
		}
		all++
		if !f.isPrimary(q) {
			children++
		}
	}
	return all, children
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

// findTimesOfServed guesses the times, because no failure was tried.
func (f *finder) findTimesOfServed() {
	times := &f.Spec.Claims.Times
	look := metav1.Duration{Duration: RetryLook}
	times.Retry = &v1alpha1.RetrySchedule{First: look, Factor: 1, Longest: look, Guessed: true}
	f.note("claims.times.retry", Guessed, "what happens when something fails was not tried")
	f.ask("claims.times.retry", "guessed: true, as the schedule is not known: with controller-runtime's default it is {first: 5ms, factor: 2, longest: 1000s}")
	times.ShutdownGrace = metav1.Duration{Duration: usualGrace}
	f.note("claims.times.shutdownGrace", Guessed, "what Kubernetes gives a Pod")
	f.askRate()
	f.findLeaseTimes()
}

// findFeaturesOfServed claims what was seen, and needs no contract.
func (f *finder) findFeaturesOfServed() {
	f.findDescribed()
	f.findScope()
	if rest, ok := f.act(Rest); ok {
		all, _ := f.effective(rest)
		if all > 0 {
			f.askClaim("quiet", ": it made %d effective writes at rest", all)
		}
	}
	f.findElectionFeatures()
	f.findEnd()
	slices.SortFunc(f.Spec.Claims.Features, cmp.Compare[v1alpha1.Feature])
}
