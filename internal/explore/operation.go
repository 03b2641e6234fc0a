package explore

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// Operation is what is disturbed: the last of some steps, which the others lead to.
type Operation struct {
	// Name of it, such as edit-image.
	Name string
	// Steps of the Trial.
	Steps []v1alpha1.TrialOperation
	// About is the resource of the object that the last step is about, as plural.group;
	// empty if it is about none.
	About string
	// Elects is true if it needs two replicas and leader election.
	Elects bool
	// Called is the plural of the resource whose object it is about, if that is not the first
	// that the controller serves.
	Called string
}

// Sorts are the sorts of operations, in the order in which they are recorded.
func Sorts() []string {
	return []string{"create", "edit", "delete", "recreate", "drift", "delete-child", "restart", "failover"}
}

// sort returns the sort of an operation.
func (o Operation) sort() string {
	for _, sort := range slices.Backward(Sorts()) {
		if o.Name == sort || strings.HasPrefix(o.Name, sort+"-") {
			return sort
		}
	}
	return o.Name
}

// child is an object that the controller creates.
type child struct{ resource, name string }

func (c child) target() *v1alpha1.TrialTarget {
	return &v1alpha1.TrialTarget{Resource: c.resource, Name: c.name}
}

// plural names the child in the name of an operation, if no other child has this plural.
func (c child) plural() string {
	plural, _, _ := strings.Cut(c.resource, ".")
	return plural
}

// called names the child in the name of an operation, also beside others of its plural.
func (c child) called() string {
	made := strings.TrimRight(c.name, "*?")
	if made != c.name {
		made += "some" // the controller makes up the rest
	}
	return c.resource + "-" + made
}

// creation is the operation that all others begin with.
func (t *Target) creation() (Operation, error) {
	object, err := encode(t.Sample.Object)
	if err != nil {
		return Operation{}, err
	}
	return Operation{Name: "create", About: t.Resource, Called: t.called, Steps: []v1alpha1.TrialOperation{{Create: &v1alpha1.TrialObject{Object: object}}}}, nil
}

// own names the object of the target.
func (t *Target) own() v1alpha1.TrialTarget {
	return v1alpha1.TrialTarget{Resource: t.Resource, Name: t.Sample.GetName()}
}

// operations returns all operations of a target whose controller makes these children.
func (t *Target) operations(children []child) ([]Operation, error) {
	create, err := t.creation()
	if err != nil {
		return nil, err
	}
	all := []Operation{create}
	then := func(name, about string, step v1alpha1.TrialOperation) {
		all = append(all, Operation{Name: name, About: about, Called: t.called, Steps: append(slices.Clone(create.Steps), step)})
	}
	for _, edit := range t.edits() {
		step, err := edit.step(edit.Patch)
		if err != nil {
			return nil, err
		}
		then(edit.operation(), edit.of.Resource, step)
	}
	own := t.own()
	then("delete", t.Resource, v1alpha1.TrialOperation{Delete: &own})
	then("recreate", t.Resource, v1alpha1.TrialOperation{Recreate: create.Steps[0].Create})
	for _, c := range children {
		called := c.plural()
		if slices.ContainsFunc(children, func(other child) bool { return other.plural() == c.plural() && other != c }) {
			called = c.called()
		}
		then(drifting+called, c.resource, c.drift(v1alpha1.DriftFirst))
		then("delete-child-"+called, c.resource, v1alpha1.TrialOperation{DeleteChild: c.target()})
	}
	then("restart", "", v1alpha1.TrialOperation{Restart: &v1alpha1.Empty{}})
	if t.elects() {
		then("failover", "", v1alpha1.TrialOperation{Failover: &v1alpha1.Empty{}})
		all[len(all)-1].Elects = true
	}
	return all, nil
}

// elects says whether several replicas of the controller can run.
func (t *Target) elects() bool {
	return t.Profile.Has(v1alpha1.FeatureLeaderElection) && t.Profile.Spec.Launch.LeaderElection != nil
}

// after returns the operation with another step after it. It is recorded only for its
// outcome.
func (o Operation) after(name string, step v1alpha1.TrialOperation) Operation {
	return Operation{Name: o.Name + " then " + name, Steps: append(slices.Clone(o.Steps), step), About: o.About, Elects: o.Elects, Called: o.Called}
}

func encode(fields map[string]any) (apiextensionsv1.JSON, error) {
	data, err := json.Marshal(fields)
	if err != nil {
		return apiextensionsv1.JSON{}, fmt.Errorf("encoding an object: %w", err)
	}
	return apiextensionsv1.JSON{Raw: data}, nil
}

// others are the operations that somebody does while a write is open.
func (t *Target) others() []Other {
	own := t.own()
	all := []Other{{Name: "delete", How: "the object is deleted", Step: v1alpha1.TrialOperation{Delete: &own}}}
	if create, err := t.creation(); err == nil {
		all = append(all, Other{Name: "recreate", How: "the object is deleted and created again", Step: v1alpha1.TrialOperation{Recreate: create.Steps[0].Create}})
	}
	if len(t.Edits) > 0 {
		edit := t.Edits[0]
		if patch, err := encode(edit.Patch); err == nil {
			all = append(all, Other{Name: "edit", How: "its " + edit.Name + " is edited", Step: v1alpha1.TrialOperation{
				Patch: &v1alpha1.TrialPatch{TrialTarget: own, Patch: patch},
			}})
		}
	}
	return all
}

// combined returns operations that are only recorded: an operation with another one after
// it. Their outcome is expected if the other one comes while the first is under way, too. Of
// the edits, only the first is combined: the others would show the same. A restart that is
// neutral changes nothing, so the outcome after it is known without a recording.
func combined(operations []Operation, others []Other, elects, neutral bool) []Operation {
	var all []Operation
	edited := false
	for _, o := range operations {
		sort := o.sort()
		if !slices.Contains([]string{"create", "edit", "delete"}, sort) || sort == "edit" && edited {
			continue
		}
		edited = edited || sort == "edit"
		for _, other := range others {
			if sort == "create" || sort == "edit" && other.Name != "edit" {
				all = append(all, o.after(other.Name, other.Step))
			}
		}
		if !neutral {
			all = append(all, o.restarted())
		}
		if elects && sort != "create" {
			led := o.after("failover", v1alpha1.TrialOperation{Failover: &v1alpha1.Empty{}})
			led.Elects = true
			all = append(all, led)
		}
	}
	return all
}
