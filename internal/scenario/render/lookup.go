package render

import (
	"fmt"

	"github.com/jmespath-community/go-jmespath/pkg/parsing"

	"reconform.dev/reconform/internal/scenario/dialect"
)

// lookUp maps the functions that look up objects: x_k8s_get(CLIENT, API, KIND, NAMESPACE,
// NAME), x_k8s_exists, which has the same arguments, x_k8s_list, which has no NAME, and
// x_k8s_resource_exists, which ends with KIND.
func (e *evaluation) lookUp(function string, args []dialect.Node, on shape) (shape, error) {
	api, ok := args[1].Value.(string)
	kind, ok2 := args[2].Value.(string)
	if !ok || !ok2 || args[1].NodeType != parsing.ASTLiteral || args[2].NodeType != parsing.ASTLiteral {
		return nil, fmt.Errorf("%s needs the apiVersion and the kind as texts in single quotes", function)
	}
	found := kindNamed(api, kind)
	e.recordPods(found)
	for i := range args {
		if i != 0 && i != 3 {
			continue
		}
		if _, err := e.eval(&args[i], on); err != nil {
			return nil, err
		}
	}
	if found == kindPrimary {
		to := e.profile.Spec.Contract.Resource
		args[1].Value, args[2].Value = to.Group+"/"+to.Version, to.Kind
	}
	if found == kindDeployment {
		args[1].Value, args[2].Value = groupVersion(e.workload.Group, e.workload.Version), e.workload.Kind
	}
	if function == "x_k8s_resource_exists" {
		return nil, nil
	}
	if function == "x_k8s_list" {
		return shape{{place: place{kind: found, path: listOf}}}, nil
	}
	name, err := e.nameIn(&args[4], found, on)
	if err != nil || function == "x_k8s_exists" {
		return nil, err
	}
	return child(found, name), nil
}

// nameIn maps the name of an object in an expression, and returns the name that stood
// there.
func (e *evaluation) nameIn(n *dialect.Node, kind objectKind, on shape) (name string, err error) {
	var isText bool
	name, isText = n.Value.(string)
	isText = isText && n.NodeType == parsing.ASTLiteral
	if !isText {
		if _, err := e.eval(n, on); err != nil {
			return "", err
		}
		name = "(" + dialect.PrintJMESPath(n) + ")"
		if variable, ok := variableIn(n); ok {
			if value := e.scope.lookup(variable).literal; value != nil {
				name = value.Value
			}
		}
	}
	if e.missing(kind) {
		return "", e.skip("it looks Service %s up, and the implementation makes none", name)
	}
	if kind == kindDefinition {
		if isText {
			n.Value = e.qualified(name)
		}
		return name, nil
	}
	renamed, err := e.childName(kind, name)
	if err != nil || renamed == name {
		return name, err
	}
	text, err := dialect.ParseValue(renamed)
	if err != nil {
		return "", err
	}
	*n = dialect.Node{NodeType: parsing.ASTLiteral, Value: renamed}
	if text.Expression != nil {
		*n = *text.Expression
	}
	return name, nil
}
