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
)

// patch maps the JSON body of a kubectl patch.
func (k *kubectl) patch(value string) (string, error) {
	if !json.Valid([]byte(value)) {
		return "", fmt.Errorf("the patch %s is not JSON", value)
	}
	if len(k.objects) != 1 {
		return "", errors.New("a patch of objects of several kinds")
	}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(value), &doc); err != nil || len(doc.Content) == 0 {
		return "", fmt.Errorf("reading the patch %s as a JSON document: %w", value, err)
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
		return "", fmt.Errorf("encoding the body of kubectl patch: %w", err)
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(decoded); err != nil {
		return "", fmt.Errorf("encoding the body of kubectl patch: %w", err)
	}
	return strings.ReplaceAll(strings.TrimSuffix(b.String(), "\n"), `\u0000dollar\u0000`, `\u0024`), nil
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
		k.recordGiven(field, value)
	}
	if err := k.complete("patch", k.named, spec); err != nil {
		return err
	}
	if err := k.objectTree(body, object(kindPrimary)); err != nil || spec == nil {
		return err
	}
	return k.base("patch", body, k.named)
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
			for _, next := range moved {
				mapped = append(mapped, strings.Trim(next, "[]"))
			}
			at = at.field(step)
		}
		path.Value = "/" + strings.Join(mapped, "/")
		value := get(operation, "value")
		if len(at) == 1 && value != nil && at[0].kind == kindPrimary {
			if field, ok := strings.CutPrefix(at[0].path, "spec."); ok && referenceSpec[field] {
				k.recordGiven(field, value)
			}
		}
		if err := k.objectTree(value, at); err != nil {
			return err
		}
	}
	return nil
}

// recordGiven records the value that a field of a primary gets.
func (m *mapper) recordGiven(field string, value *yaml.Node) {
	if written := m.scope.literal(value); written != nil {
		value = written
	}
	if value.Kind == yaml.ScalarNode {
		m.values.recordGiven(field, value.Value)
	}
}
