package drift

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// mostWords is how long what is said of a changed field may be.
const mostWords = 120

// spoilt is a child with fields that were changed, and are not back.
type spoilt struct {
	child
	of     *run // of this child alone
	fields []changed
}

// changeOthers changes what the controller set in each object that it made for the object, and
// that is neither the workload nor the Service of the contract: all fields of one child at once,
// and one child after the other. As with deletions, fields that do not come back in time are lost
// only if the controller sets them back later, or when it is restarted. Otherwise it sets them
// only when it makes the child, and nothing is said about them.
func (r *run) changeOthers(ctx context.Context) error {
	owner, all, err := r.made(ctx)
	if err != nil {
		return err
	}
	spec, _ := owner.Object["spec"].(map[string]any)
	workload, service, err := r.childNames(owner.GetName(), spec)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(one child) bool {
		switch one.resource.GroupResource().String() {
		case r.workload:
			return workload == "" || one.name == workload
		case "services":
			return one.name == service
		}
		return false
	})
	var late []spoilt
	err = r.inTurn(ctx, owner.GetUID(), all, "changed", func(one child) error {
		changed, err := r.spoil(ctx, one)
		if errors.Is(err, errGone) {
			return nil // the controller has deleted it itself
		}
		if err != nil {
			return err
		}
		missing, err := changed.of.await(ctx, changed.fields, r.within)
		if err != nil {
			return err
		}
		for _, c := range without(changed.fields, missing) {
			r.tell(changed.pathOf(c), v1alpha1.DriftKept, c.inShort()+", and back")
		}
		if len(missing) > 0 {
			late = append(late, spoilt{child: one, of: changed.of, fields: missing})
		}
		return nil
	})
	if err != nil {
		return err
	}
	return r.judgeUnhealed(ctx, late)
}

// spoil changes what the controller set in a child. Its labels stay, because a controller may find
// it by them, and so does the content of a Secret, which must stand in no report.
func (r *run) spoil(ctx context.Context, one child) (spoilt, error) {
	resource := one.resource.GroupResource().String()
	spec := r.spec
	spec.Resource, spec.Name = resource, one.name
	s := spoilt{child: one, of: &run{
		spec: spec, times: r.times, within: r.within,
		object: &object{
			client: r.children.client.Resource(one.resource).Namespace(r.children.namespace), name: one.name, recorder: r.object.recorder,
			query: history.Query{Scenario: r.children.namespace, Match: v1alpha1.RequestMatch{
				Verbs: []string{history.VerbCreate, history.VerbUpdate}, Resources: []string{resource}, Names: []string{one.name},
			}},
		},
	}}
	now, err := s.of.object.read(ctx)
	if err != nil {
		return s, err
	}
	fields, err := fieldsSet(s.of.object.writes(one.uid, 0), now.Object, false)
	if err != nil {
		return s, err
	}
	if why := needNotReturn(now); why != "" {
		r.tell(one.String(), v1alpha1.DriftNotAsked, why)
		return s, nil
	}
	for _, f := range fields {
		if f.entry || f.path.under("metadata.labels") || resource == "secrets" && !f.path.under("metadata") {
			continue
		}
		why := s.of.declared(f.path)
		if why == "" {
			c, err := s.of.alter(ctx, f)
			switch {
			case err == nil:
				r.ask(s.pathOf(c))
				s.fields = append(s.fields, c)
			case errors.Is(err, errNoOther):
				why = "nobody could change it back"
			case refused(err):
				why = "the API server refuses to change it: " + err.Error()
			default:
				return s, err
			}
		} else {
			why = "the profile declares it as not healed: " + why
		}
		if why != "" {
			r.tell(s.pathOf(changed{field: f}), v1alpha1.DriftNotAsked, why)
		}
	}
	return s, nil
}

// inShort is like inWords, without values that may be long, or that nobody but their owner may
// read.
func (c changed) inShort() string {
	if words := c.inWords(); len(words) <= mostWords && !c.path.under("data") && !c.path.under("binaryData") {
		return words
	}
	return "changed"
}

// pathOf names a field and the child that has it.
func (s spoilt) pathOf(c changed) string { return s.String() + " " + c.path.String() }

// judgeUnhealed says which of the fields that did not come back in time the controller sets back
// on another occasion: those are lost.
func (r *run) judgeUnhealed(ctx context.Context, late []spoilt) error {
	late, err := r.tellBack(ctx, late, time.Now(), "later, when something else was changed")
	if err != nil || len(late) == 0 {
		return err
	}
	limit, err := r.toStart()
	if err != nil {
		return err
	}
	if err := r.children.restart(ctx); err != nil {
		return fmt.Errorf("restarting the controller, as fields of %s have not come back: %w", late[0], err)
	}
	late, err = r.tellBack(ctx, late, time.Now().Add(limit), "when the controller was restarted")
	if err != nil {
		return err
	}
	for _, one := range late {
		for _, c := range one.fields {
			r.tell(one.pathOf(c), v1alpha1.DriftNotAsked,
				fmt.Sprintf("it is set only when the object is made: it was not back after %s, nor after a restart of the controller", r.within))
		}
	}
	return nil
}

// tellBack tells which late fields are back until the end, and on which occasion. It returns the
// others.
func (r *run) tellBack(ctx context.Context, late []spoilt, end time.Time, occasion string) ([]spoilt, error) {
	var others []spoilt
	for _, one := range late {
		missing, err := one.of.await(ctx, one.fields, time.Until(end))
		if err != nil {
			return nil, err
		}
		for _, c := range without(one.fields, missing) {
			r.tell(one.pathOf(c), v1alpha1.DriftLost, fmt.Sprintf("%s by somebody else, and not back after %s; it came back %s", c.inShort(), r.within, occasion))
		}
		if len(missing) > 0 {
			others = append(others, spoilt{child: one.child, of: one.of, fields: missing})
		}
	}
	return others, nil
}
