package render

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// command maps a command: kubectl by what its arguments mean, others by word.
func (m *mapper) command(body *yaml.Node) (bool, error) {
	args := get(body, "args")
	if text(body, "entrypoint") != "kubectl" || args == nil {
		m.words(body)
		return true, nil
	}
	k := kubectl{mapper: m, args: args.Content}
	keep, err := k.run()
	if !keep || err != nil {
		return false, err
	}
	for _, key := range []string{"check", "outputs", "env", "bindings"} {
		m.words(get(body, key))
	}
	if k.object == kindPrimary {
		for _, key := range []string{"check", "outputs"} {
			if err := m.pathsBelow(get(body, key)); err != nil {
				return false, err
			}
		}
	}
	if check := get(body, "check"); check != nil && strings.Contains(flat(check), "$stdout") {
		m.checks++
	}
	return true, nil
}

// kubectl maps the arguments of one call.
type kubectl struct {
	*mapper
	args []*yaml.Node
	// object is the kind of what was named last.
	object objectKind
}

// reading are the verbs that change nothing.
var reading = names("get", "describe", "wait", "explain", "events", "logs")

func (k *kubectl) run() (keep bool, err error) {
	var said []string // what is no flag: the verb comes first
	for i := 0; i < len(k.args); i++ {
		arg := k.args[i]
		flag, value, joined := strings.Cut(arg.Value, "=")
		switch {
		case strings.HasPrefix(arg.Value, "-") && joined:
			v := str(value)
			if err := k.flag(flag, v); err != nil {
				return false, err
			}
			arg.Value = flag + "=" + v.Value
			continue
		case takesValue[arg.Value] && i+1 < len(k.args):
			i++
			if err := k.flag(arg.Value, k.args[i]); err != nil {
				return false, err
			}
			continue
		case strings.HasPrefix(arg.Value, "-"):
			continue
		}
		said = append(said, arg.Value)
		verb := said[0]
		if len(said) == 1 {
			continue
		}
		if joined {
			// set image deployment/demo app=IMAGE, or a label or annotation.
			if verb == "set" && said[1] == "image" && flag == referenceContainer {
				arg.Value = k.profile.Spec.Contract.Children.Deployment.Container + "=" + value
			}
			continue
		}
		gone, err := k.resource(arg, verb == "delete")
		if err != nil {
			return false, err
		}
		if gone && reading[verb] {
			return false, nil
		}
		if gone {
			return false, k.skip("it runs kubectl %s on a Service, and the implementation makes none", verb)
		}
	}
	return true, nil
}

// takesValue are the flags of kubectl that scenarios give a value in the next
// argument.
var takesValue = names("-c", "--container", "-p", "--patch", "-o", "--output", "-l", "--selector", "-n", "--namespace",
	"--type", "--replicas", "--subresource", "--for", "--timeout", "--cascade", "--field-selector", "--field-manager")

func (k *kubectl) flag(name string, value *yaml.Node) error {
	switch name {
	case "-c", "--container":
		if value.Value == referenceContainer {
			value.Value = k.profile.Spec.Contract.Children.Deployment.Container
		}
		return nil
	case "-p", "--patch":
		return k.patch(value)
	case "-o", "--output", "--for":
		value.Value = k.containerIn(replaceWords(value.Value, k.profile.Spec.Contract.Resource))
		if k.object == kindPrimary {
			return k.pathsIn(value)
		}
		return nil
	}
	value.Value = replaceWords(value.Value, k.profile.Spec.Contract.Resource)
	return nil
}

// resource maps an argument that is a resource, a list of them, a resource with
// a name, or a name after a resource. It says whether only a Service was meant
// where there is none.
func (k *kubectl) resource(arg *yaml.Node, forgets bool) (gone bool, err error) {
	var kept []string
	for part := range strings.SplitSeq(arg.Value, ",") {
		name, object, hasObject := strings.Cut(part, "/")
		kind := kindOfResource(name)
		if kind == kindOther {
			if renamed, err := k.named(part, forgets); err != nil || renamed != "" {
				kept = append(kept, renamed)
				if err != nil {
					return false, err
				}
				continue
			}
			kept = append(kept, replaceWords(part, k.profile.Spec.Contract.Resource))
			continue
		}
		k.object = kind
		if kind == kindService && k.noService() {
			continue
		}
		if kind == kindPrimary {
			name = k.primaryResource(name)
		}
		if hasObject {
			if object, err = k.named(object, forgets); err != nil {
				return false, err
			}
			name += "/" + object
		}
		kept = append(kept, name)
	}
	if len(kept) == 0 {
		return true, nil
	}
	arg.Value = strings.Join(kept, ",")
	return false, nil
}

// named maps the name of an object of the kind that was named last.
func (k *kubectl) named(name string, forgets bool) (string, error) {
	if k.primaries[name] == nil {
		return name, nil
	}
	switch k.object {
	case kindDeployment, kindService:
		return k.childName(k.object, name)
	case kindPrimary:
		if forgets {
			for id := range k.known {
				if strings.HasSuffix(id, "/"+name) {
					delete(k.known, id)
				}
			}
		}
	}
	return name, nil
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

// patch maps the JSON body of kubectl patch.
func (k *kubectl) patch(value *yaml.Node) error {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(value.Value), &doc); err != nil || len(doc.Content) == 0 {
		return nil // not ours to judge: kubectl will
	}
	body, before := doc.Content[0], clone(doc.Content[0])
	switch {
	case k.object == kindPrimary && body.Kind == yaml.MappingNode:
		if err := k.primaryPatch(body); err != nil {
			return err
		}
	case k.object == kindPrimary && body.Kind == yaml.SequenceNode:
		if err := k.primaryJSONPatch(body); err != nil {
			return err
		}
	case k.object == kindDeployment || k.object == kindService:
		k.content(body, false)
	}
	if flat(before) == flat(body) {
		return nil
	}
	var decoded any
	if err := body.Decode(&decoded); err != nil {
		return k.skip("the body of kubectl patch: %v", err)
	}
	data, err := json.Marshal(decoded)
	if err != nil {
		return k.skip("the body of kubectl patch: %v", err)
	}
	value.Value = string(data)
	return nil
}

func (k *kubectl) primaryPatch(body *yaml.Node) error {
	spec := get(body, "spec")
	for _, field := range slices.Sorted(maps.Keys(referenceSpec)) {
		if get(spec, field) != nil && k.spec[field].Path == "" {
			return k.skip("it changes %s, which %s", field, k.lacks(field))
		}
	}
	relocate(spec, moves("spec", k.spec))
	return k.statusFields(get(body, "status"))
}

func (k *kubectl) primaryJSONPatch(body *yaml.Node) error {
	for _, operation := range body.Content {
		path := get(operation, "path")
		if path == nil {
			continue
		}
		parts := strings.Split(strings.TrimPrefix(path.Value, "/"), "/")
		if len(parts) < 2 || !slices.Contains([]string{"spec", "status"}, parts[0]) {
			continue
		}
		mapped, err := k.paths(parts[0] + "." + parts[1])
		if err != nil {
			return err
		}
		path.Value = "/" + strings.Join(append(strings.Split(mapped, "."), parts[2:]...), "/")
	}
	return nil
}
