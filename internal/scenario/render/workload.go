package render

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"go.yaml.in/yaml/v3"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
	documents "reconform.dev/reconform/internal/profile/strictyaml"
	"reconform.dev/reconform/internal/scenario/dialect"
)

// The resource that plays the Deployment. Scenarios name Deployments. An implementation
// may instead make another resource with a Pod template, such as a CronJob.

// The Deployment, as scenarios write it.
const (
	deploymentGroup   = "apps"
	deploymentVersion = "v1"
	deploymentKind    = "Deployment"
)

// makesDeployments says whether the implementation makes Deployments, and not another
// workload instead.
func (m *mapper) makesDeployments() bool {
	return m.profile.Spec.Contract.Children.Deployment.Workload == nil
}

// workloadMoves returns the paths below spec to which fields of a Deployment move.
func workloadMoves(workload v1alpha1.Workload) map[string][]string {
	return map[string][]string{
		"template": profile.Steps(workload.PodTemplate)[1:],
		"replicas": profile.Steps(workload.Replicas)[1:],
	}
}

// lacksOf says why the implementation's workload does not have this part of a Deployment: it
// returns the path that the workload lacks and that the part belongs to. It returns "" if the
// workload has the part.
func (m *mapper) lacksOf(p place) string {
	if p.kind != kindDeployment {
		return ""
	}
	for _, path := range m.workload.Lacks {
		if p.within(path) {
			return path
		}
	}
	return ""
}

// lacking returns the paths that a value shows but the workload does not have.
func (m *mapper) lacking(s shape) []string {
	var paths []string
	for _, o := range s {
		if path := m.lacksOf(o.place); path != "" && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// labelPods has the value running if the scenario needs Pods that run on.
const labelPods = "reconform.dev/pods"

// keepsPods returns an error if the scenario needs Pods that run on, and those of the workload end
// by themselves.
func (m *mapper) keepsPods() error {
	if m.scenario.Labels[labelPods] == "running" && m.workload.Group == "batch" {
		return m.skip("it needs Pods that run on, and those of a %s end by themselves", m.workload.Kind)
	}
	return nil
}

// formatted says whether a value shows a number of replicas that the implementation writes
// as text.
func (m *mapper) formatted(s shape) bool {
	return m.spec["replicas"].Format != "" && slices.ContainsFunc(s, func(o origin) bool {
		means := o.means()
		return means.sense == showsField && means.field == "replicas" && !means.counted
	})
}

// computesText skips a scenario that computes with a number, if the implementation writes
// it as text.
func (m *mapper) computesText() error {
	return m.skip("it computes with replicas, which are written as a text in this implementation")
}

// format writes a number of replicas, or an image, as the implementation does.
func (m *mapper) format(means meaning, value string) (string, error) {
	if means.field == "image" && m.spec["image"].Format != "" {
		return m.profile.FormattedImage(value)
	}
	if means.field != "replicas" || means.counted {
		return value, nil
	}
	if _, err := strconv.Atoi(value); err != nil && !strings.Contains(value, "{{") {
		if m.profile.StandsIn() && value != "" && value != "null" {
			return "", m.skip("it gives replicas a value that is not a number, and another field stands in for them in this implementation")
		}
		return value, nil
	}
	return m.profile.Formatted(value)
}

// namedObject is an object by its kind and its name in the scenario.
type namedObject struct {
	kind objectKind
	name string
}

// ends says whether the object is a workload that the controller makes, and that has finished by
// then, or the Service beside it.
func (m *mapper) ends(kind objectKind, name string) bool {
	return profile.Ends(m.workload) && (kind == kindDeployment || kind == kindService) && !m.foreign[namedObject{kind, name}]
}

// ended skips a scenario that deletes or changes the workload, or the Service beside it, if the
// workload has finished by then: the controller need not do anything about it.
func (m *mapper) ended(kind objectKind, name, does string) error {
	switch {
	case !m.ends(kind, name):
		return nil
	case kind == kindService:
		return m.skip("it %s the Service of a %[2]s, and a controller need do nothing more about a %[2]s that has finished, as it does here at once", does, m.workload.Kind)
	}
	return m.skip("it %s a %[2]s, and a %[2]s that has finished, as it does here at once, need not be made again or put right", does, m.workload.Kind)
}

// lasts skips a scenario that forbids to delete the workload or the Service beside it, or to change
// its spec, if the workload has finished by then: its controller may suspend it or clean both up,
// and the cluster deletes the workload after its ttlSecondsAfterFinished.
func (m *mapper) lasts(kind objectKind, name string, never ast.Expr) error {
	switch {
	case !m.ends(kind, name) || !asksToLast(never):
		return nil
	case kind == kindService:
		return m.skip("its rule is that the Service of a %[1]s stays as it is, and when the %[1]s has finished, as it does here at once, it may be deleted", m.workload.Kind)
	}
	return m.skip("its rule is that a %[1]s stays as it is, and a %[1]s that has finished, as it does here at once, may be suspended or deleted", m.workload.Kind)
}

// serves skips a scenario that looks at the Pods behind a Service, if those end by themselves.
func (m *mapper) serves(kind objectKind) error {
	if kind == kindEndpointSlice && !m.missing(kind) && m.workload.Group == "batch" {
		return m.skip("it looks at the Pods behind a Service, and those of a %s end by themselves", m.workload.Kind)
	}
	return nil
}

// asksToLast says whether a rule of what must never be, or a part of it, is true if the object is
// gone, is another one, or has a new generation.
func asksToLast(never ast.Expr) bool {
	if never.Kind() == ast.CallKind {
		call := never.AsCall()
		args := call.Args()
		switch call.FunctionName() {
		case operators.Equals:
			if isNew(args[0]) && isNull(args[1]) || isNull(args[0]) && isNew(args[1]) {
				return true
			}
		case operators.NotEquals:
			if isIdentity(args[0]) && isIdentity(args[1]) {
				return true
			}
		}
	}
	return slices.ContainsFunc(dialect.Operands(never), asksToLast)
}

func isNew(e ast.Expr) bool { return e.Kind() == ast.IdentKind && e.AsIdent() == "new" }

func isNull(e ast.Expr) bool {
	return e.Kind() == ast.LiteralKind && e.AsLiteral() == types.NullValue
}

// isIdentity says whether an expression is the metadata.uid or the metadata.generation of an object.
func isIdentity(e ast.Expr) bool {
	if e.Kind() != ast.SelectKind {
		return false
	}
	field, of := e.AsSelect().FieldName(), e.AsSelect().Operand()
	return (field == "uid" || field == "generation") && of.Kind() == ast.SelectKind && of.AsSelect().FieldName() == "metadata"
}

// workloadBase puts the base of the workload under the spec of a workload that a scenario
// creates.
func (m *mapper) workloadBase(resource *yaml.Node) error {
	values, err := m.profile.WorkloadBase()
	if err != nil || len(values) == 0 {
		return err
	}
	underlay(resource, given(values, func(text string) *yaml.Node { return documents.Text(literally(text)) }))
	return nil
}

// scaleByPatch turns a kubectl scale of a Deployment into a patch, if the workload is not
// a Deployment: kubectl may be unable to scale it, or its replicas may be text.
func (k *kubectl) scaleByPatch() error {
	if k.Verb != "scale" || k.makesDeployments() {
		return nil
	}
	for i, argument := range k.Arguments {
		for _, object := range argument.Objects {
			if kindOfResource(object.Resource) != kindDeployment {
				return nil
			}
		}
		if argument.Flag == nil || argument.Flag.Name != "replicas" {
			continue
		}
		replicas, err := strconv.Atoi(argument.Flag.Value)
		if err != nil {
			return fmt.Errorf("--replicas=%s is not a number", argument.Flag.Value)
		}
		k.Verb = "patch"
		k.Arguments = slices.Replace(k.Arguments, i, i+1,
			dialect.Argument{Flag: &dialect.Flag{Name: "type", Value: "merge"}},
			dialect.Argument{Flag: &dialect.Flag{Name: "patch", Value: fmt.Sprintf(`{"spec":{"replicas":%d}}`, replicas)}})
		return nil
	}
	return nil
}
