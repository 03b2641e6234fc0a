package drift

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile/expectation"
	"reconform.dev/reconform/internal/record/sanitize"
)

// run is a Drift in progress.
type run struct {
	object *object
	// children are what the controller made for the object.
	children *children
	// childNames returns the names of the workload and the Service of an object with this name
	// and spec. Each is empty if it is not known.
	childNames func(name string, spec map[string]any) (workload, service string, err error)
	spec       v1alpha1.DriftSpec
	times      expectation.Times
	within     time.Duration
	// workload is the resource that has the Pod template, at the path template. container
	// is the name of the container that runs the image.
	container, workload string
	template            path
	// first is true if the first container runs the image, whatever its name.
	first bool

	mu     sync.Mutex
	fields []v1alpha1.DriftField
	ended  bool
	failed error
}

// changeAll finds the fields that the controller set, and changes them.
func (r *run) changeAll(ctx context.Context) error {
	now, err := r.object.read(ctx)
	if err != nil {
		return err
	}
	fields, err := fieldsSet(r.object.writes(now.GetUID(), 0), now.Object, r.claims(v1alpha1.FeaturePortDrift))
	if err != nil {
		return err
	}
	if len(fields) == 0 {
		return errors.New("no request of the controller shows which fields of the object it set")
	}
	return r.change(ctx, fields)
}

// end ends the run, with the error that stopped it, if any.
func (r *run) end(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended, r.failed = true, err
}

// ask records that a field is being changed.
func (r *run) ask(name string) { r.tell(name, v1alpha1.DriftPending, "") }

// tell records what happened to a field.
func (r *run) tell(name string, result v1alpha1.DriftResult, note string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	told := v1alpha1.DriftField{Path: name, Result: result, Note: note}
	if i := r.place(name); i >= 0 {
		r.fields[i] = told
		return
	}
	r.fields = append(r.fields, told)
}

// result returns the result of a field so far, or "".
func (r *run) result(p path) v1alpha1.DriftResult {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := r.place(p.String()); i >= 0 {
		return r.fields[i].Result
	}
	return ""
}

// place returns where a field is among those that were recorded, or -1. The lock is held.
func (r *run) place(name string) int {
	return slices.IndexFunc(r.fields, func(f v1alpha1.DriftField) bool { return f.Path == name })
}

// claims says whether the profile claims a feature.
func (r *run) claims(feature v1alpha1.Feature) bool {
	return expectation.CheckClaim(r.times.Claims, feature) == ""
}

// declared returns why the profile says that a field is not healed, or "". A controller
// that recognises its children by labels need not heal labels.
func (r *run) declared(p path) string {
	if r.times.Claims.Ownership == v1alpha1.OwnershipByLabels && p.under("metadata.labels") {
		return "ownership: labels"
	}
	for _, declared := range r.times.Claims.NotHealed {
		if declared.Resource == r.spec.Resource && slices.ContainsFunc(declared.Paths, p.under) {
			return declared.Why
		}
	}
	return ""
}

// status returns the status of the run as it is now.
func (r *run) status() v1alpha1.DriftStatus {
	r.mu.Lock()
	defer r.mu.Unlock()
	status := v1alpha1.DriftStatus{Phase: v1alpha1.DriftRunning, Verdict: v1alpha1.JudgementPending, Fields: slices.Clone(r.fields)}
	var lost []v1alpha1.DriftField
	unasked := 0
	for _, field := range r.fields {
		switch field.Result {
		case v1alpha1.DriftNotAsked:
			unasked++
			continue
		case v1alpha1.DriftLost:
			lost = append(lost, field)
		}
		status.Asked++
	}
	// The fields of the status say why each of the others is left out.
	what, more := r.spec.Resource+" "+r.spec.Name, ""
	if unasked > 0 {
		more = fmt.Sprintf(" (others left out: %d)", unasked)
	}
	switch {
	case !r.ended:
		return status
	case r.failed != nil:
		status.Phase, status.Verdict = v1alpha1.DriftInvalid, v1alpha1.JudgementInvalid
		status.Message = fmt.Sprintf("%s: %v", what, r.failed)
		return status
	case len(lost) > 0:
		status.Verdict = v1alpha1.JudgementNotMet
		status.Message = fmt.Sprintf("%s %s: expected: %s; found: %d of %d not so%s: %s", r.subject(), what, r.expected(), len(lost), status.Asked, more, inShort(lost))
	default:
		status.Verdict = v1alpha1.JudgementMet
		status.Message = fmt.Sprintf("%s: %d tried%s", what, status.Asked, more)
	}
	status.Phase = v1alpha1.DriftDone
	return status
}

// mostTold is how many fields a message names. The status has all of them.
const mostTold = 4

// inShort names the lost fields: what happened to the first one, and the paths of some
// others.
func inShort(lost []v1alpha1.DriftField) string {
	text := lost[0].Path + " (" + lost[0].Note + ")"
	if len(lost) == 1 {
		return text
	}
	var others []string
	for _, field := range lost[1:] {
		others = append(others, field.Path)
	}
	return text + ", also " + sanitize.CutList(others, mostTold-1, ", ")
}

func (r *run) subject() string {
	switch r.spec.Mode {
	case v1alpha1.DriftAdd:
		return "the additions of others to"
	case v1alpha1.DriftDelete:
		return "the objects that the controller made for"
	case v1alpha1.DriftChangeOthers:
		return "the fields that the controller set in other objects of"
	}
	return "the fields that the controller set of"
}

func (r *run) expected() string {
	switch r.spec.Mode {
	case v1alpha1.DriftAdd:
		return "each stays when the controller writes the object"
	case v1alpha1.DriftDelete:
		return "each comes back by itself when somebody else deletes it"
	}
	return "each comes back when somebody else changes it"
}
