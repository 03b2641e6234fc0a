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

// findServed tells what a record shows of a controller that makes nothing with a Pod
// template: a profile without a contract.
func findServed(r *Record) (*Findings, error) {
	f := &finder{Record: r}
	f.Notes, f.Asked = map[string]Note{}, map[string][]Question{}
	first, ok := r.act(Create)
	if !ok {
		return nil, fmt.Errorf("no %s was created", r.Kind)
	}
	f.first, f.workload = first, r.MainWorkload()
	f.Elections = seen.Elections(r.Account, r.Home)
	if err := f.findServes(); err != nil {
		return nil, err
	}
	f.findTimesOfServed()
	f.findLaunch()
	f.findFeaturesOfServed()
	f.dropLacking()
	f.askHeartbeat()
	f.askSchedules()
	f.askLeftOut()
	f.askBarredWrites()
	f.askBarredNamespaces()
	f.doubtCrashes()
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

// findTimesOfServed guesses the times, unless a failure was tried: it is if there is no contract
// only because of names.
func (f *finder) findTimesOfServed() {
	times := &f.Spec.Claims.Times
	if _, tried := f.act(Hinder); tried {
		f.findRetries()
		f.doubtEnding()
	} else {
		look := metav1.Duration{Duration: RetryLook}
		times.Retry = &v1alpha1.RetrySchedule{First: look, Factor: 1, Longest: look, Guessed: true}
		f.note("claims.times.retry", Guessed, "what happens when something fails was not tried")
		f.ask("claims.times.retry", "guessed: true, as the schedule is not known: with controller-runtime's default it is {first: 5ms, factor: 2, longest: 1000s}")
	}
	f.findGrace()
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
