package render

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"reconform.dev/reconform/conformance/dialect"
)

// command maps a call of kubectl, the only command that scenarios run.
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
	keep, err := k.run()
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
	for _, env := range list(get(body, "env")) {
		if value := get(env, "value"); value != nil {
			if err := (&tree{mapper: m}).node(value, nil); err != nil {
				return false, err
			}
		}
	}
	m.scope.own["stdout"] = variable{shape: k.output}
	if check := get(body, "check"); check != nil {
		if err := m.checked(check, nil); err != nil {
			return false, err
		}
		eachExpression(check, func(n *dialect.Node) {
			if name, ok := variableIn(n); ok && name == "stdout" {
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
	// objects are the kinds of what was named last, without those that there are
	// none of.
	objects []objectKind
	// output is what the call prints, where that is a field.
	output shape
	// proves says that the output is checked.
	proves bool
}

func (k *kubectl) run() (keep bool, err error) {
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
				continue // of a Service
			}
			name, err := k.name(k.objects, *argument.Name)
			if err != nil {
				return false, err
			}
			argument.Name = &name
		case argument.Assignment != nil && k.Verb == "set image":
			if argument.Assignment.Key, err = k.translateAs(argument.Assignment.Key, meaning{what: namesContainer}); err != nil {
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

// resources maps the objects of one argument, and drops those that there are
// none of.
func (k *kubectl) resources(objects []dialect.Object) (left []dialect.Object, missing string, err error) {
	k.objects = nil
	for _, object := range objects {
		kind := kindOfResource(object.Resource)
		k.meetPods(map[bool]objectKind{true: kindPod}[strings.HasPrefix(object.Resource, "po")])
		if k.missing(kind) {
			missing = object.Resource
			continue
		}
		k.objects = append(k.objects, kind)
		if kind == kindPrimary {
			object.Resource = k.primaryResource(object.Resource)
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

// primaryResource names the primary resource so that kubectl cannot take it for
// another, unless it is the reference's own.
func (k *kubectl) primaryResource(name string) string {
	to := k.profile.Spec.Contract.Resource
	if to.Group == referenceGroup && to.Plural == referencePlural {
		return name
	}
	return to.Plural + "." + to.Group
}

// name maps the name of an object of one of these kinds, which must come to the
// same for all.
func (k *kubectl) name(kinds []objectKind, name string) (string, error) {
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

// object is what the call is about.
func (k *kubectl) object() shape {
	var all shape
	for _, kind := range k.objects {
		all = all.and(object(kind))
	}
	return all
}

func (k *kubectl) flag(flag *dialect.Flag) (err error) {
	if len(k.objects) == 0 && (flag.Name == "patch" || flag.Name == "output" || flag.Name == "for") && k.Verb != "get" {
		return nil // it goes with its object
	}
	switch flag.Name {
	case "containers":
		flag.Value, err = k.translateAs(flag.Value, meaning{what: namesContainer})
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

// path maps what comes after a prefix, which is a JSONPath in the object.
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

// patch maps the JSON body of kubectl patch.
func (k *kubectl) patch(value string) (string, error) {
	if !json.Valid([]byte(value)) {
		return "", fmt.Errorf("the patch %s is not JSON", value)
	}
	if len(k.objects) != 1 {
		return "", errors.New("a patch of objects of several kinds")
	}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(value), &doc); err != nil || len(doc.Content) == 0 {
		return "", fmt.Errorf("the patch %s is not a JSON document: %w", value, err)
	}
	body := doc.Content[0]
	before, err := encodeJSON(body)
	if err != nil {
		return "", err
	}
	switch {
	case body.Kind == yaml.SequenceNode:
		err = k.operationsOf(body)
	case k.objects[0] == kindPrimary:
		err = k.primaryPatch(body)
	default:
		err = k.objectTree(body, k.object())
	}
	if err != nil {
		return "", err
	}
	after, err := encodeJSON(body)
	if err != nil || after == before {
		return value, err
	}
	return after, nil
}

func encodeJSON(n *yaml.Node) (string, error) {
	var decoded any
	if err := n.Decode(&decoded); err != nil {
		return "", fmt.Errorf("the body of kubectl patch: %w", err)
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(decoded); err != nil {
		return "", fmt.Errorf("the body of kubectl patch: %w", err)
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

func (k *kubectl) primaryPatch(body *yaml.Node) error {
	spec := get(body, "spec")
	for _, field := range slices.Sorted(maps.Keys(referenceSpec)) {
		value := get(spec, field)
		if value == nil {
			continue
		}
		if k.spec[field].Path == "" {
			return k.skip("it changes %s, which %s", field, k.lacks(field))
		}
		k.give(field, value)
	}
	return k.objectTree(body, object(kindPrimary))
}

// operationsOf maps a JSON patch.
func (k *kubectl) operationsOf(body *yaml.Node) error {
	for _, operation := range body.Content {
		path := get(operation, "path")
		if path == nil || !strings.HasPrefix(path.Value, "/") {
			return errors.New("a JSON patch without a path")
		}
		at := k.object()
		var mapped []string
		for step := range strings.SplitSeq(path.Value[1:], "/") {
			if step == "-" || strings.Trim(step, "0123456789") == "" {
				mapped, at = append(mapped, step), at.element()
				continue
			}
			moved, err := k.fieldOf(at, step)
			if err != nil {
				return err
			}
			mapped, at = append(mapped, moved...), at.field(step)
		}
		path.Value = "/" + strings.Join(mapped, "/")
		value := get(operation, "value")
		if len(at) == 1 && value != nil && at[0].kind == kindPrimary {
			if field, ok := strings.CutPrefix(at[0].path, "spec."); ok && referenceSpec[field] {
				k.give(field, value)
			}
		}
		if err := k.objectTree(value, at); err != nil {
			return err
		}
	}
	return nil
}

// give takes note of what a field of a primary gets.
func (m *mapper) give(field string, value *yaml.Node) {
	if written := m.scope.literal(value); written != nil {
		value = written
	}
	if value.Kind == yaml.ScalarNode {
		m.values.give(field, value.Value)
	}
}
