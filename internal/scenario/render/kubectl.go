package render

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"reconform.dev/reconform/internal/scenario/dialect"
)

// command maps a call of kubectl. Scenarios run no other command.
func (m *mapper) command(body *yaml.Node, step *scope) (bool, error) {
	if text(body, "entrypoint") != "kubectl" {
		return false, m.at(body, errors.New("command: only kubectl is allowed"))
	}
	var args []string
	for _, arg := range list(get(body, "args")) {
		args = append(args, arg.Value)
	}
	command, err := dialect.ParseKubectl(args)
	if err != nil {
		return false, m.at(body, err)
	}
	before := command.Args()
	k := kubectl{mapper: m, Command: command}
	m.kubectl = &k
	keep, err := k.run()
	m.kubectl = nil
	if err != nil || !keep {
		return false, m.at(body, err)
	}
	if after := command.Args(); !slices.Equal(before, after) {
		written := make([]*yaml.Node, len(after))
		for i := range after {
			written[i] = str(after[i])
		}
		get(body, "args").Content = written
	}
	if k.first != "" {
		if err := k.firstContainer(body); err != nil {
			return false, m.at(body, err)
		}
	}
	for _, env := range list(get(body, "env")) {
		if value := get(env, "value"); value != nil {
			if err := (&tree{mapper: m}).node(value, nil); err != nil {
				return false, err
			}
		}
	}
	m.scope.own["stdout"], m.scope.own["stderr"] = variable{shape: k.output}, variable{}
	if check := get(body, "check"); check != nil {
		if err := m.checked(check, nil); err != nil {
			return false, err
		}
		eachExpression(check, func(n *dialect.Node) {
			if name, ok := variableIn(n); ok && (name == "stdout" || name == "stderr") {
				k.proves = true
			}
		})
	}
	if k.proves {
		m.checks++
	}
	return true, m.define(get(body, "outputs"), nil, step)
}

// kubectl maps one call.
type kubectl struct {
	*mapper
	*dialect.Command
	// objects are the kinds of the objects that were named last, without the kinds that
	// the implementation does not have.
	objects []objectKind
	// output is what the call prints, if that is a field.
	output shape
	// named is the name of the primary whose objects were named last.
	named string
	// first is a primary: the command names the first container of its Deployment.
	first string
	// proves says that the scenario checks the output.
	proves bool
}

func (k *kubectl) run() (keep bool, err error) {
	if k.Verb == "delete" {
		clear(k.asserted)
	}
	if err := k.scales(); err != nil {
		return false, err
	}
	if err := k.scaleByPatch(); err != nil {
		return false, err
	}
	var kept []dialect.Argument
	gone := ""
	for _, argument := range k.Arguments {
		switch {
		case argument.Objects != nil:
			left, missing, err := k.resources(argument.Objects)
			if err != nil {
				return false, err
			}
			if len(left) == 0 {
				gone = missing
				continue
			}
			argument.Objects = left
		case argument.Name != nil:
			if len(k.objects) == 0 {
				continue // the name of a dropped Service
			}
			name, err := k.name(k.objects, *argument.Name)
			if err != nil {
				return false, err
			}
			argument.Name = &name
		case argument.Assignment != nil && k.Verb == "set image":
			if argument.Assignment.Key, err = k.containerNamed(argument.Assignment.Key); err != nil {
				return false, err
			}
		case argument.Flag != nil:
			if err := k.flag(argument.Flag); err != nil {
				return false, err
			}
		}
		kept = append(kept, argument)
	}
	k.Arguments = kept
	if gone != "" && len(k.Objects()) == 0 {
		if k.Reads {
			return false, nil
		}
		return false, k.skip("it runs kubectl %s on a Service, and the implementation makes none", k.Verb)
	}
	return true, nil
}

// disturbs are the verbs of kubectl after which a controller has to repair a child, and what
// they do to it.
var disturbs = map[string]string{
	"delete": "deletes", "patch": "changes", "scale": "changes", "rollout restart": "changes",
	"set env": "changes", "set image": "changes", "set resources": "changes",
}

// patchesMetadata tells whether the call is a patch of nothing but metadata.
func (k *kubectl) patchesMetadata() bool {
	for _, argument := range k.Arguments {
		if k.Verb == "patch" && argument.Flag != nil && argument.Flag.Name == "patch" {
			var fields map[string]any
			err := yaml.Unmarshal([]byte(argument.Flag.Value), &fields)
			delete(fields, "metadata")
			return err == nil && len(fields) == 0
		}
	}
	return false
}

// resources maps the objects of one argument. It drops the objects that the implementation
// does not have.
func (k *kubectl) resources(objects []dialect.Object) (left []dialect.Object, missing string, err error) {
	k.objects = nil
	for _, object := range objects {
		kind := kindOfResource(object.Resource)
		if strings.HasPrefix(object.Resource, "po") {
			k.recordPods(kindPod)
		}
		if k.missing(kind) {
			missing = object.Resource
			continue
		}
		k.objects = append(k.objects, kind)
		if does := disturbs[k.Verb]; does != "" && !k.patchesMetadata() {
			if err := k.ended(kind, object.Name, does); err != nil {
				return nil, "", err
			}
		}
		switch kind {
		case kindPrimary:
			object.Resource = k.primaryResource(object.Resource)
		case kindDeployment:
			if !k.makesDeployments() {
				object.Resource = k.profile.WorkloadResource().String()
			}
		}
		if object.Name != "" {
			if object.Name, err = k.name([]objectKind{kind}, object.Name); err != nil {
				return nil, "", err
			}
		}
		left = append(left, object)
	}
	return left, missing, nil
}

// primaryResource writes the name of the primary resource so that kubectl cannot confuse
// it with another resource. The reference's own name stays as it is.
func (k *kubectl) primaryResource(name string) string {
	to := k.profile.Spec.Contract.Resource
	if to.Group == referenceGroup && to.Plural == referencePlural {
		return name
	}
	return to.Plural + "." + to.Group
}

// name maps the name of an object of one of these kinds. The result must be the same for
// all kinds.
func (k *kubectl) name(kinds []objectKind, name string) (string, error) {
	k.named = name
	var names shape
	for _, kind := range kinds {
		names = names.and(shape{{place: place{kind, "metadata.name"}}})
		if kind == kindPrimary && k.Verb == "delete" {
			for id := range k.known {
				if strings.HasSuffix(id, "/"+name) {
					delete(k.known, id)
				}
			}
		}
	}
	return k.translate(name, names)
}

// containerNamed maps the name of a container.
func (k *kubectl) containerNamed(name string) (string, error) {
	mapped, err := k.translateAs(name, meaning{sense: namesContainer, of: k.named})
	if err == nil && isExpression(mapped) {
		return "", k.skip("it names a container whose name is computed")
	}
	return mapped, err
}

// object returns the shape of the objects that the call is about.
func (k *kubectl) object() shape {
	var all shape
	for _, kind := range k.objects {
		all = all.and(child(kind, k.named))
	}
	return all
}

func (k *kubectl) flag(flag *dialect.Flag) (err error) {
	if len(k.objects) == 0 && (flag.Name == "patch" || flag.Name == "output" || flag.Name == "for") && k.Verb != "get" {
		return nil // it is dropped with its object
	}
	switch flag.Name {
	case "containers":
		flag.Value, err = k.containerNamed(flag.Value)
	case "replicas", "current-replicas":
		flag.Value, err = k.translate(flag.Value, k.object().field("spec").field("replicas"))
	case "patch":
		flag.Value, err = k.patch(flag.Value)
	case "output":
		flag.Value, k.output, err = k.path(flag.Value, "jsonpath=")
		if err == nil && len(k.output) == 0 && strings.Contains(flag.Value, "=") {
			err = fmt.Errorf("the output %s is not allowed: write jsonpath={.spec.field}", flag.Value)
		}
	case "for":
		flag.Value, err = k.condition(flag.Value)
	}
	return err
}

// path maps the JSONPath after a prefix. The path is in the object of the call.
func (k *kubectl) path(value, prefix string) (mapped string, s shape, err error) {
	written, ok := strings.CutPrefix(value, prefix)
	if !ok {
		return value, nil, nil
	}
	path, err := dialect.ParseJSONPath(written)
	if err != nil {
		return "", nil, err
	}
	of := k.object()
	if len(of) > 1 {
		return "", nil, errors.New("a path in objects of several kinds: use two commands")
	}
	steps, s, err := k.steps(path, of)
	return prefix + steps.String(), s, err
}

// condition maps what kubectl waits for.
func (k *kubectl) condition(value string) (string, error) {
	switch {
	case value == "create" || value == "delete":
		return value, nil
	case strings.HasPrefix(value, "condition="):
		for _, kind := range k.objects {
			if kind != kindPrimary {
				continue
			}
			if _, _, err := k.moved("status", "conditions"); err != nil {
				return "", k.skip("it waits for a condition, and the implementation has none")
			}
		}
		return value, nil
	}
	// --for=jsonpath={.spec.replicas}=3
	end := strings.LastIndex(value, "}")
	if !strings.HasPrefix(value, "jsonpath=") || end < 0 {
		return "", fmt.Errorf("to wait for %s is not allowed: wait for create, delete, condition= or jsonpath=", value)
	}
	path, s, err := k.path(value[:end+1], "jsonpath=")
	if err != nil {
		return "", err
	}
	wanted, ok := strings.CutPrefix(value[end+1:], "=")
	if !ok {
		return path + value[end+1:], nil
	}
	wanted, err = k.translate(wanted, s)
	return path + "=" + wanted, err
}
